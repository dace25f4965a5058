/*
 * Sockets for stages: messages to CP's service *TCPIP. All stages share one path, so a socket that one has made another
 * may use. The path goes with the last stage that has opened it, unless sockets are left; then with the command that
 * was typed.
 */
#include "../nucleus/pipes.h"
#include "socket.h"

enum { REFUSED = -1 };

/* What an answer's head may say. */
static const struct { i32 number; const char *name; } errors[] = {
    { 2, "ENOENT no such name" }, { 9, "EBADF no such socket" }, { 13, "EACCES not allowed" },
    { 22, "EINVAL not valid now" }, { 23, "ENFILE the system has no socket left" },
    { 24, "EMFILE you have no socket left" }, { 32, "EPIPE the other end takes no more" },
    { 35, "EWOULDBLOCK" }, { 36, "EINPROGRESS" }, { 37, "EALREADY" }, { 39, "EDESTADDRREQ no destination" },
    { 40, "EMSGSIZE the message is too long" }, { 42, "ENOPROTOOPT no such option" },
    { 45, "EOPNOTSUPP not for this socket" }, { 47, "EAFNOSUPPORT no such family" },
    { 48, "EADDRINUSE the port is in use" }, { 49, "EADDRNOTAVAIL no address of this host" },
    { 51, "ENETUNREACH nothing leads there" }, { 53, "ECONNABORTED given up here" },
    { 54, "ECONNRESET the other end has given up" }, { 55, "ENOBUFS no room" }, { 56, "EISCONN connected already" },
    { 57, "ENOTCONN not connected" }, { 60, "ETIMEDOUT it took too long" }, { 61, "ECONNREFUSED refused there" },
    { 65, "EHOSTUNREACH the host cannot be reached" },
};
static const struct { u32 call; const char *name; } calls[] = {
    { SOCKET_ACCEPT, "ACCEPT" }, { SOCKET_BIND, "BIND" }, { SOCKET_CLOSE, "CLOSE" }, { SOCKET_CONNECT, "CONNECT" },
    { SOCKET_HOSTID, "GETHOSTID" }, { SOCKET_HOSTNAME, "GETHOSTNAME" }, { SOCKET_LISTEN, "LISTEN" },
    { SOCKET_RECEIVE, "RECV" }, { SOCKET_SEND_TO, "SENDTO" }, { SOCKET_OPTION, "SETSOCKOPT" },
    { SOCKET_NEW, "SOCKET" }, { SOCKET_WRITE, "WRITE" }, { SOCKET_RESOLVE, "RESOLVE" }, { SOCKET_ECHO, "ECHO" },
    { SOCKET_STATUS, "STATUS" },
};

int socket_error(struct stage *s, u32 call, i32 error)
{
    const char *what = "?", *why = "";

    for (u32 n = 0; n < COUNT_OF(calls); n++)
        if (calls[n].call == call)
            what = calls[n].name;
    for (u32 n = 0; n < COUNT_OF(errors); n++)
        if (errors[n].number == error)
            why = errors[n].name;
    return stage_error(s, 421, what, (u32)error, why);
}

static void close_user(void *with)
{
    (void)with;
    if (socket_path.open && --socket_path.users == 0 && socket_path.kept == 0)
        sockets_leave();
}

void socket_forget(void *wait) { iucv_forget(wait); }

int socket_begin(struct stage *s, u32 call, u32 socket, const void *data, u32 length, void *answer, u32 room,
                 struct iucv_wait *wait)
{
    enum { TOO_MANY = 3 };
    u8 code;

    /* More than may wait: until some are answered. */
    while ((code = iucv_ask(socket_path.path, call << 16 | socket, data, length, answer, room, wait)) == TOO_MANY)
        wait_for_event(s, tod_clock() + ((uint64_t)10000 << 12));
    return code != 0 ? stage_error(s, 420, (u32)code) : 0;
}

i32 socket_perform(struct stage *s, u32 call, u32 socket, const void *data, u32 length, void *answer, u32 room)
{
    struct iucv_wait *wait = stage_obtain(s, sizeof *wait);
    struct socket_head *head = answer;
    i32 code;

    *wait = (struct iucv_wait){ .done = true };
    *head = (struct socket_head){ REFUSED, 0 };
    stage_at_end(s, socket_forget, wait);
    if (socket_begin(s, call, socket, data, length, answer, room, wait) == 0)
        while (!iucv_answered(wait))
            wait_for_event(s, (uint64_t)NO_TIME);
    code = head->code;
    return code;
}

