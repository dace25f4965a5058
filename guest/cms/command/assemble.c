/*
 * ASSEMBLE: a source program becomes an object deck and a listing.
 *
 *   ASSEMBLE fn [( OBJECT NOOBJECT DECK NODECK LIST NOLIST XREF [(FULL|SHORT)] NOXREF ESD NOESD RLD NORLD TERM NOTERM
 *                  DISK PRINT NOPRINT
 *                  ALIGN NOALIGN LINECOUN n FLAG (n) SYSPARM (text)
 *
 * The assembler itself is ../assemble; here are its files: fn ASSEMBLE, fn TEXT and fn LISTING, or what FILEDEF says of
 * ASSEMBLE, TEXT and LISTING; members of the libraries that GLOBAL MACLIB has named, and files name COPY.
 */
#include "command.h"
#include "../assemble/assemble.h"
#include "../nucleus/filedef.h"
#include "../nucleus/library.h"

enum { CANNOT_GO_ON = 16, LINES_LEAST = 10, CODE_MOST = 255 };

/* An output: a disk file, or a unit. `defined`: by FILEDEF. */
struct output {
    enum file_device device;
    struct fileid id;
    struct open_file *file;
    u32 record;
    int error;
    bool wanted, defined;
};

static struct output text, listing, deck;
static struct library *libraries;
static bool *opened;

void *assemble_get(size_t size) { return obtain_command(size); }
void assemble_put(void *storage) { release(storage); }
void assemble_attend(void) { attend(); }
void assemble_terminal(const char *line, u32 length) { type_line(line, length); }

static void put(struct output *output, const void *line, u32 length)
{
    if (!output->wanted)
        return;
    if (output->device == ON_DISK && output->error == EDF_OK)
        output->error = edf_write(&output->file->file, ++output->record, line, length);
    else if (output->device == ON_TERMINAL)
        type_line((const char *)line + 1, length_of((const char *)line + 1, length - 1));
    else if (output->device == ON_PRINTER && output->error == EDF_OK &&
             print_controlled(line, length_of(line, length)) != 0)
        output->error = EDF_IO;
    else if (output->device == ON_PUNCH && output->error == EDF_OK && unit_write(PUNCH_UNIT, 0x41, line, length) != 0)
        output->error = EDF_IO;
}

void assemble_object(const u8 card[CARD])
{
    put(&text, card, CARD);
    put(&deck, card, CARD);
}

void assemble_listing(const char *line, u32 length) { put(&listing, line, length); }

/* All records of a file that is open, or those of a member. */
static bool take(struct open_file *file, u32 first, u32 last, struct lines *to)
{
    char record[CARD];
    u32 length;

    for (u32 n = first; n <= last; n++) {
        int error = edf_read(&file->file, n, record, CARD, &length);

        if (error != EDF_OK) {
            struct fileid id;

            id_of(file->disk, file->file.fst, &id);
            (void)file_problem("ASM", error, &id, false);
            return false;
        }
        lines_add(to, record, length < CARD ? length : CARD);
        attend();
    }
    return true;
}

static bool copy_file(const name wanted, struct lines *to)
{
    struct fileid id = { .ft = "COPY    ", .fm = "* " };
    struct open_file *file;
    bool good;

    memcpy(id.fn, wanted, sizeof(name));
    if (file_open(&id, EDF_READ, &file) != EDF_OK)
        return false;
    good = take(file, 1, edf_word(file->file.fst + FST_RECORDS), to);
    (void)file_finish(file);
    return good;
}

