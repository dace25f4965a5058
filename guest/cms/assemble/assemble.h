/*
 * The assembler: source statements in, an object deck and a listing out.
 *
 * Pass 1 (pass1.c) takes the source one statement after the other, with what COPY and macros make of it, gives each its
 * place and every symbol its value, and keeps the statements. Pass 2 (pass2.c) makes object code of them
 * (instruction.c, constant.c), cards (object.c) and the listing (listing.c). Between the two only the sections' origins
 * are settled.
 *
 * Operation codes are a table made of the processor's own (opcodes.h). The folder knows no files: what it wants of its
 * surroundings is declared at the end. It compiles on any host whose C compiler has EBCDIC as execution character set.
 * The language: "High Level Assembler: Language Reference", as far as it is that of Assembler H.
 */
#ifndef ASSEMBLE_H
#define ASSEMBLE_H

#include "../nucleus/cms.h"

/* Text somewhere: never ended by a zero. */
struct text { const char *at; u32 length; };

/* Lines of a source: of the file, a member of a library, a macro. */
struct lines { struct text *line; u32 count, room; };

/* Where a text is being read. */
struct scan { const char *at, *end; };

enum { SYMBOL_MOST = 63, NESTED_MOST = 40, TERMS_MOST = 8, CARD = 80, LOCATION_MOST = 0xffffff, LINE = 121 };

/* What was wrong with a statement: the text of the message, and a severity of 0 to 16. */
struct diagnostic { struct diagnostic *next; u32 number; u32 severity; struct text text; };

/* A control section, or what stands for one: a dummy section, a common area, an external symbol. */
enum { MODE_24 = 0x01, MODE_31 = 0x02, MODE_ANY = 0x03, RESIDENCE_ANY = 0x04 };
enum section_kind { SECTION_CONTROL, SECTION_PRIVATE, SECTION_COMMON, SECTION_DUMMY, SECTION_EXTERNAL, SECTION_WEAK };
struct section {
    struct text name;
    enum section_kind kind;
    u32 esdid, origin, location, length;
    u8 modes;                           /* as an ESD item has them */
    bool amode, rmode;                  /* they were said */
};

/* A symbol of the program. */
struct reference { struct reference *next; u32 statement; };
struct symbol {
    struct symbol *chain;
    struct text name;
    /* `external_only`: of V-type constants, no symbol of the program. */
    bool defined, relocatable, entry, external_only;
    u8 kind;                            /* T' */
    u32 section;                        /* of relocatable ones */
    int value;
    u32 length;                         /* L' */
    u32 statement;                      /* where it is defined */
    struct reference *first, *last;
};

/* The value of an expression: a number, and how often it has the address of which sections in it. */
struct value {
    int number;
    u32 terms;
    struct { u32 section; int count; } term[TERMS_MOST];
    u32 length;                         /* L' of its first term */
    bool undefined;                     /* a symbol was not defined; that has been said */
};
static inline bool absolute(const struct value *value) { return value->terms == 0; }

/* An operation: a machine instruction, one of the assembler's, or a macro. */
struct opcode { const char *name; u16 code; u8 format, operands; };
struct macro;
struct operation {
    struct operation *chain;
    struct text name;
    enum operation_kind { OPERATION_MACHINE, OPERATION_ASSEMBLER, OPERATION_MACRO, OPERATION_NONE } kind;
    struct opcode opcode;
    int mask;                           /* of extended mnemonics; -1: none */
    const struct directive *directive;
    struct macro *macro;
};

/* A statement, as pass 2 gets it. */
struct statement {
    struct statement *next;
    struct text name, op, operands;
    const struct operation *operation;  /* NULL: a comment, or nothing that is to be done */
    const struct text *image;           /* the records it was read from; NULL: it was generated */
    u32 images, number, depth;          /* `depth`: of macros that made it */
    u32 section, location, length, pool;
    bool sized;                         /* it has a location that the listing shows */
    bool silent;                        /* the listing never shows it */
    int value;                          /* EQU: what the listing shows */
    bool valued;
    struct diagnostic *diagnostics;
};

/* A literal: of which pool, where. */
struct literal { struct literal *chain, *next; struct text text; u32 pool, section, location, length, align, statement;
                 bool own; };

/* One operand of DC, DS or a literal. */
struct constant {
    u32 duplication, length, align;
    u8 kind, suffix;                    /* F, and D of FD */
    bool has_length, has_nominal;
    int scale, exponent;
    struct text nominal;                /* between apostrophes or parentheses */
    u32 count;                          /* constants in it */
};

