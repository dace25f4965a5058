/* Included before each source: what is otherwise here than its luaconf.h and libraries suppose. */
#ifndef PORT_CONFIG_H
#define PORT_CONFIG_H
#ifndef __ASSEMBLER__

/* require "name" looks for NAME LUA on all disks; programs in C it does not look for. */
#define LUA_PATH_DEFAULT "? LUA *"
#define LUA_CPATH_DEFAULT ""
#define LUA_DIRSEP "/"

#define lua_getlocaledecpoint() '.'

#include "luaconf.h"

/* Which it defines only for sources that have said that they are Lua's. */
#define l_likely(x) luai_likely(x)
#define l_unlikely(x) luai_unlikely(x)

/* A stack of Lua's may take 3 MB, not 16: machines are smaller than that. */
#undef LUAI_MAXSTACK
#define LUAI_MAXSTACK 200000

/* A mode may go on with the format of the records: w F 80, a V. */
#define l_checkmode(mode) mode_is_good(mode)
int mode_is_good(const char *mode);                      /* stdio.c */

#endif
#endif
