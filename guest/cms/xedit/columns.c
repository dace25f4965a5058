/* Subcommands at the column pointer, and those that split and join lines. */
#include "xedit.h"

static int no_line(void)
{
    message("XSU", 521, 'E');
    return XE_EDGE;
}

int cfirst_subcommand(struct view *view, struct words *words)
{
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    view->column = view->s.zone_left;
    return 0;
}

int clast_subcommand(struct view *view, struct words *words)
{
    if (no_words_left(words) != 0)
        return XE_OPERAND;
    view->column = view->s.zone_right;
    return 0;
}

/* A string on the line, from the column pointer's neighbour on; in lines further on with SET STREAM ON. */
static bool find_column(struct view *view, struct target *target, u32 *line, u32 *column)
{
    struct pattern pattern;
    u32 at, length, here = view->current;

    if (!make_pattern(view, target->term[0].text, target->term[0].length, &pattern))
        return false;
    for (;;) {
        u32 from = view->s.zone_left - 1, to = view->s.zone_right;

        if (is_line(view, here)) {
            struct row *row = line_row(view, here);
            bool there;

            to = to < row->length ? to : row->length;
            if (here == view->current && target->up)
                to = to < view->column - 1 + pattern.length - 1 ? to : view->column + pattern.length - 2;
            else if (here == view->current)
                from = from > view->column ? from : view->column;
            there = from <= to && (target->up ? match_back(view, &pattern, row->text, from, to, &at, &length)
                                              : match_in(view, &pattern, row->text, from, to, &at, &length));
            if (there) {
                *line = here;
                *column = at + 1;
                view->found_line = here;
                view->found_from = at + 1;
                view->found_to = at + length;
                return true;
            }
        }
        if (!view->s.stream)
            return false;
        here = target->up ? line_before(view, here) : line_after(view, here);
        if (!is_line(view, here))
            return false;
    }
}

/* Where a column target is: `line` and `column`. 0, or a return code. */
static int column_target(struct view *view, struct words *words, bool optional, u32 *line, u32 *column)
{
    struct target target = { .kind = TARGET_RELATIVE, .number = 1 };
    const char *from;
    int code = 0;

    *line = view->current;
    if (words_left(words)) {
        from = words->at;
        if (!parse_target(words, &target, true) || words_left(words) || target.kind == TARGET_NAME || target.terms > 1)
            return bad_operand(from, (u32)(words->end - from));
    } else if (!optional) {
        return missing_operand();
    }
    if (target.kind == TARGET_STRING) {
        if (find_column(view, &target, line, column))
            return 0;
        message("XCL", 586, 'E');
        return XE_MISSING;
    }
    *column = target.kind == TARGET_LINE ? target.number
              : target.up                ? view->column - target.number
                                         : view->column + target.number;
    if (target.up && target.number >= view->column)
        *column = 0;
    if (target.all)
        *column = target.up ? 0 : view->s.zone_right + 1;
    if (*column < view->s.zone_left)
        *column = view->s.zone_left - 1, code = XE_EDGE;
    if (*column > view->s.zone_right)
        *column = view->s.zone_right + 1, code = XE_EDGE;
    return code;
}

int clocate_subcommand(struct view *view, struct words *words)
{
    u32 line, column;
    struct words text = *words;
    int code = column_target(view, words, false, &line, &column);

    if (code > XE_EDGE)
        return code;
    past_blanks(&text);
    editor->lastlorc_length = (u32)(text.end - text.at);
    memcpy(editor->lastlorc, text.at, editor->lastlorc_length);
    view->current = line;
    view->column = column;
    return code;
}

int cdelete_subcommand(struct view *view, struct words *words)
{
    u32 line, column, length, from = view->column, to;
    char *text;
    int code;

    if (!is_line(view, view->current))
        return no_line();
    code = column_target(view, words, true, &line, &column);
    if (code > XE_EDGE)
        return code;
    text = line_copy(view, view->current, &length);
    if (line != view->current)
        column = line > view->current ? length + 1 : view->s.zone_left;
    to = column > from ? column : from + 1;
    from = column > from ? from : column + 1;
    if (from < 1 || from > length)
        return 0;
    to = to > length + 1 ? length + 1 : to;
    memmove(text + from - 1, text + to - 1, length + 1 - to);
    length -= to - from;
    return store_line(view, view->current, text, length);
}

