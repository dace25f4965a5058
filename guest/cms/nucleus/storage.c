/*
 * Free storage.
 *
 * Blocks have a header and lie side by side; a free one is merged with free neighbours and kept in a list of its size
 * class. A block belongs to the system or to the command that runs: the latter are given back when the command has
 * ended, also by an abend, so that no command can lose storage.
 */
#include "cms.h"

struct block {
    u32 size;                   /* of the whole block, a multiple of 16 */
    u32 before;                 /* of the block in front, 0: there is none */
    u32 state;                  /* FREE, or an owner */
    u32 check;                  /* what is not this was overwritten */
    struct block *next, *last;  /* in its list: free blocks of a class, or a command's */
    /* Of a program's storage: its pages; what is handed out is on a multiple of 16. Of a free block `pages` is its
       class. */
    u32 pages, length;
};

enum {
    HEADER = sizeof(struct block), FREE = 0x46524545, USED = 0x55534544, CLASSES = 28, ANYWHERE = 0x7fffffff,
    CHECK = 0x434d5321,
};

static struct block classes[CLASSES], of_command;
static u32 occupied;                    /* bit n: class n has a block */
static char *first, *end;
static u32 free_bytes;
/* Nothing from here on was in use since pages were given back. */
static u32 used_to;

static void join(struct block *list, struct block *block)
{
    block->next = list->next;
    block->last = list;
    list->next->last = block;
    list->next = block;
}

static void leave(struct block *block)
{
    block->next->last = block->last;
    block->last->next = block->next;
}

/* How many of 32, 64, 128 ... it is more than: how many bits there are in (size - 1) / 32. */
#define FOUR_TIMES(bits) bits, bits, bits, bits
#define SIXTEEN_TIMES(bits) FOUR_TIMES(bits), FOUR_TIMES(bits), FOUR_TIMES(bits), FOUR_TIMES(bits)

static u32 class_of(u32 size)
{
    static const u8 bits[128] = {
        0, 1, 2, 2, FOUR_TIMES(3), FOUR_TIMES(4), FOUR_TIMES(4), SIXTEEN_TIMES(5), SIXTEEN_TIMES(6), SIXTEEN_TIMES(6),
        SIXTEEN_TIMES(7), SIXTEEN_TIMES(7), SIXTEEN_TIMES(7), SIXTEEN_TIMES(7),
    };
    u32 n = 0;

    for (size = (size - 1) / 32; size >= COUNT_OF(bits); size /= COUNT_OF(bits))
        n += 7;
    return n + bits[size];
}

static void leave_class(struct block *block)
{
    leave(block);
    /* Its neighbours are the list's head. */
    if (block->next == block->last)
        occupied &= ~(1u << block->pages);
}

/* Whether a block of that size is of class n. */
static bool is_of_class(u32 size, u32 n)
{
    return (n == CLASSES - 1 || size <= 32u << n) && (n == 0 || size > 32u << (n - 1));
}

/* The block takes another's place in its list. */
static void take_place(struct block *block, const struct block *old)
{
    block->next = old->next;
    block->last = old->last;
    block->next->last = block;
    block->last->next = block;
}

static struct block *block_after(struct block *block)
{
    char *at = (char *)block + block->size;

    return at < end ? (struct block *)at : NULL;
}

static void set_free(struct block *block)
{
    struct block *next = block_after(block);

    block->state = FREE;
    block->pages = class_of(block->size);
    free_bytes += block->size;
    if (next != NULL)
        next->before = block->size;
    join(&classes[block->pages], block);
    occupied |= 1u << block->pages;
}

/* What is left of a free block of class n is free; mostly it stays in its list. */
static void set_rest_free(struct block *rest, const struct block *block, u32 n)
{
    struct block *next = block_after(rest);

    if (!is_of_class(rest->size, n)) {
        leave_class((struct block *)block);
        set_free(rest);
        return;
    }
    take_place(rest, block);
    rest->state = FREE;
    rest->pages = n;
    free_bytes += rest->size;
    if (next != NULL)
        next->before = rest->size;
}

void storage_start(u32 from, u32 to)
{
    struct block *all;

    for (u32 n = 0; n < CLASSES; n++)
        classes[n].next = classes[n].last = &classes[n];
    occupied = 0;
    of_command.next = of_command.last = &of_command;
    first = (char *)((from + 15) & ~15u);
    end = (char *)(to & ~15u);
    all = (struct block *)first;
    all->size = (u32)(end - first);
    all->before = 0;
    all->check = CHECK;
    set_free(all);
}

/* There is more storage than was thought, after the rest. */
void storage_extend(u32 to)
{
    struct block *more = (struct block *)end, *before = (struct block *)first;

    to &= ~15u;
    if (to < (u32)end + HEADER + 32)
        return;
    while (block_after(before) != NULL)
        before = block_after(before);
    memset(more, 0, HEADER);
    more->size = to - (u32)end;
    more->before = before->size;
    more->check = CHECK;
    more->state = USED + OWNER_SYSTEM;
    end = (char *)to;
    release((char *)more + HEADER);
}