bool socket_wait(struct stage *s, struct iucv_wait *wait)
{
    while (!iucv_answered(wait)) {
        if (!stage_has_output(s, 0))
            return false;
        wait_for_event(s, (uint64_t)NO_TIME);
    }
    return true;
}

int socket_open(struct stage *s)
{
    struct { char constant[8]; u16 sockets, kind; char program[8]; } initial = { "IUCVAPI ", 255, 3, "PIPE    " };
    struct socket_head head;
    u8 code;

    if (!socket_path.open) {
        code = iucv_connect("*TCPIP  ", &socket_path.path);
        if (code != 0)
            return stage_error(s, 420, (u32)code);
        socket_path.open = true;
        socket_path.users = socket_path.kept = 0;
    }
    socket_path.users++;
    stage_at_end(s, close_user, NULL);
    while (!socket_path.begun) {
        socket_path.begun = true;
        if (socket_perform(s, 0, 0, &initial, sizeof initial, &head, sizeof head) < 0) {
            socket_path.begun = false;
            return socket_error(s, 0, head.error);
        }
    }
    return 0;
}

static void close_socket(void *with)
{
    u32 *socket = with;
    struct iucv_wait wait;

    if (socket_path.open && *socket != NO_SOCKET &&
        iucv_ask(socket_path.path, (u32)SOCKET_CLOSE << 16 | *socket, "", 0, NULL, 0, &wait) == 0)
        /* CP closes it without being waited for. */
        while (!iucv_answered(&wait))
            wait_until(tod_clock() + ((uint64_t)1000 << 12));
    *socket = NO_SOCKET;
}

void socket_keep(struct stage *s, u32 *socket) { stage_at_end(s, close_socket, socket); }

int socket_new(struct stage *s, u32 kind, u32 *socket)
{
    struct { u32 family, kind, protocol; i32 number; } call = { INET, kind, 0, -1 };
    struct socket_head head;

    *socket = NO_SOCKET;
    if (socket_perform(s, SOCKET_NEW, 0, &call, sizeof call, &head, sizeof head) < 0)
        return socket_error(s, SOCKET_NEW, head.error);
    *socket = (u32)head.code;
    socket_keep(s, socket);
    return 0;
}

int socket_option(struct stage *s, u32 socket, u32 level, u32 option, u32 value)
{
    struct { u32 level, option, value; } call = { level, option, value };
    struct socket_head head;

    return socket_perform(s, SOCKET_OPTION, socket, &call, sizeof call, &head, sizeof head) < 0
               ? socket_error(s, SOCKET_OPTION, head.error) : 0;
}

/* a.b.c.d */
static bool is_address(struct text word, u32 *address)
{
    u32 value = 0, parts = 0, part = 0, digits = 0;

    for (u32 n = 0; n <= word.length; n++)
        if (n < word.length && word.at[n] >= '0' && word.at[n] <= '9' && digits < 3) {
            part = part * 10 + (u32)(word.at[n] - '0');
            digits++;
        } else if ((n == word.length || word.at[n] == '.') && digits > 0 && part < 256) {
            value = value << 8 | part;
            part = digits = 0;
            parts++;
        } else {
            return false;
        }
    *address = value;
    return parts == 4;
}

int host_address(struct stage *s, struct text word, u32 *address)
{
    struct { struct socket_head head; u32 address; } answer;

    if (is_address(word, address))
        return 0;
    if (socket_perform(s, SOCKET_RESOLVE, 0, word.at, word.length, &answer, sizeof answer) < 0)
        return answer.head.error == 2 ? stage_error(s, 422, word.at, word.length)
               : socket_error(s, SOCKET_RESOLVE, answer.head.error);
    *address = answer.address;
    return 0;
}

int next_host(struct stage *s, struct text *rest, u32 *address)
{
    struct text word;

    return next_word(rest, &word) ? host_address(s, word, address) : stage_error(s, 113);
}

int next_port(struct stage *s, struct text *rest, u32 least, u16 *port)
{
    i32 number;
    int code = next_number(s, rest, &number);

    if (code == 0 && (number < (i32)least || number > 0xffff))
        return stage_error(s, 424, (u32)number);
    *port = (u16)number;
    return code;
}

u32 format_address(char *to, u32 room, u32 address)
{
    return format(to, room, "%u.%u.%u.%u", address >> 24, address >> 16 & 255, address >> 8 & 255, address & 255);
}