bool assemble_member(struct text wanted, struct lines *to)
{
    const struct globals *list = &globals[OF_MACLIB];
    name called;

    pad(called, sizeof called, wanted.at, wanted.length);
    for (u32 n = 0; n < sizeof called; n++)
        called[n] = upper(called[n]);
    for (u32 n = 0; n < list->count; n++) {
        struct fileid id = { .ft = "MACLIB  ", .fm = "* " };
        struct member member;
        int error;

        memcpy(id.fn, list->name[n], sizeof(name));
        if (!opened[n]) {
            opened[n] = true;
            error = library_open(&id, &libraries[n]);
            if (error != EDF_OK)
                libraries[n].members = 0;
            /* That it is not there, or no library, is known since GLOBAL. */
            if (error != EDF_NOT_FOUND && error != EDF_LENGTH)
                (void)file_problem("ASM", error, &id, false);
        }
        if (library_find(&libraries[n], called, &member))
            return member.count > 0 && take(libraries[n].file, member.first, member.first + member.count - 1, to);
    }
    return legal_name(called) && copy_file(called, to);
}

/* What stands in parentheses after an option; *n is its last token then. False: nothing does. */
static bool in_parentheses(const struct call *call, u32 *n, name value)
{
    if (*n + 2 >= call->count || call->token[*n + 1][0] != '(')
        return false;
    memcpy(value, call->token[*n + 2], sizeof(name));
    for (*n += 2; *n + 1 < call->count && call->token[*n][0] != ')'; ++*n)
        ;
    return true;
}

static int bad_value(const name value, const char *option)
{
    message("ASM", 29, 'E', value, option);
    return RC_SYNTAX;
}

static int number_of_option(const struct call *call, u32 *n, u32 least, u32 most, const char *option, u32 *number)
{
    name value;

    if (!in_parentheses(call, n, value)) {
        if (*n + 1 >= call->count || call->token[*n + 1][0] == ')') {
            message("ASM", 5, 'E', option);
            return RC_SYNTAX;
        }
        memcpy(value, call->token[++*n], sizeof(name));
    }
    return parse_number(value, name_length(value), number) && *number >= least &&
        *number <= most ? 0 : bad_value(value, option);
}

/* SYSPARM(text) as it was typed, in upper case; SYSPARM(?) asks for it. */
static int system_parameter(const struct call *call, u32 *n, struct assembly_options *options)
{
    static char line[LINE_MOST + 1];
    name value;
    const char *from = call->line, *end;
    u32 length = 0;

    if (!in_parentheses(call, n, value)) {
        message("ASM", 5, 'E', "SYSPARM ");
        return RC_SYNTAX;
    }
    /* In the options: a program may be called SYSPARM. */
    while (from < call->end && *from != '(')
        from++;
    while (from + 8 < call->end && !text_is((struct text){ from, 7 }, "SYSPARM"))
        from++;
    while (from < call->end && *from != '(')
        from++;
    for (end = ++from; end < call->end && *end != ')'; end++)
        ;
    if (is(value, "?")) {
        message("ASM", 9180, 'R');
        length = read_line(line);
    } else if (from < end) {
        for (; from < end && length < LINE_MOST; from++)
            line[length++] = *from;
    }
    for (u32 k = 0; k < length; k++)
        line[k] = upper(line[k]);
    options->sysparm = (struct text){ line, length };
    return 0;
}

static int take_options(const struct call *call, struct assembly_options *options, bool *print, bool *nowhere)
{
    const struct { const char *word; u32 least; bool *set; bool value; } known[] = {
        { "OBJECT", 3, &options->object, true }, { "NOOBJECT", 5, &options->object, false },
        { "DECK", 4, &options->deck, true },
        { "NODECK", 6, &options->deck, false }, { "LIST", 4, &options->list, true },
        { "NOLIST", 6, &options->list, false },
        { "XREF", 4, &options->xref, true }, { "NOXREF", 6, &options->xref, false }, { "ESD", 3, &options->esd, true },
        { "NOESD", 5, &options->esd, false }, { "RLD", 3, &options->rld, true }, { "NORLD", 5, &options->rld, false },
        { "TERMINAL", 4, &options->term, true }, { "NOTERM", 6, &options->term, false },
        { "ALIGN", 5, &options->align, true },
        { "NOALIGN", 7, &options->align, false }, { "PRINT", 5, print, true }, { "DISK", 4, print, false },
        { "NOPRINT", 7, nowhere, true },
    };

    for (u32 n = operands(call) + 1; n < call->count && call->token[n][0] != ')'; n++) {
        const char *word = call->token[n];
        bool found = false;
        name value;
        int code = 0;

        if (abbreviates(word, "LINECOUN", 5)) {
            code = number_of_option(call, &n, 0, 99, "LINECOUN", &options->lines);
            if (code == 0 && options->lines != 0 && options->lines < LINES_LEAST)
                options->lines = LINES_LEAST;
            found = true;
        } else if (is(word, "FLAG")) {
            code = number_of_option(call, &n, 0, 255, "FLAG    ", &options->flag);
            found = true;
        } else if (is(word, "SYSPARM")) {
            code = system_parameter(call, &n, options);
            found = true;
        }
        if (code != 0)
            return code;
        for (u32 k = 0; k < COUNT_OF(known) && !found; k++)
            if (abbreviates(word, known[k].word, known[k].least)) {
                *known[k].set = known[k].value;
                found = true;
            }
        if (!found) {
            message("ASM", 3, 'E', word);
            return RC_SYNTAX;
        }
        if (is(word, "XREF") && in_parentheses(call, &n, value)) {
            if (!is(value, "FULL") && !is(value, "SHORT"))
                return bad_value(value, "XREF    ");
            options->xref_full = is(value, "FULL");
        }
    }
    return 0;
}

