/* Stages with connections: TCPCLIENT makes one, TCPLISTEN waits for them, TCPDATA has one that TCPLISTEN has taken. */
#include "socket.h"

enum { RECEIVE_MOST = 8192, SEND_MOST = 32768 };
enum { SO_LEVEL = 0xffff, SO_REUSEADDR = 0x04, SO_KEEPALIVE = 0x08, TCP_LEVEL = 6, TCP_NODELAY = 1 };

/* What TCPLISTEN writes and TCPDATA reads. */
struct connection { char mark[8]; u32 socket; struct socket_address from; };
static const char mark_text[] = "TCPSOCK ";
_Static_assert(sizeof(struct connection) == 28, "as HELP says");

/* A connection's options, and how far it is. */
struct tcp {
    struct text group;                  /* a record ends with it */
    u32 linger, timeout;                /* seconds; 0: none */
    u16 local_port;
    bool one_response, greeting, keep_alive, no_delay;
    u32 socket;
    struct iucv_wait receiving, sending;
    struct { struct socket_head head; struct socket_address from; char data[RECEIVE_MOST]; } received;
    struct socket_head sent;
    u32 going;                          /* bytes of the record that are being sent */
    u32 gone;                           /* and that were sent before */
    struct buffer collected;
    u32 kept;                           /* bytes there */
    bool has_heard;                     /* ONERESPONSE: since the last record went */
    bool is_read;                       /* a stage has read the output when this one began */
};

static uint64_t seconds(u32 count) { return (uint64_t)count * 1000000 << 12; }

/* The options of TCPCLIENT and TCPDATA. */
static int take_options(struct stage *s, struct text *rest, struct tcp *tcp, bool client)
{
    struct text word;
    i32 number;
    int code = 0;

    while (code == 0 && peek_word(*rest, &word)) {
        if (next_keyword(rest, "GROUP", 5)) {
            code = next_string(s, rest, &tcp->group);
            if (code == 0 && tcp->group.length == 0)
                code = stage_error(s, 113);
        } else if (next_keyword(rest, "LINGER", 6)) {
            code = next_number(s, rest, &number);
            tcp->linger = (u32)number;
        } else if (next_keyword(rest, "TIMEOUT", 7)) {
            code = next_number(s, rest, &number);
            tcp->timeout = (u32)number;
        } else if (client && next_keyword(rest, "LOCALPORT", 5)) {
            code = next_port(s, rest, 0, &tcp->local_port);
        } else if (next_keyword(rest, "ONERESPONSE", 7)) {
            tcp->one_response = true;
        } else if (client && next_keyword(rest, "GREETING", 8)) {
            tcp->greeting = tcp->one_response = true;
        } else if (next_keyword(rest, "KEEPALIVE", 8)) {
            tcp->keep_alive = true;
        } else if (next_keyword(rest, "NODELAY", 7)) {
            tcp->no_delay = true;
        } else {
            return stage_error(s, 14, word.at, word.length);
        }
        if (code == 0 && (tcp->linger > 86400 || tcp->timeout > 86400))
            code = stage_error(s, 58, word.at, word.length);
    }
    return code;
}

static int set_options(struct stage *s, const struct tcp *tcp)
{
    int code = tcp->keep_alive ? socket_option(s, tcp->socket, SO_LEVEL, SO_KEEPALIVE, 1) : 0;

    return code == 0 && tcp->no_delay ? socket_option(s, tcp->socket, TCP_LEVEL, TCP_NODELAY, 1) : code;
}

static void forget_both(void *with)
{
    struct tcp *tcp = with;

    iucv_forget(&tcp->receiving);
    iucv_forget(&tcp->sending);
}

static int begin_receive(struct stage *s, struct tcp *tcp)
{
    static const u32 no_flags[2];

    return socket_begin(s, SOCKET_RECEIVE, tcp->socket, no_flags, sizeof no_flags, &tcp->received,
                        sizeof tcp->received, &tcp->receiving);
}

/* What has come becomes a record, or with GROUP records that end so. 0, or END_OF_FILE: they are not read any more. */
static int pass_on(struct stage *s, struct tcp *tcp, u32 length)
{
    char *all;

    if (!stage_has_output(s, 0)) {
        tcp->has_heard = true;
        return 0;
    }
    if (tcp->group.length == 0) {
        tcp->has_heard = true;
        return stage_output(s, tcp->received.data, length);
    }
    all = stage_room(s, &tcp->collected, tcp->kept + length);
    memcpy(all + tcp->kept, tcp->received.data, length);
    tcp->kept += length;
    if (tcp->kept < tcp->group.length ||
        memcmp(all + tcp->kept - tcp->group.length, tcp->group.at, tcp->group.length) != 0)
        return 0;
    length = tcp->kept;
    tcp->kept = 0;
    tcp->has_heard = true;
    return stage_output(s, all, length);
}

