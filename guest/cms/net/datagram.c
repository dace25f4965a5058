/*
 * Stages for datagrams, names and addresses: UDP, HOSTBYNAME, HOSTID, HOSTNAME, IP2SOCKA, SOCKA2IP; and Endicott's own:
 * TCPECHO asks a host for an echo, TCPSTATE writes which sockets there are.
 */
#include "socket.h"

enum { DATAGRAM_MOST = 8192, NAME_MOST = 255 };

/* ---- UDP ---- */

struct datagram { struct socket_head head; struct socket_address from; char data[DATAGRAM_MOST]; };

struct udp {
    u32 socket;
    struct iucv_wait receiving;
    struct { u32 flags; struct socket_address to; char data[DATAGRAM_MOST]; } going;
    struct datagram received;
};

static void forget_receive(void *with) { iucv_forget(&((struct udp *)with)->receiving); }

static int receive(struct stage *s, struct udp *udp)
{
    static const u32 no_flags[2];

    return socket_begin(s, SOCKET_RECEIVE, udp->socket, no_flags, sizeof no_flags, &udp->received,
                        sizeof udp->received, &udp->receiving);
}

/* The address of the other end, and what it has said. */
static int pass_datagram(struct stage *s, struct udp *udp)
{
    if (udp->received.head.code < 0)
        return socket_error(s, SOCKET_RECEIVE, udp->received.head.error);
    return stage_output(s, (const char *)&udp->received.from,
                        (u32)(sizeof udp->received.from) + (u32)udp->received.head.code);
}

static int send_datagram(struct stage *s, struct udp *udp, struct text record)
{
    struct socket_head head;
    u32 length = record.length - (u32)sizeof udp->going.to;

    if (record.length < sizeof udp->going.to || length > DATAGRAM_MOST)
        return stage_error(s, 425, record.length);
    udp->going.flags = 0;
    memcpy(&udp->going.to, record.at, record.length);
    return socket_perform(s, SOCKET_SEND_TO, udp->socket, &udp->going, (u32)sizeof udp->going.flags + record.length,
                          &head, sizeof head) < 0 ? socket_error(s, SOCKET_SEND_TO, head.error) : 0;
}

/* An answer to each record before the next; without an output no answer is waited for. */
static int ask_and_wait(struct stage *s, struct udp *udp)
{
    bool is_read = stage_has_output(s, 0);
    struct text record;
    int code = 0;

    while (code == 0 && stage_peek(s, &record) == 0 && (code = send_datagram(s, udp, record)) == 0) {
        (void)stage_consume(s);
        if (is_read && (code = receive(s, udp)) == 0)
            code = socket_wait(s, &udp->receiving) ? pass_datagram(s, udp) : END_OF_FILE;
    }
    return code == END_OF_FILE ? 0 : code;
}

/* Datagrams both ways as they come. */
static int converse(struct stage *s, struct udp *udp)
{
    struct text record;
    int code = receive(s, udp), can;

    while (code == 0 && stage_has_output(s, 0)) {
        if (iucv_answered(&udp->receiving)) {
            code = pass_datagram(s, udp);
            if (code == 0)
                code = receive(s, udp);
            continue;
        }
        can = stage_is_first(s) ? NOT_YET : stage_glance(s, &record);
        if (can == END_OF_FILE)
            break;
        if (can == NOT_YET) {
            wait_for_news(s, (uint64_t)NO_TIME);
            continue;
        }
        code = send_datagram(s, udp, record);
        if (code == 0)
            (void)stage_consume(s);
    }
    return code == END_OF_FILE ? 0 : code;
}