static int text_at(struct view *view, struct words *words, const char **from, u32 *given, char **line, u32 *length)
{
    text_operand(words);
    *from = editor->other;
    *given = (u32)(words->end - words->at);
    if (!is_line(view, view->current))
        return no_line();
    memcpy(editor->other, words->at, *given);
    fold_text(view, editor->other, *given);
    *line = line_copy(view, view->current, length);
    return view->column == 0 || view->column > view->file->s.truncation ? no_line() : 0;
}

int cinsert_subcommand(struct view *view, struct words *words)
{
    u32 given, length, at = view->column - 1;
    const char *from;
    char *line;
    int code = text_at(view, words, &from, &given, &line, &length);

    if (code != 0)
        return code;
    length = length > at ? length : at;
    if (length + given > editor->work_room)
        length = editor->work_room - given;
    memmove(line + at + given, line + at, length - at);
    memcpy(line + at, from, given);
    return store_line(view, view->current, line, length + given);
}

int creplace_subcommand(struct view *view, struct words *words)
{
    u32 given, length, at = view->column - 1;
    const char *from;
    char *line;
    int code = text_at(view, words, &from, &given, &line, &length);

    if (code != 0)
        return code;
    memcpy(line + at, from, given);
    return store_line(view, view->current, line, length > at + given ? length : at + given);
}

int coverlay_subcommand(struct view *view, struct words *words)
{
    u32 given, length, at = view->column - 1;
    const char *from;
    char *line;
    int code = text_at(view, words, &from, &given, &line, &length);

    if (code != 0)
        return code;
    for (u32 n = 0; n < given; n++)
        if (from[n] != ' ')
            line[at + n] = from[n] == '_' ? ' ' : from[n];
    return store_line(view, view->current, line, length > at + given ? length : at + given);
}

int cappend_subcommand(struct view *view, struct words *words)
{
    u32 given, length;
    const char *from;
    char *line;

    text_operand(words);
    from = words->at;
    given = (u32)(words->end - words->at);
    if (!is_line(view, view->current))
        return no_line();
    line = line_copy(view, view->current, &length);
    view->column = length + 1;
    memcpy(line + length, from, given);
    fold_text(view, line + length, given);
    return store_line(view, view->current, line, length + given);
}

/* Line and column of the file in a column of the screen, where a row shows this; false: not in the file. */
static bool place_in_shown(struct view *view, const struct shown *shown, u32 at, u32 *line, u32 *column)
{
    const struct logical *logical = &editor->logical[editor->active];
    u32 data;

    if (editor->typewriter || logical->view != view)
        return false;
    data = logical->left + (view->s.prefix != PREFIX_OFF && !view->s.prefix_right ? 6 : 0);
    if (shown->kind != SHOW_LINE || !is_line(view, shown->line) || at <= data ||
        at > data + data_width(view, logical->width))
        return false;
    *line = shown->line;
    *column = image_column(view, shown->offset + at - data - 1, NULL);
    return *column > 0;
}

/* Where in the file the cursor was with the latest key; what its row shows now may be another line. */
bool cursor_in_file(struct view *view, u32 *line, u32 *column)
{
    return place_in_shown(view, &editor->key_shown, editor->key_column, line, column);
}

/* Where in the file a row and column of the screen is. */
bool place_in_file(struct view *view, u32 row, u32 at, u32 *line, u32 *column)
{
    const struct logical *logical = &editor->logical[editor->active];

    return !editor->typewriter && row > logical->top && row <= logical->top + logical->lines &&
           place_in_shown(view, &logical->row[row - logical->top - 1], at, line, column);
}

/* Where a line is to be split or joined: at the column pointer, the cursor, or before or after a string. */
struct where_to { u32 line, column; bool aligned; };

static int place_operand(struct view *view, struct words *words, struct where_to *place)
{
    const char *word;
    u32 length, at, found;
    struct words here;
    bool after = false;

    place->line = view->current;
    place->column = view->column;
    place->aligned = false;
    here = *words;
    if (take_word(&here, &word, &length) && word_means(word, length, "ALIGNED", 2)) {
        place->aligned = true;
        *words = here;
    }
    here = *words;
    if (!take_word(&here, &word, &length) || word_means(word, length, "COLUMN", 1))
        return no_words_left(&here);
    if (word_means(word, length, "CURSOR", 3)) {
        if (!cursor_in_file(view, &place->line, &place->column)) {
            message("XSP", 561, 'E');
            return XE_TRUNCATED;
        }
        return no_words_left(&here);
    }
    if (number_word(word, length, &place->column) && place->column > 0)
        return no_words_left(&here);
    after = word_means(word, length, "AFTER", 2);
    if (after || word_means(word, length, "BEFORE", 2))
        *words = here;
    if (parse_string(words, &word, &length) != 0)
        return XE_OPERAND;
    if (is_line(view, place->line)) {
        struct pattern pattern;
        struct row *row = line_row(view, place->line);

        if (make_pattern(view, word, length, &pattern) &&
            match_in(view, &pattern, row->text, 0, row->length, &at, &found)) {
            place->column = at + 1 + (after ? found : 0);
            return no_words_left(words);
        }
    }
    message("XSP", 586, 'E');
    return XE_MISSING;
}