/* The next piece of the record. */
static int begin_send(struct stage *s, struct tcp *tcp, struct text record)
{
    u32 left = record.length - tcp->gone;

    /* The answer may be there before it is known that the record has gone. */
    tcp->has_heard = false;
    tcp->going = left < SEND_MOST ? left : SEND_MOST;
    return socket_begin(s, SOCKET_WRITE, tcp->socket, record.at + tcp->gone, tcp->going, &tcp->sent, sizeof tcp->sent,
                        &tcp->sending);
}

/* A piece has gone: 0, or a message's number. */
static int piece_sent(struct stage *s, struct tcp *tcp)
{
    struct text record;

    if (tcp->sent.code < 0)
        return socket_error(s, SOCKET_WRITE, tcp->sent.error);
    tcp->gone += (u32)tcp->sent.code;
    tcp->going = 0;
    if (stage_glance(s, &record) == 0 && tcp->gone < record.length)
        return begin_send(s, tcp, record);
    tcp->gone = 0;
    (void)stage_consume(s);
    return 0;
}

/* Both directions at once, until the other end ends, or the input and LINGER's time, or no stage reads the output. */
static int exchange(struct stage *s, struct tcp *tcp)
{
    uint64_t heard = tod_clock(), end = 0, until;
    struct text record;
    int code = begin_receive(s, tcp), can;

    while (code == 0 && (!tcp->is_read || stage_has_output(s, 0))) {
        bool news = false;

        if (iucv_answered(&tcp->receiving)) {
            if (tcp->received.head.code < 0)
                return socket_error(s, SOCKET_RECEIVE, tcp->received.head.error);
            if (tcp->received.head.code == 0) {
                /* What is left of a group. */
                if (tcp->kept > 0)
                    (void)stage_output(s, tcp->collected.at, tcp->kept);
                return 0;
            }
            news = true;
            heard = tod_clock();
            code = pass_on(s, tcp, (u32)tcp->received.head.code);
            if (code == 0)
                code = begin_receive(s, tcp);
            if (code != 0)
                break;
        }
        if (tcp->going > 0 && iucv_answered(&tcp->sending)) {
            news = true;
            if ((code = piece_sent(s, tcp)) != 0)
                break;
        }
        can = tcp->going > 0 ? NOT_YET : stage_glance(s, &record);
        if (can == 0 && (!tcp->one_response || tcp->has_heard)) {
            news = true;
            if (record.length == 0)
                (void)stage_consume(s);
            else
                code = begin_send(s, tcp, record);
        }
        if (can == END_OF_FILE && end == 0 && (!tcp->one_response || tcp->has_heard))
            end = tod_clock() + seconds(tcp->linger);
        if (end != 0 && tod_clock() >= end)
            break;
        until = tcp->timeout > 0 ? heard + seconds(tcp->timeout) : (uint64_t)NO_TIME;
        if (tod_clock() >= until)
            return socket_error(s, SOCKET_RECEIVE, 60);
        if (end != 0 && end < until)
            until = end;
        if (news || code != 0)
            continue;
        /* A record that may not go yet is none to wait for. */
        if (can == NOT_YET && tcp->going == 0)
            wait_for_news(s, until);
        else
            wait_for_event(s, until);
    }
    return code == END_OF_FILE ? 0 : code;
}

static struct tcp *new_tcp(struct stage *s)
{
    struct tcp *tcp = stage_obtain(s, sizeof *tcp);

    memset(tcp, 0, offsetof(struct tcp, received));
    tcp->sent = (struct socket_head){ 0, 0 };
    tcp->going = tcp->gone = tcp->kept = 0;
    tcp->collected = (struct buffer){ NULL, 0 };
    tcp->socket = NO_SOCKET;
    tcp->receiving.done = tcp->sending.done = true;
    tcp->has_heard = true;
    tcp->is_read = stage_has_output(s, 0);
    return tcp;
}

static int bind_to(struct stage *s, u32 socket, u16 port)
{
    struct socket_address here = { .family = INET, .port = port };
    struct socket_head head;

    return socket_perform(s, SOCKET_BIND, socket, &here, sizeof here, &head, sizeof head) < 0
               ? socket_error(s, SOCKET_BIND, head.error) : 0;
}

