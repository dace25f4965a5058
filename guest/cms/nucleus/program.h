/*
 * Programs: what is loaded in storage, and what LOAD, GENMOD and their like know of it.
 *
 * The linking loader (link.c) makes programs of TEXT decks in the user area; a MODULE file (module.c) is such a program
 * on a disk; a nucleus extension (extension.c) is one in storage of its own.
 */
#ifndef PROGRAM_H
#define PROGRAM_H

#include "cms.h"

/* Addressing and residence modes, as an ESD item's flag has them. */
enum { AMODE_24 = 0x01, AMODE_31 = 0x02, AMODE_ANY = 0x03, RMODE_ANY = 0x04 };

/* A name that the loader knows. */
enum symbol_kind { SYMBOL_SECTION, SYMBOL_ENTRY, SYMBOL_COMMON, SYMBOL_PSEUDO, SYMBOL_EXTERNAL, SYMBOL_WEAK };
struct symbol {
    name name;                  /* blank: a private section */
    u32 address, length;
    u8 kind, modes, align;      /* `align` of pseudo registers: the address has these bits zero */
    u8 tried;                   /* a file of that name has been looked for */
};
static inline bool symbol_defined(const struct symbol *symbol) { return symbol->kind < SYMBOL_EXTERNAL; }

/* An address constant: where it is, and what it is of. */
struct constant {
    u32 at, symbol, base;       /* `base`: what the deck took the symbol's address for */
    u32 added;                  /* what it has in it of the symbol's address by now */
    u8 flags, length;           /* as in an RLD item; how many bytes */
};
enum { CONSTANT_NEGATIVE = 0x02, CONSTANT_KIND = 0x30, CONSTANT_PSEUDO = 0x20, CONSTANT_ALL_PSEUDO = 0x30 };

/* What is loaded. */
struct loaded_program {
    struct symbol *symbol;
    struct constant *constant;
    u32 symbols, symbol_room, constants, constant_room;
    u32 first, next, end;       /* where it begins, where the next deck goes, how far it may reach */
    u32 entry;
    name entry_name;            /* of an ENTRY statement, if it was not known then */
    bool has_entry, there;
    u8 modes;
    u32 pages;                  /* what it lies in, if that is not in the user area or the transient area */
    bool measured;              /* only how long it is is wanted: nothing is stored */
    bool movable, too_large;    /* what does not fit is not told, for it may lie elsewhere */
};

/* link.c */
extern struct loaded_program loaded_program;

/* How decks are taken. */
struct link_options { int clear, map, duplicates, replace, invalid, automatic, libraries, no_call; };

/* link.c. Return codes; messages have been typed. */
void link_begin(u32 origin, u32 end);
void link_forget(void);
int link_file(struct open_file *file, u32 first, u32 last, const struct link_options *how);
int link_complete(const struct link_options *how);
int link_name(const name name, const struct link_options *how);
struct globals;
/* Of these TXTLIBs; -1: none has it. */
int link_member(const name wanted, const struct globals *list, const struct link_options *how);
struct symbol *link_find(const name name);
struct symbol *link_new(const name name, enum symbol_kind kind);

/* module.c */
/* `first`: the record of the file that it begins with, which is 1 unless it is a member of a library. */
struct module { u32 entry, origin, length, relocations, symbols, first; u8 flags, modes; };
enum { MODULE_SYSTEM = 0x80, MODULE_MAP = 0x40, MODULE_RELOCATABLE = 0x20, MODULE_CLEAN = 0x10 };
int module_read_header(struct open_file *file, struct module *module);
int module_read_member(struct open_file *file, u32 first, struct module *module);
int module_load(struct open_file *file, const struct module *module, u32 at);
u32 program_pages(u32 length, u8 modes, enum owner owner);     /* where its residence mode says; 0: there is no room */
bool module_has_pages(const struct module *module);
int module_place(struct open_file *file, const struct module *module, enum owner owner, u32 *at);
int module_fetch(const name fn, struct module *module, u32 *at, bool *found);
int module_read_map(struct open_file *file, const struct module *module, u32 at);
int run_program_at(u32 entry, u8 modes, u8 key, u32 block, const struct call *call);
bool user_storage(u32 at, u32 length);          /* where programs without a place of their own may lie */

/* command/genmod.c */
int module_write(struct open_file *file, u32 *record, u32 first, u32 end, const struct module *module);

/* linedit.c: the line that a block of the macro LINEDIT describes; the return code. */
int linedit(u32 block);

/* extension.c: nucleus extensions and subcommand environments, as programs see them. */
struct scblock {
    struct scblock *chain;
    u32 user;
    name name;
    u8 mask, key, flags, user_flags;            /* of the PSW it starts with, and what it is */
    u32 entry;                                  /* bit 0: addressing mode 31 */
    u32 origin, length;
};
enum { NUCX_SYSTEM = 0x80, NUCX_SERVICE = 0x40, NUCX_IMMEDIATE = 0x20, NUCX_ENDCMD = 0x10, NUCX_PERMANENT = 0x08 };
struct scblock *extension_find(const name name);
struct scblock *extension_next(struct scblock *before);
bool extension_add(const struct scblock *what, bool subcommand);
void extension_drop(struct scblock *block, bool reset);
int extension_run(struct scblock *block, const struct call *call);
struct scblock *subcommand_find(const name name);
int extension_function(u8 *plist, u32 *block, bool subcommand);

#endif
