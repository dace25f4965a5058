/* Files: streams of characters over the records of CMS (stdio.c). */
#ifndef STDIO_H
#define STDIO_H

#include <stdarg.h>
#include <stddef.h>

typedef struct stream FILE;

enum { EOF = -1, SEEK_SET = 0, SEEK_CUR, SEEK_END, _IOFBF = 0, _IOLBF, _IONBF, BUFSIZ = 1024, L_tmpnam = 24 };

/* stdio.c */
FILE *standard_stream(int which);
#define stdin standard_stream(0)
#define stdout standard_stream(1)
#define stderr standard_stream(2)
FILE *fopen(const char *name, const char *mode);
FILE *freopen(const char *name, const char *mode, FILE *stream);
FILE *tmpfile(void);
int fclose(FILE *stream);
int fflush(FILE *stream);
int getc(FILE *stream);
int ungetc(int c, FILE *stream);
char *fgets(char *line, int room, FILE *stream);
size_t fread(void *to, size_t size, size_t count, FILE *stream);
size_t fwrite(const void *from, size_t size, size_t count, FILE *stream);
int fputs(const char *text, FILE *stream);
int fprintf(FILE *stream, const char *how, ...);
int printf(const char *how, ...);
int fseek(FILE *stream, long offset, int from);
long ftell(FILE *stream);
int setvbuf(FILE *stream, char *buffer, int how, size_t size);
int feof(FILE *stream);
int ferror(FILE *stream);
void clearerr(FILE *stream);
int remove(const char *name);
int rename(const char *from, const char *to);
char *tmpnam(char *name);

/* print.c */
int vsnprintf(char *to, size_t room, const char *how, va_list list);
int snprintf(char *to, size_t room, const char *how, ...);
int sprintf(char *to, const char *how, ...);

#endif
