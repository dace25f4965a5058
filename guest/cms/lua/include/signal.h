/* There are no signals: HI comes as an immediate command. Lua reads and writes this type in one access. */
#ifndef SIGNAL_H
#define SIGNAL_H

typedef int sig_atomic_t;

#endif