struct assembly_options {
    bool deck, object, list, xref, xref_full, esd, rld, term, align;
    u32 lines;                          /* of a page */
    u32 flag;                           /* severities below it are not flagged */
    struct text sysparm;
    char date[9], time[9];              /* MM/DD/YY, HH:MM:SS */
    struct text name;                   /* of the source, for headings */
};

/* A text that is made. */
struct buffer { char *at; u32 length, room; };

/* Where statements come from: the source, what COPY named, a macro that is being expanded. */
struct call_of_macro;
struct level { struct level *below; const struct lines *text; u32 at; struct call_of_macro *call; bool copied;
               struct buffer scratch; };

struct assembly {
    const struct assembly_options *options;
    struct level *level;
    struct statement *first, *last, *current;
    u32 statements, flagged, worst;
    bool second, ended;                 /* pass 2; END was read */
    struct section *section;
    u32 sections, section_room, in, pool;   /* `in`: the current section, 0: none yet */
    int location;                       /* what * means, in that section */
    u32 begin, end, resume;             /* columns: ICTL */
    struct call_of_macro *open;         /* the variables of what is no macro */
    struct statement *end_statement;
    struct text title, deck_name;
    bool has_csect;
    u32 sysndx;
};

/* pass2.c */
extern struct assembly assembly;

/* memory.c: storage that stays until the assembly ends. */
void *arena(size_t size);
char *keep_text(const char *text, u32 length);
struct text kept(struct text text);
struct text folded(struct text text);                    /* kept, in upper case */
bool same_text(struct text a, struct text b);            /* but for case */
bool text_is(struct text text, const char *word);
void *more_room(void *table, u32 count, u32 *room, u32 size);   /* for one more */
void lines_add(struct lines *lines, const char *record, u32 length);
u32 hash_of(struct text text);
void memory_begin(void);
void memory_forget(void);

void append(struct buffer *buffer, const char *text, u32 length);
void append_char(struct buffer *buffer, char c);

/* field.c: characters and fields. */
bool is_symbol_letter(char c);                           /* A to Z, @ # $ _ */
bool is_symbol_char(char c);
bool scan_symbol(struct scan *scan, struct text *symbol);
bool is_symbol(struct text text);
bool attribute_here(const char *start, const char *at, const char *end);   /* the apostrophe at `at` is one of L'X */
struct text field_of(struct scan *scan, bool blanks_in_parentheses);       /* up to a blank that is in no quotes */
bool closing(struct scan *scan);              /* steps over a closing parenthesis, or says that there is none */
/* Up to a comma that is in neither quotes nor parentheses. */
bool next_operand(struct scan *scan, struct text *operand);
struct text trimmed(struct text text);
static inline struct scan scan_of(struct text text) { return (struct scan){ text.at, text.at + text.length }; }
static inline struct text text_of(const char *text) { return (struct text){ text, (u32)strlen(text) }; }

/* diagnose.c */
enum { NOTE = 0, WARNING = 4, ERROR = 8, SEVERE = 12 };
void flag(u32 number, u32 severity, ...);   /* the current statement; numbers are those of help/messages.txt */
void flag_text(u32 number, u32 severity, struct text text);

/* source.c: statements of records. */
struct record { struct text name, op, operands; const struct text *image; u32 images; bool comment; };
bool next_record(struct level *level, struct record *record);

/* symbol.c */
void symbols_begin(void);
struct symbol *symbol_find(struct text name);
struct symbol *symbol_get(struct text name);
/* NULL: it was defined. */
struct symbol *symbol_define(struct text name, bool relocatable, int value, u32 length, u8 kind);
void symbol_refer(struct symbol *symbol);
struct symbol **symbols_sorted(u32 *count);
u32 section_new(struct text name, enum section_kind kind);
u32 section_of(struct text name);                        /* 0: there is none */
u32 section_external(struct text name, enum section_kind kind);
void section_leave(void);
void section_enter(u32 number);
u32 need_section(void);
void sections_settle(void);
void go_to(u32 location);
void advance(u32 length);
u32 align_to(u32 boundary);

/* expression.c */
bool evaluate(struct scan *scan, struct value *value);
bool evaluate_absolute(struct scan *scan, int *number);  /* says what is wrong if it is not */
bool evaluate_all(struct text text, struct value *value);
bool evaluate_number(struct text text, int *number);     /* the same, and absolute */
bool evaluate_place(struct text text, struct value *value);   /* the same, and absolute or an address in one section */
int of_two(char operator, int a, int b);                 /* + - * / as expressions have them */
bool self_defining(struct scan *scan, int *number);
void expressions_begin(void);
void value_add(struct value *to, const struct value *more, int sign);

