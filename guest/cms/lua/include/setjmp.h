/* Registers 6 to 15, and the floating-point registers that a function keeps (start.S). */
#ifndef SETJMP_H
#define SETJMP_H

typedef unsigned long long jmp_buf[7];
int setjmp(jmp_buf place) __attribute__((returns_twice));                        /* start.S */
void longjmp(jmp_buf place, int value) __attribute__((noreturn));                /* start.S */

#endif