/* Where an output goes; what FILEDEF says of its name goes before everything. */
static int open_output(struct output *output, const char *dd, const struct fileid *source, char mode, u32 length,
                       bool wanted)
{
    name called;
    const struct filedef *defined;
    int error;

    *output = (struct output){ .device = output->device, .id = *source, .wanted = wanted };
    pad(called, sizeof called, dd, (u32)strlen(dd));
    memcpy(output->id.ft, called, sizeof(name));
    output->id.fm[0] = mode;
    output->id.fm[1] = '1';
    defined = filedef_find(called);
    output->defined = defined != NULL;
    if (defined != NULL) {
        output->device = defined->device;
        if (defined->device == ON_DISK)
            output->id = defined->id;
        if (defined->device == ON_NOTHING)
            output->wanted = false;
        if (defined->device == ON_TAPE || defined->device == ON_READER ||
            (length != CARD && defined->device == ON_PUNCH) ||
            (length == CARD && (defined->device == ON_PRINTER || defined->device == ON_TERMINAL))) {
            message("ASM", 75, 'E', called, "ASSEMBLE");
            return 40;
        }
    }
    if (!output->wanted || output->device != ON_DISK)
        return 0;
    error = file_open(&output->id, EDF_NEW, &output->file);
    if (error != EDF_OK)
        return file_problem("ASM", error, &output->id, true);
    output->file->file.fst[FST_RECFM] = EDF_F;
    edf_set_word(output->file->file.fst + FST_LRECL, length);
    return 0;
}

static int close_unit(struct output *output)
{
    char shown[24];

    unit_close(output->device == ON_PRINTER ? PRINT_UNIT : PUNCH_UNIT, "", &output->id);
    if (output->error == EDF_OK)
        return 0;
    message("ASM", output->device == ON_PRINTER ? 123 : 118, 'S', show_id(&output->id, shown));
    return RC_IO;
}

/*
 * What an earlier assembly has made does not stay beside what this one has, unless FILEDEF says where the output goes.
 */
static int close_output(struct output *output)
{
    struct disk *disk = disk_at(output->id.fm[0]);
    int error = EDF_OK, code = 0;

    if (output->wanted && (output->device == ON_PRINTER || output->device == ON_PUNCH))
        code = close_unit(output);
    if (output->file != NULL && output->error == EDF_OK && output->record > 0)
        return file_problem("ASM", file_finish(output->file), &output->id, true);
    if (output->file != NULL)
        file_abandon(output->file);
    if (output->file != NULL && output->error != EDF_OK)
        return file_problem("ASM", output->error, &output->id, true);
    if (!output->defined && disk != NULL && !disk->read_only)
        error = file_erase(disk, output->id.fn, output->id.ft);
    return code != 0 ? code : file_problem("ASM", error, &output->id, true);
}