u32 storage_size(void) { return (u32)(end - first); }
u32 storage_free(void) { return free_bytes; }

/* A free block's part from `at` on is a block of its own, which is returned. */
static struct block *split_at(struct block *block, u32 at)
{
    struct block *rest = (struct block *)at;
    u32 front = at - (u32)block, size = block->size - front;

    leave_class(block);
    free_bytes -= block->size;
    *rest = (struct block){ .size = size, .before = front, .check = CHECK };
    set_free(rest);
    block->size = front;
    set_free(block);
    return rest;
}

/* From `floor` on and below `limit`. */
static void *obtain_within(size_t size, enum owner owner, u32 floor, u32 limit)
{
    u32 need, n;

    if (size > 0x40000000)
        return NULL;
    need = ((u32)size + HEADER + 15) & ~15u;
    n = class_of(need);
    for (u32 those = occupied >> n; those != 0; those >>= 1, n++) {
        if ((those & 1) == 0)
            continue;
        for (struct block *block = classes[n].next; block != &classes[n]; block = block->next) {
            if (block->size < need || (u32)block > limit || need > limit - (u32)block)
                continue;
            if ((u32)block < floor) {
                u32 front = floor - (u32)block;

                if (front < HEADER + 32 || block->size < front || block->size - front < need)
                    continue;
                block = split_at(block, floor);
            }
            free_bytes -= block->size;
            if (block->size - need >= HEADER + 32) {
                struct block *rest = (struct block *)((char *)block + need);

                rest->size = block->size - need;
                rest->before = need;
                rest->check = CHECK;
                block->size = need;
                set_rest_free(rest, block, block->pages);
            } else {
                leave_class(block);
            }
            block->state = USED + owner;
            block->pages = block->length = 0;
            if ((u32)block + block->size > used_to)
                used_to = (u32)block + block->size;
            if (owner == OWNER_COMMAND)
                join(&of_command, block);
            return (char *)block + HEADER;
        }
    }
    return NULL;
}

/* Below 16M as long as there is room, for that is where programs of addressing mode 24 reach. */
void *obtain(size_t size, enum owner owner)
{
    void *low = obtain_within(size, owner, 0, LOW_STORAGE);

    return low != NULL ? low : obtain_within(size, owner, 0, ANYWHERE);
}

/* Above 16M, where there is room. */
void *obtain_high(size_t size, enum owner owner)
{
    void *high = obtain_within(size, owner, LOW_STORAGE, ANYWHERE);

    return high != NULL ? high : obtain_within(size, owner, 0, ANYWHERE);
}

/* Whole pages for a program, with its storage key. In front of them is how many programs run. */
static void *obtain_pages_within(size_t size, enum owner owner, u8 key, u32 floor, u32 limit)
{
    u32 length = ((u32)size + 4095) & ~4095u, at;
    char *storage = size == 0 || size > 0x30000000 ? NULL : obtain_within(length + 4096 + 16, owner, floor, limit);
    struct block *block = (struct block *)(storage - HEADER);

    if (storage == NULL)
        return NULL;
    at = ((u32)storage + 16 + 4095) & ~4095u;
    *(u32 *)(at - 4) = programs_running();
    block->pages = at;
    block->length = length;
    memset((void *)at, 0, length);
    set_keys(at, length, key);
    return (void *)at;
}

/* Below `limit`, and below 16M as long as there is room. */
void *obtain_pages(size_t size, enum owner owner, u8 key, u32 limit)
{
    void *low = obtain_pages_within(size, owner, key, 0, limit < LOW_STORAGE ? limit : (u32)LOW_STORAGE);

    return low != NULL || limit <= LOW_STORAGE ? low : obtain_pages_within(size, owner, key, 0, limit);
}

/* Above 16M, where there is room. */
void *obtain_high_pages(size_t size, enum owner owner, u8 key)
{
    void *high = obtain_pages_within(size, owner, key, LOW_STORAGE, ANYWHERE);

    return high != NULL ? high : obtain_pages(size, owner, key, ANYWHERE);
}

void release_program_storage(u32 running)
{
    struct block *next;

    for (struct block *block = of_command.next; block != &of_command; block = next) {
        next = block->next;
        if (block->pages != 0 && *(u32 *)(block->pages - 4) >= running)
            release((char *)block + HEADER);
    }
}

/* False: it is none of those. */
bool release_pages(u32 at)
{
    for (char *here = first; here != NULL && here < end;) {
        struct block *block = (struct block *)here;

        if (block->check != CHECK)
            abend(0x0f0, "Free storage was overwritten");
        if (block->state != FREE && block->pages == at && at != 0) {
            release(here + HEADER);
            return true;
        }
        here += block->size;
    }
    return false;
}

