/* Included before each of Lua's sources: what is otherwise here than its luaconf.h and libraries suppose. */
#ifndef PORT_CONFIG_H
#define PORT_CONFIG_H

/* require "name" looks for NAME LUA on all disks; programs in C it does not look for. */
#define LUA_PATH_DEFAULT "? LUA *"
#define LUA_CPATH_DEFAULT ""
#define LUA_DIRSEP "/"

#define lua_getlocaledecpoint() '.'

/* A mode may go on with the format of the records: w F 80, a V. */
#define l_checkmode(mode) mode_is_good(mode)
int mode_is_good(const char *mode);                      /* stdio.c */

#endif
