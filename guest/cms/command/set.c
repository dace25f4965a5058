/*
 * SET: how CMS behaves; what it does not know is CP's.
 *
 * Most of it is switches, which QUERY shows by the same table. IMESCAPE is of full screens, REDTYPE and BLIP of
 * typewriters: they are kept and told for programs that ask.
 */
#include "command.h"
#include "../nucleus/segment.h"

const struct setting switches[] = {
    { "ABBREV", 3, &settings.abbrev, "ON", "OFF" }, { "AUTOREAD", 4, &settings.autoread, "ON", "OFF" },
    { "EXECTRAC", 5, &settings.exectrac, "ON", "OFF" }, { "FULLREAD", 5, &settings.fullread, "ON", "OFF" },
    { "IMPCP", 4, &settings.impcp, "ON", "OFF" }, { "IMPEX", 4, &settings.impex, "ON", "OFF" },
    { "INSTSEG", 4, &settings.instseg, "ON", "OFF" }, { "KEYPROT", 4, &settings.keyprotect, "ON", "OFF" },
    { "PROTECT", 4, &settings.protect, "ON", "OFF" }, { "RDYMSG", 3, &settings.short_ready, "SMSG", "LMSG" },
    { "REDTYPE", 3, &settings.redtype, "ON", "OFF" }, { "RELPAGE", 3, &settings.relpage, "ON", "OFF" },
    { "REMOTE", 3, &settings.remote, "ON", "OFF" }, { "STORECLR", 6, &settings.clear_each_call, "ENDSVC", "ENDCMD" },
    { "TRANSLATE", 4, &settings.translate, "ON", "OFF" },
};
const u32 switch_count = COUNT_OF(switches);

static int bad(u32 number, const name word)
{
    message("SET", number, number == 142 ? 'S' : 'E', word);
    return RC_SYNTAX;
}

/* Word `n` of the line as it was typed; 0: there is none. */
static u32 typed_word(const struct call *call, u32 n, const char **word)
{
    const char *at = call->line;
    u32 length = 0;

    for (u32 k = 0; k <= n; k++) {
        at += length;
        while (at < call->end && *at == ' ')
            at++;
        for (length = 0; at + length < call->end && at[length] != ' ';)
            length++;
    }
    *word = at;
    return length;
}

/* SET INPUT a xx, SET OUTPUT xx a: a character and a code; neither: none is translated. */
static int set_table(const struct call *call, u32 words, bool input)
{
    const char *first, *second;
    u32 one = typed_word(call, 2, &first), other = typed_word(call, 3, &second), code;

    if (words == 2) {
        console_translate_none(input);
        return 0;
    }
    if (words == 3)
        return bad(50, call->token[2]);
    if (words > 4)
        return bad(70, call->token[4]);
    /* The line of SET INPUT has been translated itself. */
    if (input ? one != 1 && !(one == 2 && parse_hex(first, 2, &code)) : one != 2 || !parse_hex(first, one, &code))
        return bad(70, call->token[2]);
    if (input ? other != 2 || !parse_hex(second, other, &code) : other != 1)
        return bad(70, call->token[3]);
    if (input) {
        u32 from = (u8)first[0];

        if (one == 2)
            (void)parse_hex(first, 2, &from);
        console_translate(true, (u8)from, (u8)code);
    } else {
        console_translate(false, (u8)code, (u8)second[0]);
    }
    return 0;
}

static int set_input(const struct call *call, u32 words) { return set_table(call, words, true); }
static int set_output(const struct call *call, u32 words) { return set_table(call, words, false); }

/* SET BLIP characters [count]: told, and not typed, as on displays. */
static int set_blip(const struct call *call, u32 words)
{
    const char *word;
    u32 length, count = 1;

    if (words < 3)
        return bad(50, call->token[1]);
    if (words > 4)
        return bad(70, call->token[4]);
    length = typed_word(call, 2, &word);
    if (length > 8 || (words > 3 && (!parse_number(call->token[3], name_length(call->token[3]), &count) || count == 0 ||
                                     count > 8)))
        return bad(70, call->token[words > 3 ? 3 : 2]);
    memset(settings.blip, 0, sizeof settings.blip);
    if (is(call->token[2], "ON"))
        memcpy(settings.blip, "ON", 2);
    else if (is(call->token[2], "OFF"))
        memcpy(settings.blip, "OFF", 3);
    else
        memcpy(settings.blip, word, length);
    return 0;
}

/* SET LDRTBLS pages: the loader's tables grow as they must here; the number is kept. */
static int set_loader_tables(const struct call *call, u32 words)
{
    u32 pages;

    if (words < 3)
        return bad(50, call->token[1]);
    if (words > 3 || !parse_number(call->token[2], name_length(call->token[2]), &pages) || pages == 0 || pages > 128)
        return bad(70, call->token[words > 3 ? 3 : 2]);
    settings.loader_tables = pages;
    return 0;
}

