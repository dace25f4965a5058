/*
 * SET SCREEN: logical screens, one below the other, side by side, or anywhere.
 *
 * They show the files of the ring in turn; a file that is shown twice has two views.
 */
#include "xedit.h"

enum { LINES_LEAST = 5, COLUMNS_LEAST = 20 };

static int refused(u32 number)
{
    message("XSU", number, 'E');
    return XE_OPERAND;
}

/* n [Horizontal|Vertical]: as large as one another, as far as they can be. */
static int equal_parts(struct words *words, u32 count, struct logical *part)
{
    static const char *const ways[] = { "HORIZONTAL", "VERTICAL" };
    static const u8 least[] = { 1, 1 };
    const struct display *display = &editor->display;
    u32 which = 0, at = 0;

    if (words_left(words)) {
        int code = choose(words, ways, least, COUNT_OF(ways), &which);

        if (code != 0)
            return code;
    }
    for (u32 n = 0; n < count; n++) {
        u32 all = which == 0 ? display->rows : display->columns, size = all / count + (n < all % count);

        part[n] = which == 0 ? (struct logical){ .top = at, .lines = size, .width = display->columns }
                             : (struct logical){ .left = at, .lines = display->rows, .width = size };
        at += size;
    }
    return no_words_left(words);
}

/* Size s1 [s2]..., Width w1 [w2]...: from the top, or from the left. */
static int sizes(struct words *words, bool width, struct logical *part, u32 *count)
{
    const struct display *display = &editor->display;
    u32 all = width ? display->columns : display->rows, at = 0;

    for (*count = 0; words_left(words); ++*count) {
        u32 size;

        if (*count == SCREENS_MOST)
            return refused(535);
        if (set_number(words, &size, 1, ROWS_MOST) != 0)
            return XE_OPERAND;
        part[*count] = width ? (struct logical){ .left = at, .lines = display->rows, .width = size }
                             : (struct logical){ .top = at, .lines = size, .width = display->columns };
        at += size;
    }
    if (*count == 0)
        return missing_operand();
    return at > all ? refused(534) : 0;
}

static bool overlap(const struct logical *a, const struct logical *b)
{
    return a->top < b->top + b->lines && b->top < a->top + a->lines && a->left < b->left + b->width &&
           b->left < a->left + a->width;
}

/* Define lines width row column ...: anywhere, none over another. */
static int places(struct words *words, struct logical *part, u32 *count)
{
    const struct display *display = &editor->display;

    for (*count = 0; words_left(words); ++*count) {
        struct logical *here = &part[*count];
        u32 row = 0, column = 0;

        if (*count == SCREENS_MOST)
            return refused(535);
        memset(here, 0, sizeof *here);
        if (set_number(words, &here->lines, 1, ROWS_MOST) != 0 || set_number(words, &here->width, 1, ROWS_MOST) != 0 ||
            set_number(words, &row, 1, ROWS_MOST) != 0 || set_number(words, &column, 1, ROWS_MOST) != 0)
            return XE_OPERAND;
        here->top = row - 1;
        here->left = column - 1;
        if (here->top + here->lines > display->rows || here->left + here->width > display->columns)
            return refused(534);
        for (u32 n = 0; n < *count; n++)
            if (overlap(here, &part[n]))
                return refused(536);
    }
    return *count == 0 ? missing_operand() : 0;
}

int screen_set(struct view *view, struct words *words)
{
    static const char *const ways[] = { "SIZE", "WIDTH", "DEFINE" };
    static const u8 least[] = { 1, 1, 1 };
    struct logical part[SCREENS_MOST];
    struct words here = *words;
    const char *word;
    u32 length, count, which;
    int code;

    (void)view;
    if (!take_word(&here, &word, &length))
        return missing_operand();
    if (editor->typewriter) {
        message("XSU", 529, 'E');
        return XE_TRUNCATED;
    }
    if (is_digit(*word)) {
        code = set_number(words, &count, 1, SCREENS_MOST);
        code = code != 0 ? code : equal_parts(words, count, part);
    } else {
        code = choose(words, ways, least, COUNT_OF(ways), &which);
        if (code == 0)
            code = which == 2 ? places(words, part, &count) : sizes(words, which == 1, part, &count);
    }
    if (code != 0)
        return code;
    for (u32 n = 0; n < count; n++)
        if (part[n].lines < LINES_LEAST || part[n].width < COLUMNS_LEAST)
            return refused(537);
    return screens_split(count, part) ? 0 : no_room();
}

/* As SET takes it. */
void screen_values(struct view *view, struct asked *asked)
{
    const struct display *display = &editor->display;
    bool size = true, width = true;
    char line[COMMAND_MOST];
    u32 used, row = 0, column = 0;

    (void)view;
    if (editor->typewriter) {
        give(asked, "1");
        return;
    }
    for (u32 n = 0; n < editor->screens; n++) {
        const struct logical *logical = &editor->logical[n];

        size = size && logical->left == 0 && logical->width == display->columns && logical->top == row;
        width = width && logical->top == 0 && logical->lines == display->rows && logical->left == column;
        row += logical->lines;
        column += logical->width;
    }
    used = format(line, sizeof line, size ? "SIZE" : width ? "WIDTH" : "DEFINE");
    for (u32 n = 0; n < editor->screens; n++) {
        const struct logical *logical = &editor->logical[n];

        if (size || width)
            used += format(line + used, sizeof line - used, " %u", size ? logical->lines : logical->width);
        else
            used += format(line + used, sizeof line - used, " %u %u %u %u", logical->lines, logical->width,
                           logical->top + 1, logical->left + 1);
    }
    give_text(asked, line, used);
}