void set_keys(u32 at, u32 length, u8 key)
{
    for (u32 page = at & ~4095u; page < at + length; page += 4096)
        __asm__ volatile("sske %0,%1" : : "d"((u32)key), "a"(page) : "memory");
}

/* Whether a program may change it: all of it has a program's key. */
bool has_key(u32 at, u32 length, u8 key)
{
    u32 size = storage_bytes();

    if (at >= size || length > size - at)
        return false;
    for (u32 page = at & ~4095u; page < at + (length == 0 ? 1 : length); page += 4096) {
        u32 of = 0;

        __asm__ volatile("iske %0,%1" : "+d"(of) : "a"(page));
        if ((of & 0xf0) != key)
            return false;
    }
    return true;
}

void release(void *storage)
{
    struct block *block, *next;

    if (storage == NULL || shared_release(storage))
        return;
    block = (struct block *)((char *)storage - HEADER);
    if (block->check != CHECK || (block->state != USED + OWNER_SYSTEM && block->state != USED + OWNER_COMMAND))
        abend(0x0f0, "Free storage was overwritten");
    if (block->pages != 0)
        set_keys(block->pages, block->length, 0);
    if (block->state == USED + OWNER_COMMAND)
        leave(block);
    next = block_after(block);
    if (next != NULL && next->state != FREE)
        next = NULL;
    if (next != NULL) {
        free_bytes -= next->size;
        block->size += next->size;
    }
    if (block->before != 0) {
        struct block *front = (struct block *)((char *)block - block->before);

        if (front->state == FREE) {
            if (next != NULL)
                leave_class(next);
            leave_class(front);
            free_bytes -= front->size;
            front->size += block->size;
            set_free(front);
            return;
        }
    }
    if (next != NULL)
        set_rest_free(block, next, next->pages);
    else
        set_free(block);
}

/*
 * Takes the storage from `first` to `last`, whole pages, as one block, whose header is in front of it: release((void
 * *)first) gives it back. Beyond the end of storage there is nothing to take. False: something else is there.
 */
bool reserve_storage(u32 first_byte, u32 last_byte)
{
    u32 from = first_byte - HEADER, to = last_byte + 1 < (u32)end ? last_byte + 1 : (u32)end;

    if (first_byte >= (u32)end)
        return true;
    for (char *here = first; here != NULL && here < end;) {
        struct block *block = (struct block *)here, *taken = (struct block *)from, *rest = (struct block *)to;
        u32 front = from - (u32)here, size = block->size;

        if (block->check != CHECK)
            abend(0x0f0, "Free storage was overwritten");
        here += size;
        if (from >= (u32)here)
            continue;
        if (block->state != FREE || (u32)block + HEADER + 32 > from || to > (u32)here)
            return false;
        leave_class(block);
        free_bytes -= size;
        if ((u32)here - to >= HEADER + 32) {
            *rest = (struct block){ .size = (u32)here - to, .before = to - from, .check = CHECK };
            set_free(rest);
        } else {
            to = (u32)here;
            if (here < end)
                ((struct block *)here)->before = to - from;
        }
        block->size = front;
        set_free(block);
        *taken = (struct block){ .size = to - from, .before = front, .state = USED + OWNER_SYSTEM, .check = CHECK };
        if (to > used_to)
            used_to = to;
        return true;
    }
    return false;
}

/* The pages that were in use and are free, but for those that the lists are in. */
void give_back_storage(void)
{
    u32 highest = 0;

    for (char *here = first; here != NULL && here < end && (u32)here < used_to;) {
        struct block *block = (struct block *)here;
        u32 from = ((u32)here + HEADER + 4095) & ~4095u, to = ((u32)here + block->size) & ~4095u;

        if (block->check != CHECK)
            abend(0x0f0, "Free storage was overwritten");
        if (block->state != FREE)
            highest = (u32)here + block->size;
        else if (from < to && from < used_to)
            give_back_pages(from, (to < used_to ? to : used_to) - 1);
        here += block->size;
    }
    used_to = highest;
}

void *obtain_command(size_t size)
{
    void *storage = obtain(size, OWNER_COMMAND);

    if (storage == NULL) {
        message("STG", 109, 'S');
        no_storage();
    }
    return storage;
}

void release_command_storage(void)
{
    while (of_command.next != &of_command)
        release((char *)of_command.next + HEADER);
}

/* What a command has obtained is in a list, the latest first. */
void release_storage_since(void *mark)
{
    bool last = false;

    while (!last && of_command.next != &of_command) {
        last = (char *)of_command.next + HEADER == (char *)mark;
        release((char *)of_command.next + HEADER);
    }
}

void *edf_get(size_t size)
{
    void *storage = shared_obtain(size);

    return storage != NULL ? storage : obtain(size, OWNER_SYSTEM);
}

void edf_put(void *storage) { release(storage); }
