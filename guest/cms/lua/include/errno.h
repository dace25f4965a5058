/* The number of the last error of a file; strerror() has the text. */
#ifndef ERRNO_H
#define ERRNO_H

int *port_error(void);                                   /* port.c */
#define errno (*port_error())

enum { ENOENT = 2, EIO = 5, EBADF = 9, ENOMEM = 12, EACCES = 13, EINVAL = 22, EFBIG = 27, ENOSPC = 28, EDOM = 33,
       ERANGE = 34 };

#endif