static int split_at(struct view *view, const struct where_to *place)
{
    u32 length, at = place->column - 1, indent = 0, after = place->line, rest;
    char *line;
    int code;

    if (!is_line(view, place->line) || place->column == 0 || place->column > view->file->s.width)
        return no_line();
    line = line_copy(view, place->line, &length);
    while (place->aligned && indent < length && line[indent] == ' ')
        indent++;
    at = at < length ? at : length;
    rest = length - at;
    memset(editor->other, ' ', indent);
    memcpy(editor->other + indent, line + at, rest);
    code = store_line(view, place->line, line, at);
    if (code == 0)
        code = store_new(view, &after, editor->other, indent + rest);
    /* The cursor's line may be above the current one, which stays that. */
    if (view->current > place->line)
        view->current += after - place->line;
    return code;
}

static int join_at(struct view *view, const struct where_to *place)
{
    u32 length, blanks = 0, more, at = place->column - 1;
    struct row *next;
    char *line;
    int code;

    if (!is_line(view, place->line) || !is_line(view, place->line + 1) || place->column == 0)
        return no_line();
    next = line_row(view, place->line + 1);
    more = next->length < view->file->s.truncation ? next->length : view->file->s.truncation;
    memcpy(editor->other, next->text, more);
    while (place->aligned && blanks < more && editor->other[blanks] == ' ')
        blanks++;
    more -= blanks;
    line = line_copy(view, place->line, &length);
    if (at > editor->work_room)
        return no_line();
    if (at + more > editor->work_room)
        more = editor->work_room - at;
    /* Nothing is lost: what does not fit stays on the next line. */
    if (at + more > view->file->s.truncation) {
        u32 keep = view->file->s.truncation > at ? view->file->s.truncation - at : 0;

        if (view->s.spill == SPILL_OFF) {
            memcpy(line + at, editor->other + blanks, keep);
            code = store_line(view, place->line, line, at + keep);
            if (code == 0)
                code = store_line(view, place->line + 1, editor->other + blanks + keep, more - keep);
            return code != 0 ? code : XE_TRUNCATED;
        }
    }
    memcpy(line + at, editor->other + blanks, more);
    delete_lines(view, place->line + 1, 1, false);
    view->current -= view->current > place->line + 1;
    return store_line(view, place->line, line, at + more > length ? at + more : length);
}

int split_subcommand(struct view *view, struct words *words)
{
    struct where_to place;
    int code = place_operand(view, words, &place);

    return code != 0 ? code : split_at(view, &place);
}

/* Strings between lines are put after the first one's end. */
int join_subcommand(struct view *view, struct words *words)
{
    struct where_to place;
    struct words here = *words;
    const char *word;
    u32 length;
    int code;

    (void)take_word(&here, &word, &length);
    if (word_means(word, length, "ALIGNED", 2))
        past_blanks(&here);
    else
        here = *words, past_blanks(&here);
    if (here.at < here.end && is_special(*here.at)) {
        struct where_to end = { view->current, 1, word_means(word, length, "ALIGNED", 2) };
        u32 had;

        code = parse_string(&here, &word, &length);
        if (code == 0)
            code = no_words_left(&here);
        if (code != 0)
            return code;
        if (!is_line(view, view->current) || !is_line(view, view->current + 1))
            return no_line();
        char *line = line_copy(view, view->current, &had);

        memcpy(line + had, word, length);
        code = store_line(view, view->current, line, had + length);
        end.column = had + length + 1;
        return code != 0 ? code : join_at(view, &end);
    }
    code = place_operand(view, words, &place);
    return code != 0 ? code : join_at(view, &place);
}

/* At the cursor: what is after it goes to a line of its own; after the end of the line the next one comes to it. */
int spltjoin_subcommand(struct view *view, struct words *words)
{
    struct where_to place = { .aligned = true };

    if (no_words_left(words) != 0)
        return XE_OPERAND;
    if (!cursor_in_file(view, &place.line, &place.column)) {
        message("XSP", 561, 'E');
        return XE_TRUNCATED;
    }
    return place.column <= line_row(view, place.line)->length ? split_at(view, &place) : join_at(view, &place);
}