int udp_stage(struct stage *s, struct text arguments)
{
    struct udp *udp = stage_obtain(s, sizeof *udp);
    struct socket_address here = { .family = INET };
    struct socket_head head;
    bool asynchronously = stage_is_first(s);
    int code = next_port(s, &arguments, 0, &here.port);

    udp->receiving = (struct iucv_wait){ .done = true };
    udp->socket = NO_SOCKET;
    if (code == 0 && next_keyword(&arguments, "ASYNCHRONOUSLY", 5))
        asynchronously = true;
    if (code != 0 || (code = no_more(s, arguments)) != 0 || stage_commit(s, 0) != 0 || (code = socket_open(s)) != 0 ||
        (code = socket_new(s, DATAGRAMS, &udp->socket)) != 0)
        return code;
    /* Port 0 is any, and then answers alone are taken. */
    if (here.port != 0 && socket_perform(s, SOCKET_BIND, udp->socket, &here, sizeof here, &head, sizeof head) < 0)
        return socket_error(s, SOCKET_BIND, head.error);
    stage_at_end(s, forget_receive, udp);
    return asynchronously ? converse(s, udp) : ask_and_wait(s, udp);
}

/* ---- names and addresses ---- */

int hostbyname_stage(struct stage *s, struct text arguments)
{
    char line[16];
    struct text record;
    u32 address;
    int code = no_more(s, arguments);

    if (code != 0 || stage_commit(s, 0) != 0 || (code = socket_open(s)) != 0)
        return code;
    while (code == 0 && stage_peek(s, &record) == 0) {
        struct text rest = record;

        code = next_host(s, &rest, &address);
        if (code == 0)
            code = stage_output(s, line, format_address(line, sizeof line, address));
        if (code == 0)
            (void)stage_consume(s);
    }
    return code == END_OF_FILE ? 0 : code;
}

int hostid_stage(struct stage *s, struct text arguments)
{
    struct socket_head head;
    char line[16];
    int code = no_more(s, arguments);

    if (code != 0 || stage_commit(s, 0) != 0 || (code = socket_open(s)) != 0)
        return code;
    (void)socket_perform(s, SOCKET_HOSTID, 0, "", 0, &head, sizeof head);
    code = stage_output(s, line, format_address(line, sizeof line, (u32)head.code));
    return code == END_OF_FILE ? 0 : code;
}

int hostname_stage(struct stage *s, struct text arguments)
{
    struct { struct socket_head head; char name[NAME_MOST]; } answer;
    u32 length = 0;
    int code = no_more(s, arguments);

    if (code != 0 || stage_commit(s, 0) != 0 || (code = socket_open(s)) != 0)
        return code;
    memset(&answer, 0, sizeof answer);
    if (socket_perform(s, SOCKET_HOSTNAME, 0, "", 0, &answer, sizeof answer) < 0)
        return socket_error(s, SOCKET_HOSTNAME, answer.head.error);
    while (length < NAME_MOST && answer.name[length] != 0)
        length++;
    code = stage_output(s, answer.name, length);
    return code == END_OF_FILE ? 0 : code;
}

/* "AF_INET port address" becomes a sockaddr_in. */
int ip2socka_stage(struct stage *s, struct text arguments)
{
    struct socket_address address = { .family = INET };
    struct text record;
    int code = no_more(s, arguments);

    if (code != 0 || stage_commit(s, 0) != 0 || (code = socket_open(s)) != 0)
        return code;
    while (code == 0 && stage_peek(s, &record) == 0) {
        struct text rest = record, word;

        if (!next_keyword(&rest, "AF_INET", 7))
            return next_word(&rest, &word) ? stage_error(s, 111, word.at, word.length) : stage_error(s, 113);
        if ((code = next_port(s, &rest, 0, &address.port)) == 0 && (code = next_host(s, &rest, &address.address)) == 0)
            code = stage_output(s, (const char *)&address, sizeof address);
        if (code == 0)
            (void)stage_consume(s);
    }
    return code == END_OF_FILE ? 0 : code;
}

/* And back; what follows is passed on after a blank. */
int socka2ip_stage(struct stage *s, struct text arguments)
{
    struct socket_address address;
    struct text record;
    char line[40];
    int code = no_more(s, arguments);

    while (code == 0 && stage_peek(s, &record) == 0) {
        u32 length;

        if (record.length < sizeof address)
            return stage_error(s, 425, record.length);
        memcpy(&address, record.at, sizeof address);
        length = format(line, sizeof line, "AF_INET %u ", (u32)address.port);
        length += format_address(line + length, (u32)sizeof line - length, address.address);
        code = stage_output(s, line, length);
        if (code == 0)
            (void)stage_consume(s);
    }
    return code == END_OF_FILE ? 0 : code;
}