/* constant.c: DC and DS. */
bool constant_scan(struct scan *scan, struct constant *constant, bool storage_only);
u32 constant_size(const struct constant *constant);      /* all of it */
void constant_names(const struct constant *constant);    /* pass 1: of V, the deck must name what is elsewhere */
void constant_generate(const struct constant *constant); /* its bytes */

/* number.c */
bool number_fixed(struct text text, int scale, int exponent, u32 length, u8 *to);
bool number_hexadecimal(struct text text, int exponent, u32 length, u8 *to);
bool number_binary(struct text text, int exponent, u32 length, u8 *to);
bool number_packed(struct text text, u32 length, u8 *to, bool zoned, u32 *needed);

/* constant.c */
u8 constant_type(struct text operands, u32 *length);     /* T' and L' of what DC or DS makes */

/* literal.c */
void literals_begin(void);
void literal_use(struct text text);
const struct literal *literal_find(struct text text, u32 pool);
void literals_place(void);

/* operation.c */
void operations_begin(void);
struct operation *operation_find(struct text name);
struct operation *operation_known(struct text name);     /* without looking into libraries */
struct operation *operation_own(const char *name);
void operation_set(struct text name, const struct operation *what);
bool opcode_find(struct text name, struct opcode *opcode, int *mask);
u32 opcode_length(const struct opcode *opcode);

/* instruction.c */
void instruction_first(struct statement *statement);
void instruction_second(struct statement *statement);

/* base.c */
void bases_begin(void);
bool base_for(const struct value *value, bool twenty_bits, u32 *base, int *displacement);
void using_statement(struct statement *statement);
void drop_statement(struct statement *statement);
void bases_push(void);
void bases_pop(void);

/* directive.c: the assembler's own operations. */
struct directive {
    const char *name;
    void (*first)(struct statement *statement);          /* NULL: nothing in that pass */
    void (*second)(struct statement *statement);
    enum directive_kind { DIRECTIVE_PLAIN, DIRECTIVE_CONDITIONAL } kind;
    void (*conditional)(const struct record *record);
};
extern const struct directive directives[];
extern const u32 directive_count;
void label_here(struct statement *statement, u32 length, u8 kind);

/* conditional.c */
void attributes_of(struct text symbol, u8 *kind, u32 *length);   /* lookahead too */

/* conditional.c: conditional assembly and macros. */
void conditional_assign(const struct record *record);
void conditional_declare(const struct record *record);
void conditional_branch(const struct record *record);
void conditional_actr(const struct record *record);
void conditional_anop(const struct record *record);
void conditional_mexit(const struct record *record);     /* macro.c */
void conditional_mnote(const struct record *record);

/* macro.c */
void macro_define(const struct record *record);
bool macro_library(struct text name);
void macro_call(struct macro *macro, struct text name, struct text operands);
void macro_end(void);

/* variable.c */
void variables_begin(void);
bool substitute(struct text text, struct text *result);

/* pass1.c */
void pass1(const struct lines *source);
struct statement *add_statement(struct text name, struct text op, struct text operands, const struct record *record);
void perform_first(struct statement *statement);

/* pass2.c */
void pass2(void);

/* object.c */
void object_begin(void);
void object_put(const u8 *bytes, u32 length);            /* at the location, which goes on */
/* An address constant of that section is about to be put. */
void object_address(u32 section, bool negative, u32 length, bool external_branch);
/* The same of all in a value; false: that cannot be. */
bool object_addresses(const struct value *value, u32 length, struct text shown);
void object_card(struct text text);
void object_end(const struct value *entry);
void object_esd_list(void (*show)(const char *line, u32 length));
void object_rld_list(void (*show)(const char *line, u32 length));
void object_deck(void);
bool object_has_addresses(void);
u32 object_code(u8 **code);                              /* what the current statement has put */
void object_statement(void);

/* listing.c */
void listing_begin(void);
void listing_statement(const struct statement *statement);
void listing_addresses(int first, int second);           /* of the instruction; -1: none */
void listing_title(struct text title);
void listing_eject(void);
void listing_space(u32 lines);
void listing_print(struct text operands);
void listing_push(void);
void listing_pop(void);
void listing_end(void);

/* command/assemble.c: what the surroundings provide. */
void *assemble_get(size_t size);                         /* always succeeds: without storage the command ends */
void assemble_put(void *storage);
bool assemble_member(struct text name, struct lines *to);   /* of a library or a COPY file */
void assemble_object(const u8 card[CARD]);
void assemble_listing(const char *line, u32 length);
void assemble_terminal(const char *line, u32 length);
void assemble_attend(void);

/* pass2.c: the whole; the highest severity. */
u32 assemble(const struct assembly_options *options, const struct lines *source);

#endif
