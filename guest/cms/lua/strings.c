/* Strings, beside those functions that all of CMS has (lib/string.c). */
#include <errno.h>
#include <string.h>

/* In the order of code page 037: small letters, capitals, digits. */
int strcoll(const char *a, const char *b) { return strcmp(a, b); }

int strncmp(const char *a, const char *b, size_t length)
{
    for (; length > 0; length--, a++, b++)
        if (*a != *b || *a == 0)
            return (unsigned char)*a - (unsigned char)*b;
    return 0;
}

char *strcpy(char *to, const char *from)
{
    memcpy(to, from, strlen(from) + 1);
    return to;
}

char *strchr(const char *text, int c) { return memchr(text, c, strlen(text) + 1); }

char *strrchr(const char *text, int c)
{
    for (size_t n = strlen(text) + 1; n-- > 0;)
        if (text[n] == (char)c)
            return (char *)text + n;
    return NULL;
}

char *strstr(const char *text, const char *part)
{
    size_t length = strlen(part);

    for (; (text = strchr(text, *part)) != NULL; text++)
        if (strncmp(text, part, length) == 0)
            return (char *)text;
    return NULL;
}

size_t strcspn(const char *text, const char *of)
{
    size_t n = 0;

    while (text[n] != 0 && memchr(of, text[n], strlen(of)) == NULL)
        n++;
    return n;
}

size_t strspn(const char *text, const char *of)
{
    size_t n = 0;

    while (text[n] != 0 && memchr(of, text[n], strlen(of)) != NULL)
        n++;
    return n;
}

char *strpbrk(const char *text, const char *of)
{
    text += strcspn(text, of);
    return *text != 0 ? (char *)text : NULL;
}

char *strerror(int number)
{
    static const struct { int number; const char *text; } texts[] = {
        { ENOENT, "File not found" }, { EIO, "Error on disk" }, { EBADF, "Not open for that" },
        { ENOMEM, "Not enough storage" }, { EACCES, "Disk is read-only or not accessed" },
        { EINVAL, "Invalid file identifier or mode" }, { EFBIG, "Record is too long" }, { ENOSPC, "Disk is full" },
        { EDOM, "Argument out of domain" }, { ERANGE, "Result out of range" },
    };

    for (size_t n = 0; n < sizeof texts / sizeof *texts; n++)
        if (texts[n].number == number)
            return (char *)texts[n].text;
    return "No error";
}