static int read_source(const struct fileid *wanted, struct fileid *id, char *mode, struct lines *lines)
{
    struct reader reader;
    char shown[24];
    int code = reader_open("ASM", &reader, wanted);

    if (code != 0)
        return code;
    *id = reader.id;
    *mode = output_mode(reader.file->disk);
    if (reader.file->file.fst[FST_RECFM] != EDF_F || reader.room != CARD) {
        message("ASM", 7, 'E', show_id(id, shown));
        code = RC_FORMAT;
    }
    while (code == 0 && reader_next("ASM", &reader, &code))
        lines_add(lines, reader.record, reader.length);
    reader_close(&reader);
    return code;
}

static int files_and_all(const struct fileid *wanted, struct assembly_options *options, bool print, bool nowhere)
{
    struct lines source = { 0 };
    struct fileid id;
    struct moment at;
    char mode;
    u32 worst;
    int code = read_source(wanted, &id, &mode, &source), end, punched = 0;

    if (code != 0)
        return code;
    now(&at);
    memcpy(options->date, at.date, sizeof at.date);
    memcpy(options->time, at.time, sizeof at.time);
    listing.device = print ? ON_PRINTER : ON_DISK;
    text.device = ON_DISK;
    code = open_output(&listing, "LISTING", &id, mode, LINE, !nowhere);
    if (code == 0)
        code = open_output(&text, "TEXT", &id, mode, CARD, options->object);
    if (code != 0) {
        if (listing.file != NULL)
            file_abandon(listing.file);
        return code;
    }
    deck = (struct output){ .device = ON_PUNCH, .id = id, .wanted = options->deck };
    libraries = obtain_command(LIBRARIES_MOST * sizeof *libraries);
    opened = obtain_command(LIBRARIES_MOST * sizeof *opened);
    memset(libraries, 0, LIBRARIES_MOST * sizeof *libraries);
    memset(opened, 0, LIBRARIES_MOST * sizeof *opened);
    worst = assemble(options, &source);
    if (deck.wanted)
        punched = close_unit(&deck);
    type("ASSEMBLER DONE");
    if (assembly.flagged == 0)
        type("NO STATEMENTS FLAGGED IN THIS ASSEMBLY");
    else
        type("%5u STATEMENTS FLAGGED IN THIS ASSEMBLY", assembly.flagged);
    code = close_output(&listing);
    end = close_output(&text);
    for (u32 n = 0; n < globals[OF_MACLIB].count; n++)
        if (libraries[n].file != NULL)
            (void)file_finish(libraries[n].file);
    release(libraries);
    release(opened);
    return code != 0 ? code : end != 0 ? end : punched != 0 ? punched
        : (int)(worst < CODE_MOST ? worst : (u32)CODE_MOST);
}

int assemble_command(const struct call *call)
{
    struct assembly_options options = {
        .object = true, .list = true, .xref = true, .esd = true, .rld = true, .term = true, .align = true, .lines = 55,
        .sysparm = { "", 0 },
    };
    struct fileid id = { .ft = "ASSEMBLE", .fm = "  " };
    const struct filedef *defined;
    bool print = false, nowhere = false;
    u32 words = operands(call);
    int code = take_options(call, &options, &print, &nowhere);

    if (code != 0)
        return code;
    if (words < 2) {
        message("ASM", 1, 'E');
        return RC_SYNTAX;
    }
    if (words > 2) {
        message("ASM", 70, 'E', call->token[2]);
        return RC_SYNTAX;
    }
    memcpy(id.fn, call->token[1], sizeof(name));
    defined = filedef_find(id.ft);
    if (defined != NULL && defined->device != ON_DISK) {
        message("ASM", 75, 'E', "ASSEMBLE", "ASSEMBLE");
        return 40;
    }
    if (defined != NULL)
        id = defined->id;
    if (!legal_name(id.fn)) {
        char shown[24];

        message("ASM", 62, 'E', '*', show_id(&id, shown));
        return 20;
    }
    memory_begin();
    code = files_and_all(&id, &options, print, nowhere);
    memory_forget();
    return code;
}