/* SET NONDISP c */
static int set_nondisplay(const struct call *call, u32 words)
{
    const char *word;

    if (words < 3)
        return bad(50, call->token[1]);
    if (words > 3 || typed_word(call, 2, &word) != 1)
        return bad(70, call->token[words > 3 ? 3 : 2]);
    settings.nondisplay = *word;
    return 0;
}

/* SET IMESCAPE ON [c] | OFF */
static int set_escape(const struct call *call, u32 words)
{
    const char *word;

    if (words < 3)
        return bad(50, call->token[1]);
    if (!is(call->token[2], "ON") && (!is(call->token[2], "OFF") || words > 3))
        return bad(70, call->token[is(call->token[2], "OFF") ? 3 : 2]);
    if (words > 4 || (words == 4 && typed_word(call, 3, &word) != 1))
        return bad(70, call->token[words > 4 ? 4 : 3]);
    settings.escaping = is(call->token[2], "ON");
    if (words == 4)
        settings.escape = *word;
    return 0;
}

/* The installation segment becomes this one. */
static int install(const name wanted)
{
    const char *segment = segment_assigned(wanted);

    return segment_problem("SET", installation_load(segment), segment);
}

/* SET INSTSEG ON [segment] | OFF */
static int set_installation(const struct call *call, u32 words)
{
    bool on = words > 2 && is(call->token[2], "ON");
    int code;

    if (words < 3)
        return bad(50, call->token[1]);
    if (!on && !is(call->token[2], "OFF"))
        return bad(70, call->token[2]);
    if (words > (on ? 4 : 3))
        return bad(70, call->token[on ? 4 : 3]);
    code = words > 3 ? install(call->token[3]) : 0;
    if (code == 0)
        settings.instseg = on;
    return code;
}

/* SET SYSNAME CMSINST segment: the only saved segment that CMS itself uses. */
static int set_system_name(const struct call *call, u32 words)
{
    if (words < 4)
        return bad(50, call->token[words - 1]);
    if (words > 4)
        return bad(70, call->token[4]);
    return is(call->token[2], "CMSINST") ? install(call->token[3]) : bad(142, call->token[2]);
}

static int set_typing(const struct call *call, u32 words)
{
    if (words < 3)
        return bad(50, call->token[1]);
    if (words > 3 || (!is(call->token[2], "HT") && !is(call->token[2], "RT")))
        return bad(70, call->token[words > 3 ? 3 : 2]);
    halt_typing(is(call->token[2], "HT"));
    return 0;
}

static const struct { const char *word; u32 least; int (*perform)(const struct call *call, u32 words); } others[] = {
    { "CMSTYPE", 4, set_typing }, { "INPUT", 3, set_input }, { "OUTPUT", 3, set_output }, { "BLIP", 2, set_blip },
    { "LDRTBLS", 3, set_loader_tables }, { "NONDISP", 4, set_nondisplay }, { "IMESCAPE", 4, set_escape },
    { "LANGUAGE", 4, set_language }, { "INSTSEG", 4, set_installation }, { "SYSNAME", 4, set_system_name },
    { "BORDER", 3, set_windows }, { "CMSPF", 5, set_windows }, { "FULLSCREEN", 5, set_windows },
    { "LINEND", 5, set_windows }, { "LOCATION", 3, set_windows }, { "LOGFILE", 4, set_windows },
    { "RESERVED", 3, set_windows }, { "VSCREEN", 3, set_windows }, { "WINDOW", 3, set_windows },
    { "WMPF", 4, set_windows }, { "CHARMODE", 4, set_windows },
};

int set_command(const struct call *call)
{
    u32 words = operands(call);
    int code;

    if (words < 2) {
        message("SET", 47, 'E');
        return RC_SYNTAX;
    }
    for (u32 n = 0; n < COUNT_OF(others); n++)
        if (abbreviates(call->token[1], others[n].word, others[n].least))
            return others[n].perform(call, words);
    for (u32 n = 0; n < COUNT_OF(switches); n++) {
        const struct setting *set = &switches[n];
        u32 least = set->value == &settings.short_ready ? 1 : set->value == &settings.clear_each_call ? 4 : 2;
        bool yes;

        if (!abbreviates(call->token[1], set->word, set->least))
            continue;
        if (words < 3)
            return bad(50, call->token[1]);
        yes = abbreviates(call->token[2], set->yes, least);
        if (!yes && !abbreviates(call->token[2], set->no, least))
            return bad(70, call->token[2]);
        /* TRANSLATE's may be said of some only: there are none but CMS's own. */
        if (words > 3 && !(set->value == &settings.translate && words == 4 &&
                           (is(call->token[3], "SYSTEM") || is(call->token[3], "USER") || is(call->token[3], "ALL"))))
            return bad(70, call->token[3]);
        *set->value = yes;
        return 0;
    }
    if (is_absent(call->token[1], true))
        return set_absent(call, words);
    code = cp_typed(call->line, (u32)(call->end - call->line));
    return code == 1 ? (message("SET", 14, 'E', call->token[1]), code) : code;
}
