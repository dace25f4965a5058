/* What the filters and the selecting stages have in common; each function is in the file that is named. */
#ifndef FILTERS_H
#define FILTERS_H

#include "pipe.h"

/* A record that is made piece by piece (line.c). */
struct line { struct stage *stage; struct buffer buffer; u32 length; };
void line_add(struct line *line, const char *at, u32 length);
void line_text(struct line *line, struct text text);
void line_byte(struct line *line, char c);
void line_fill(struct line *line, char c, u32 count);
char *line_more(struct line *line, u32 length);          /* so many bytes more, which the caller fills */
int line_write(struct line *line);                       /* to output 0; the line is empty then */

/* Records that are kept, in order (line.c). */
struct kept_record { struct kept_record *next; u32 length; char at[]; };
struct kept { struct kept_record *first, **last; u32 count; };
void keep(struct stage *s, struct kept *kept, struct text record);
struct text oldest(const struct kept *kept);
void forget_oldest(struct stage *s, struct kept *kept);

/* Records that are kept until the stage ends: many of them lie in one block (line.c). */
struct store { char *at; u32 left; };
char *store_room(struct stage *s, struct store *store, u32 length);
struct text store_record(struct stage *s, struct store *store, struct text record);

/*
 * To output `stream`, if there is one. END_OF_FILE: no stage reads any output, so this one may end (line.c).
 */
int pass(struct stage *s, u32 stream, struct text record);
int pass_rest(struct stage *s, u32 stream);              /* all that still comes; the return code of the stage */
bool is_unread(const struct stage *s);

/*
 * Each record, while it is not yet consumed; a function that returns END_OF_FILE, or an error, ends the stage (line.c).
 */
typedef int record_function(struct stage *s, void *with, struct text record);
int each_record(struct stage *s, record_function *perform, void *with);

/* Words of arguments (line.c). */
int not_valid(struct stage *s, struct text word);        /* 111E */
int not_valid_next(struct stage *s, struct text rest);   /* the same of the next word; 113E if there is none */
int next_count(struct stage *s, struct text *rest, u32 least, u32 *count);     /* a number, or * for ALL_OF_THEM */
enum { ALL_OF_THEM = 0x7fffffff };
bool is_count_next(struct text rest);
bool next_anycase(struct text *rest);
bool is_number_next(struct text rest);

/* Texts in texts (line.c). */
bool same(const char *a, const char *b, u32 length, bool anycase);
bool begins(struct text text, struct text with, bool anycase);
bool find_in(struct text text, struct text what, u32 from, bool anycase, u32 *at);

/* What STRIP, CHOP, SPLIT and others look for: one of `count` characters, or a string (target.c). */
struct target { bool inverted, anycase, is_set; u8 set[32]; u32 count; char latest; struct text string; };
/* [NOT] [BLANK | ANYOF /s/ | STRING /s/ | c | c-c]; nothing: blanks. */
int next_target(struct stage *s, struct text *rest, struct target *target);
/* How many characters there are one; 0: it is none. */
u32 target_at(const struct target *target, struct text text, u32 at);
/* Whether one ends there; then where it begins. */
bool target_before(const struct target *target, struct text text, u32 *end);
bool find_target(const struct target *target, struct text text, u32 from, u32 *at, u32 *length);
int next_characters(struct stage *s, struct text *rest, u8 *first, u8 *last);  /* c or c-c */

/* Keys: what SORT and its kin compare (keys.c). */
struct key { struct range range; bool descending; };
struct keys { bool padded, anycase; char pad; u32 count; struct key key[RANGES_MOST]; };
/* [NOPAD|PAD c] [ANYCASE] [ranges]; `ordered`: A and D too. */
int next_keys(struct stage *s, struct text *rest, struct keys *keys, bool ordered);
int next_padding(struct stage *s, struct text *rest, struct keys *keys);       /* only the options */
int compare_keys(const struct keys *keys, struct text a, struct text b);
int compare_texts(const struct keys *keys, struct text a, struct text b);
int compare_by(const struct keys *a_keys, struct text a, const struct keys *b_keys, struct text b);

/* Records that are sorted (keys.c). */
struct sorted { struct text record, key; u32 count; };
struct sorting { struct stage *stage; const struct keys *keys; struct sorted *at; u32 count, room; struct store store;
                 };
void sorting_add(struct sorting *sorting, struct text record);
void sort_all(struct sorting *sorting);

/* The ten columns of a count (keys.c). */
enum { COUNT_COLUMNS = 10 };
int pass_counted(struct stage *s, u32 stream, struct line *line, u32 count, struct text record);

/* SPECS' conversions, and decimal numbers (convert.c). */
struct conversion { char from, to; u32 decimals; };
bool conversion_of(const char *word, u32 length, struct conversion *conversion);
bool convert(const struct conversion *conversion, const char *text, u32 length, struct line *between, struct line *to);
bool compare_numbers(struct text a, struct text b, int *order);   /* false: one is no number */

/* The stages, by file. */
stage_function locate_stage, nlocate_stage, find_stage, nfind_stage, strfind_stage, strnfind_stage,
    take_stage, drop_stage, between_stage, inside_stage, outside_stage, notinside_stage,
    frlabel_stage, tolabel_stage, whilelabel_stage, strfrlabel_stage, strtolabel_stage,
    strwhilelabel_stage, verify_stage, wildcard_stage;   /* select.c */
/* XEDIT's pattern: a blank is any character, an underscore a blank (select.c). */
bool fits_pattern(struct text record, struct text pattern);
stage_function asmfind_stage, asmnfind_stage, strasmfind_stage, strasmnfind_stage, asmcont_stage,
    asmxpnd_stage;                                       /* assembly.c */
stage_function combine_stage, spill_stage, parcel_stage; /* runs.c */
stage_function encode64_stage, decode64_stage;           /* base64.c */
stage_function pick_stage, all_stage;                    /* pick.c */
stage_function unique_stage, sort_stage, merge_stage, collate_stage, lookup_stage;  /* sort.c */
stage_function strip_stage, chop_stage, pad_stage, xlate_stage, reverse_stage, change_stage,
    escape_stage, vchar_stage;                           /* columns.c */
stage_function split_stage, join_stage, joincont_stage, tokenize_stage, duplicate_stage,
    snake_stage;                                         /* split.c */
stage_function count_stage, timestamp_stage, aggrc_stage; /* count.c */
stage_function untab_stage, retab_stage, asatomc_stage, mctoasa_stage, overstr_stage;  /* print.c */
stage_function block_stage, deblock_stage, fblock_stage; /* block.c */
stage_function pack_stage, unpack_stage;                 /* packing.c */
stage_function instore_stage, outstore_stage, append_stage, preface_stage, not_stage, if_stage, casei_stage,
    eofback_stage, frtarget_stage, totarget_stage, target_out_stage, zone_stage, zone_in_stage,
    zone_out_stage;                                      /* within.c */
stage_function fanin_stage, faninany_stage, fanout_stage, gate_stage, predselect_stage, deal_stage,
    gather_stage, synchronise_stage, juxtapose_stage, overlay_stage, buffer_stage, copy_stage,
    elastic_stage, fillup_stage, noeofback_stage;        /* streams.c */
/* STOP ALLEOF, ANYEOF or n: how many streams may end; 0: all (streams.c). */
int next_stops(struct stage *s, struct text *rest, u32 *stop);
stage_function dateconvert_stage;                        /* dates.c */
stage_function update_stage;                             /* changes.c */
stage_function insert_stage, space_stage, substring_stage, xrange_stage, random_stage;   /* make.c */
stage_function specs_stage;                              /* specs.c */

#endif