int tcpclient_stage(struct stage *s, struct text arguments)
{
    struct tcp *tcp = new_tcp(s);
    struct socket_address to = { .family = INET };
    struct text host;
    struct socket_head head;
    int code;

    if (!next_word(&arguments, &host))
        return stage_error(s, 113);
    if ((code = next_port(s, &arguments, 1, &to.port)) != 0 || (code = take_options(s, &arguments, tcp, true)) != 0 ||
        stage_commit(s, 0) != 0 || (code = socket_open(s)) != 0 || (code = host_address(s, host, &to.address)) != 0 ||
        (code = socket_new(s, STREAM, &tcp->socket)) != 0 || (code = set_options(s, tcp)) != 0)
        return code;
    if (tcp->local_port != 0 && (code = bind_to(s, tcp->socket, tcp->local_port)) != 0)
        return code;
    if (socket_perform(s, SOCKET_CONNECT, tcp->socket, &to, sizeof to, &head, sizeof head) < 0)
        return socket_error(s, SOCKET_CONNECT, head.error);
    tcp->has_heard = !tcp->greeting;
    stage_at_end(s, forget_both, tcp);
    return exchange(s, tcp);
}

int tcpdata_stage(struct stage *s, struct text arguments)
{
    struct tcp *tcp = new_tcp(s);
    struct connection connection;
    struct text record;
    int code = take_options(s, &arguments, tcp, false);

    if (code != 0 || stage_commit(s, 0) != 0 || (code = socket_open(s)) != 0 || stage_peek(s, &record) != 0)
        return code;
    if (record.length != sizeof connection || memcmp(record.at, mark_text, sizeof connection.mark) != 0)
        return stage_error(s, 423);
    memcpy(&connection, record.at, sizeof connection);
    (void)stage_consume(s);
    tcp->socket = connection.socket;
    socket_keep(s, &tcp->socket);
    if ((code = set_options(s, tcp)) != 0)
        return code;
    /* Its input's end is the connection's: the answer has gone by then. */
    stage_at_end(s, forget_both, tcp);
    return exchange(s, tcp);
}

/* Connections, until no stage reads them. */
static int take_connections(struct stage *s, u32 listener)
{
    struct listening { struct iucv_wait wait; struct { struct socket_head head; struct socket_address from; } answer; }
        *listening = stage_obtain(s, sizeof *listening);
    struct connection *connection = stage_obtain(s, sizeof *connection);
    static const i32 any[2] = { 0, -1 };
    int code = 0;

    listening->wait.done = true;
    stage_at_end(s, socket_forget, &listening->wait);
    while (code == 0) {
        code = socket_begin(s, SOCKET_ACCEPT, listener, any, sizeof any, &listening->answer,
                            sizeof listening->answer, &listening->wait);
        if (code != 0 || !socket_wait(s, &listening->wait))
            break;
        if (listening->answer.head.code < 0)
            return socket_error(s, SOCKET_ACCEPT, listening->answer.head.error);
        memcpy(connection->mark, mark_text, sizeof connection->mark);
        connection->socket = (u32)listening->answer.head.code;
        connection->from = listening->answer.from;
        code = stage_output(s, (const char *)connection, sizeof *connection);
    }
    return code == END_OF_FILE ? 0 : code;
}

int tcplisten_stage(struct stage *s, struct text arguments)
{
    struct socket_head head;
    u32 *listener = stage_obtain(s, sizeof *listener), numbers[2] = { 0, 10 };
    bool reuse = false;
    struct text word;
    i32 backlog;
    u16 port;
    int code = next_port(s, &arguments, 1, &port);

    while (code == 0 && peek_word(arguments, &word)) {
        if (next_keyword(&arguments, "BACKLOG", 7)) {
            code = next_number(s, &arguments, &backlog);
            numbers[1] = (u32)backlog;
            if (code == 0 && (backlog < 1 || backlog > 128))
                code = stage_error(s, 58, word.at, word.length);
        } else if (next_keyword(&arguments, "REUSEADDR", 9)) {
            reuse = true;
        } else {
            code = stage_error(s, 14, word.at, word.length);
        }
    }
    if (code != 0 || stage_commit(s, 0) != 0 || (code = socket_open(s)) != 0 ||
        (code = socket_new(s, STREAM, listener)) != 0 ||
        (reuse && (code = socket_option(s, *listener, SO_LEVEL, SO_REUSEADDR, 1)) != 0) ||
        (code = bind_to(s, *listener, port)) != 0)
        return code;
    if (socket_perform(s, SOCKET_LISTEN, *listener, numbers, sizeof numbers, &head, sizeof head) < 0)
        return socket_error(s, SOCKET_LISTEN, head.error);
    return take_connections(s, *listener);
}
