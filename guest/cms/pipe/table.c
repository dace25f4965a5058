/*
 * The table of stages that know nothing of CMS: name, shortest form, function, where it may stand, syntax and what HELP
 * says. Of two that one abbreviation could mean the first is taken. A row without help is another name of one that has
 * it. drivers.c has those that work with CMS.
 */
#include "internal.h"
#include "stages.h"

const struct stage_kind stages[] = {
    { "CONSOLE", 4, console_stage, ANYWHERE, "CONSole [EOF /string/ | NOEOF] [ASYNChronously]",
      "First in a pipeline: reads lines from the terminal until a null line, or the one that EOF says; ASYNCHRONOUSLY "
      "those that are typed while other stages work. Elsewhere: types its input and passes it on.", 0 },
    { "HOLE", 4, hole_stage, ANYWHERE, "HOLE", "Reads its input and writes nothing.", 0 },
    { "LITERAL", 7, literal_stage, ANYWHERE, "LITERAL [string]",
      "Writes the string, then its input. One blank after the name is dropped.", 0 },
    { "PIPESTOP", 8, pipestop_stage, NOT_FIRST, "PIPESTOP",
      "When a record comes, stages that wait for a time, a message or a command end, and such as would wait. Passes "
      "its input on.", 0 },
    { "STRLITERAL", 6, strliteral_stage, ANYWHERE, "STRLITeral [APPend | PREFace] [CONDitional] /string/",
      "Writes the string before its input, or after it with APPEND; CONDITIONAL: only if there is any input.", 0 },
    { "TERMINAL", 4, console_stage, ANYWHERE, NULL, NULL, 0 },
};
const u32 stage_count = COUNT_OF(stages);

const struct stage_table stage_tables[STAGE_TABLES] = { { stages, &stage_count }, { filters, &filter_count },
                                                        { drivers, &driver_count } };

/* Names of more than one letter have no abbreviation of one. */
static u32 bucket_of(char first, char second) { return ((u8)first * 9u + (u8)second) % BUCKETS; }

static void make_index(struct stage_index *index, const struct stage_table *table)
{
    u32 count = *table->count < STAGES_MOST ? *table->count : (u32)STAGES_MOST;

    for (u32 n = count; n > 0; n--) {
        const char *name = table->rows[n - 1].name;
        u8 *first = &index->first[bucket_of(name[0], name[1])];

        index->next[n - 1] = *first;
        *first = (u8)n;
    }
    index->made = true;
}

const struct stage_kind *stage_named(struct text verb)
{
    u32 bucket = bucket_of(verb.length > 0 ? upper(*verb.at) : 0, verb.length > 1 ? upper(verb.at[1]) : 0);

    for (u32 t = 0; t < STAGE_TABLES; t++) {
        const struct stage_kind *rows = stage_tables[t].rows;
        struct stage_index *index = &stage_index[t];

        if (!index->made)
            make_index(index, &stage_tables[t]);
        for (u32 n = index->first[bucket]; n != 0; n = index->next[n - 1])
            if (is_word(verb, rows[n - 1].name, rows[n - 1].least))
                return &rows[n - 1];
        for (u32 n = STAGES_MOST; n < *stage_tables[t].count; n++)
            if (is_word(verb, rows[n].name, rows[n].least))
                return &rows[n];
    }
    return NULL;
}

/* Stages of CMS Pipelines that are not built here (docs/pipelines.md says why). */
static const char left_out[] =
    "3270BFRA 3270ENC 3277BFRA 3277ENC ACIGROUP ADRSPACE AFTFST ALSERV APLDECODE APLENCODE BEAT BFS BFSDIRECTORY "
    "BFSQUERY BFSREPLACE BFSSTATE BFSXECUTE BROWSE BUILDSCR C14TO38 CIPHER CKDDEBLOCK CONFIGURE CRC DAM DEVINFO "
    "DFSORT DIGEST FILETOKEN FITTING FMTFST FULLSCR FULLSCRQ FULLSCRS GREG2SEC HFS HFSDIRECTORY HFSQUERY HFSREPLACE "
    "HFSSTATE HFSXECUTE HLASM HLASMERR HOSTBYADDR HTTPSPLIT IEBCOPY INTERLEAVE ISPF JEREMY LDRTBLS LISTCAT LISTDSI "
    "LISTISPF MACLIB MAPMDISK MDISKBLK MQSC NUCEXT OPTCDJ PAUSE POLISH QSAM READPDS SCM SEC2GREG SFSBACK "
    "SFSDIRECTORY SFSRANDOM SFSUPDATE SQL SQLCODES SQLSELECT STARMONITOR STARSYS STRUCTURE STSI SYSDSN SYSOUT SYSVAR "
    "TCPCKSUM THREEWAY TRACKBLOCK TRACKDEBLOCK TRACKREAD TRACKSQUISH TRACKVERIFY TRACKWRITE TRACKXPAND TRFREAD "
    "URLDEBLOCK UTF VARSET VMCLIENT WAITDEV WARP WARPLIST WRITEPDS XAB XMSG XPNDHI ";

bool stage_is_left_out(struct text verb)
{
    struct text rest = { left_out, sizeof left_out - 1 }, word;
    char name[16];

    while (verb.length < sizeof name && next_word(&rest, &word)) {
        memcpy(name, word.at, word.length);
        name[word.length] = 0;
        if (is_word(verb, name, word.length))
            return true;
    }
    return false;
}

bool stage_is_first(const struct stage *s) { return s->first; }
