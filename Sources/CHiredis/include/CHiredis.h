#ifndef CHIREDIS_H
#define CHIREDIS_H

// Connections to Redis and Valkey, by hiredis. The library is opened on the first call, so that a program that shares
// nothing neither requires nor loads it. It must be the version whose headers this was compiled with, because its
// structures differ from version to version.

#include <stddef.h>

typedef struct chiredis_connection chiredis_connection;
typedef struct chiredis_reply chiredis_reply;

enum {
    CHIREDIS_TEXT,
    CHIREDIS_ARRAY,
    CHIREDIS_INTEGER,
    CHIREDIS_NIL,
    CHIREDIS_STATUS,
    CHIREDIS_ERROR,
};

// What came of connecting or of waiting for a reply.
enum {
    CHIREDIS_OK = 0,
    // The library is missing.
    CHIREDIS_MISSING,
    // There was no reply in time.
    CHIREDIS_TIMEOUT,
    // The server closed the connection.
    CHIREDIS_CLOSED,
    // The library cannot do TLS.
    CHIREDIS_NO_TLS,
    // Anything else; the reason says what.
    CHIREDIS_FAILED,
};

// Where to connect to: a socket's path, or a host and a port.
typedef struct {
    const char *_Nullable path;
    const char *_Nullable host;
    int port;
    int uses_tls;
    // The longest that connecting takes, and that a reply is waited for, in milliseconds.
    int connect_limit;
    int reply_limit;
} chiredis_address;

// Connects; stores the connection, which `chiredis_close` closes, in `*connection`, or a reason in `reason`. Blocks.
// The functions on one connection are called by one thread at a time.
int chiredis_connect(
    const chiredis_address *_Nonnull address, chiredis_connection *_Nullable *_Nonnull connection,
    char *_Nonnull reason, size_t size);

void chiredis_close(chiredis_connection *_Nonnull connection);

// Changes how long a reply is waited for.
int chiredis_set_limit(chiredis_connection *_Nonnull connection, int milliseconds);

// Adds a command to what is sent with the next call of `chiredis_receive`.
int chiredis_add(
    chiredis_connection *_Nonnull connection, int count,
    const char *_Nullable const *_Nonnull arguments, const size_t *_Nonnull lengths);

// Sends the commands and waits for the next reply, which `chiredis_free` frees. After any failure the connection can
// only be closed. Blocks.
int chiredis_receive(
    chiredis_connection *_Nonnull connection, chiredis_reply *_Nullable *_Nonnull reply,
    char *_Nonnull reason, size_t size);

void chiredis_free(chiredis_reply *_Nonnull reply);

int chiredis_kind(const chiredis_reply *_Nonnull reply);
long long chiredis_integer(const chiredis_reply *_Nonnull reply);
// The bytes of a text, a status or an error; they are the reply's.
const char *_Nullable chiredis_bytes(const chiredis_reply *_Nonnull reply, size_t *_Nonnull count);
size_t chiredis_count(const chiredis_reply *_Nonnull reply);
// An element of an array; it is the reply's.
const chiredis_reply *_Nullable chiredis_element(
    const chiredis_reply *_Nonnull reply, size_t index);

#endif