/* ---- Endicott's own ---- */

/* TCPECHO host [bytes [milliseconds]]: "address microseconds", or what went wrong. */
int tcpecho_stage(struct stage *s, struct text arguments)
{
    struct { u32 address, length, patience; } call = { 0, 256, 10000 };
    struct { struct socket_head head; u32 time; } answer;
    struct text host, word;
    char line[40];
    i32 number;
    u32 length;
    int code = 0;

    if (!next_word(&arguments, &host))
        return stage_error(s, 113);
    if (peek_word(arguments, &word) && (code = next_number(s, &arguments, &number)) == 0) {
        call.length = (u32)number;
        if (peek_word(arguments, &word) && (code = next_number(s, &arguments, &number)) == 0)
            call.patience = (u32)number;
    }
    if (code != 0 || (code = no_more(s, arguments)) != 0 || stage_commit(s, 0) != 0 || (code = socket_open(s)) != 0 ||
        (code = host_address(s, host, &call.address)) != 0)
        return code;
    if (socket_perform(s, SOCKET_ECHO, 0, &call, sizeof call, &answer, sizeof answer) < 0)
        return socket_error(s, SOCKET_ECHO, answer.head.error);
    length = format_address(line, sizeof line, call.address);
    length += format(line + length, (u32)sizeof line - length, " %u", answer.time);
    code = stage_output(s, line, length);
    return code == END_OF_FILE ? 0 : code;
}

struct socket_state {
    char user[8], program[8];
    u16 number;
    u8 protocol, state;
    u16 local_port, foreign_port;
    u32 local, foreign, received[2], sent[2], idle[2];
};
_Static_assert(sizeof(struct socket_state) == 56, "as CP has it");

/* TCPSTATE: user, program, socket, protocol, state, the addresses, bytes that came and went, idle seconds. */
int tcpstate_stage(struct stage *s, struct text arguments)
{
    enum { STATES_MOST = 256 };
    static const char *const states[] = { "Closed", "Bound", "Listen", "Connecting", "Established", "Half-closed" };
    struct { struct socket_head head; struct socket_state state[STATES_MOST]; } *answer =
        stage_obtain(s, sizeof *answer);
    char line[128];
    int code = no_more(s, arguments);

    if (code != 0 || stage_commit(s, 0) != 0 || (code = socket_open(s)) != 0)
        return code;
    if (socket_perform(s, SOCKET_STATUS, 0, "", 0, answer, sizeof *answer) < 0)
        return socket_error(s, SOCKET_STATUS, answer->head.error);
    for (i32 n = 0; code == 0 && n < answer->head.code; n++) {
        const struct socket_state *one = &answer->state[n];
        const char *program = length_of(one->program, sizeof one->program) > 0 ? one->program : "-       ";
        const char *state = one->state < COUNT_OF(states) ? states[one->state] : "?";
        u32 length = format(line, sizeof line, "%t %t %u %s %s ", one->user, program, (u32)one->number,
                            one->protocol == 6 ? "TCP" : "UDP", state);

        length += format_address(line + length, (u32)sizeof line - length, one->local);
        length += format(line + length, (u32)sizeof line - length, ":%u ", (u32)one->local_port);
        length += format_address(line + length, (u32)sizeof line - length, one->foreign);
        /* Numbers of more than 32 bits are shown as the largest of those. */
        length += format(line + length, (u32)sizeof line - length, ":%u %u %u %u", (u32)one->foreign_port,
                         one->received[0] != 0 ? UINT32_MAX : one->received[1],
                         one->sent[0] != 0 ? UINT32_MAX : one->sent[1], one->idle[1]);
        code = stage_output(s, line, length);
    }
    return code == END_OF_FILE ? 0 : code;
}
