#include "CHiredis.h"

#include <CLoader.h>
#include <errno.h>
#include <hiredis/hiredis.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

// From 1.0 on there is a second library for TLS.
#if __has_include(<hiredis/hiredis_ssl.h>)
#include <hiredis/hiredis_ssl.h>
#define HAS_TLS 1
#else
#define HAS_TLS 0
#endif

#define TEXT_OF(token) #token
#define TEXT(token) TEXT_OF(token)
#define SONAME(name) "lib" name ".so." TEXT(HIREDIS_SONAME)

struct chiredis_connection {
    redisContext *context;
#if HAS_TLS
    redisSSLContext *tls;
#endif
};

static struct {
    redisContext *(*connect)(const char *, int, const struct timeval);
    redisContext *(*connect_unix)(const char *, const struct timeval);
    int (*set_timeout)(redisContext *, const struct timeval);
    int (*append)(redisContext *, int, const char **, const size_t *);
    int (*get_reply)(redisContext *, void **);
    void (*free_reply)(void *);
    void (*free)(redisContext *);
} hiredis;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char missing[256] = "hiredis was not opened";

static void load(void) {
    static const char *const names[] = {SONAME("hiredis"), NULL};
    static const cloader_function functions[] = {
        {"redisConnectWithTimeout", (void **)&hiredis.connect},
        {"redisConnectUnixWithTimeout", (void **)&hiredis.connect_unix},
        {"redisSetTimeout", (void **)&hiredis.set_timeout},
        {"redisAppendCommandArgv", (void **)&hiredis.append},
        {"redisGetReply", (void **)&hiredis.get_reply},
        {"freeReplyObject", (void **)&hiredis.free_reply},
        {"redisFree", (void **)&hiredis.free},
    };
    void *library = cloader_open(names, missing, sizeof missing);
    size_t count = sizeof functions / sizeof *functions;
    if (library && cloader_find(library, functions, count, missing, sizeof missing)) missing[0] = 0;
}

#if HAS_TLS
static struct {
    int (*init)(void);
    redisSSLContext *(*create)(
        const char *, const char *, const char *, const char *, const char *,
        redisSSLContextError *);
    void (*free)(redisSSLContext *);
    int (*initiate)(redisContext *, redisSSLContext *);
    const char *(*words)(redisSSLContextError);
} tls;

static pthread_once_t tls_once = PTHREAD_ONCE_INIT;
static char tls_missing[256] = "hiredis_ssl was not opened";

static void load_tls(void) {
    static const char *const names[] = {SONAME("hiredis_ssl"), NULL};
    static const cloader_function functions[] = {
        {"redisInitOpenSSL", (void **)&tls.init},
        {"redisCreateSSLContext", (void **)&tls.create},
        {"redisFreeSSLContext", (void **)&tls.free},
        {"redisInitiateSSLWithContext", (void **)&tls.initiate},
        {"redisSSLContextGetError", (void **)&tls.words},
    };
    void *library = cloader_open(names, tls_missing, sizeof tls_missing);
    size_t count = sizeof functions / sizeof *functions;
    if (!library) return;
    if (!cloader_find(library, functions, count, tls_missing, sizeof tls_missing)) return;
    tls.init();
    tls_missing[0] = 0;
}

static int start_tls(
    chiredis_connection *connection, const char *host, char *reason, size_t size) {
    pthread_once(&tls_once, load_tls);
    if (tls_missing[0]) {
        snprintf(reason, size, "%s", tls_missing);
        return CHIREDIS_NO_TLS;
    }
    redisSSLContextError error = 0;
    // Without a file of its own it trusts whom OpenSSL trusts; the library checks the chain, and the name that is given.
    connection->tls = tls.create(NULL, "/etc/ssl/certs", NULL, NULL, host, &error);
    if (!connection->tls) {
        snprintf(reason, size, "%s", tls.words(error));
        return CHIREDIS_FAILED;
    }
    if (tls.initiate(connection->context, connection->tls) != REDIS_OK) {
        snprintf(reason, size, "%s", connection->context->errstr);
        return CHIREDIS_FAILED;
    }
    return CHIREDIS_OK;
}
#endif

static struct timeval interval(int milliseconds) {
    struct timeval value = {milliseconds / 1000, milliseconds % 1000 * 1000};
    return value;
}

static int fault(const redisContext *context, int number, char *reason, size_t size) {
    // hiredis says "Resource temporarily unavailable" or "Operation now in progress" of what took too long.
    int is_late = number == EAGAIN || number == EWOULDBLOCK || number == EINPROGRESS ||
        number == ETIMEDOUT;
    if (context->err == REDIS_ERR_IO && is_late) return CHIREDIS_TIMEOUT;
    snprintf(reason, size, "%s", context->errstr);
    return context->err == REDIS_ERR_EOF ? CHIREDIS_CLOSED : CHIREDIS_FAILED;
}

int chiredis_connect(
    const chiredis_address *address, chiredis_connection **connection, char *reason, size_t size) {
    *connection = NULL;
    reason[0] = 0;
    pthread_once(&once, load);
    if (missing[0]) {
        snprintf(reason, size, "%s", missing);
        return CHIREDIS_MISSING;
    }
#if !HAS_TLS
    if (address->uses_tls) return CHIREDIS_NO_TLS;
#endif
    struct timeval limit = interval(address->connect_limit);
    errno = 0;
    redisContext *context = address->path ? hiredis.connect_unix(address->path, limit)
                                          : hiredis.connect(address->host, address->port, limit);
    int number = errno;
    if (!context) {
        snprintf(reason, size, "out of memory");
        return CHIREDIS_FAILED;
    }
    int result = context->err ? fault(context, number, reason, size) : CHIREDIS_OK;
    chiredis_connection *made = result == CHIREDIS_OK ? calloc(1, sizeof *made) : NULL;
    if (!made) {
        hiredis.free(context);
        return result == CHIREDIS_OK ? CHIREDIS_FAILED : result;
    }
    made->context = context;
    hiredis.set_timeout(context, interval(address->reply_limit));
#if HAS_TLS
    if (address->uses_tls) result = start_tls(made, address->host, reason, size);
#endif
    if (result == CHIREDIS_OK) {
        *connection = made;
    } else {
        chiredis_close(made);
    }
    return result;
}

void chiredis_close(chiredis_connection *connection) {
    hiredis.free(connection->context);
#if HAS_TLS
    if (connection->tls) tls.free(connection->tls);
#endif
    free(connection);
}

int chiredis_set_limit(chiredis_connection *connection, int milliseconds) {
    return hiredis.set_timeout(connection->context, interval(milliseconds)) == REDIS_OK;
}

int chiredis_add(
    chiredis_connection *connection, int count, const char *const *arguments,
    const size_t *lengths) {
    return hiredis.append(connection->context, count, (const char **)arguments, lengths) == REDIS_OK;
}

// hiredis writes to sockets that the server may have closed, which ends a program that does not ignore SIGPIPE.
static int get_reply(redisContext *context, void **reply, int *number) {
    sigset_t pipe_signal, before, pending;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    sigpending(&pending);
    int was_pending = sigismember(&pending, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    errno = 0;
    int result = hiredis.get_reply(context, reply);
    *number = errno;
    if (!was_pending) {
        const struct timespec none = {0, 0};
        while (sigtimedwait(&pipe_signal, NULL, &none) < 0 && errno == EINTR) {}
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result;
}

int chiredis_receive(
    chiredis_connection *connection, chiredis_reply **reply, char *reason, size_t size) {
    *reply = NULL;
    reason[0] = 0;
    void *found = NULL;
    int number = 0;
    int result = get_reply(connection->context, &found, &number);
    if (result != REDIS_OK || !found) return fault(connection->context, number, reason, size);
    *reply = found;
    return CHIREDIS_OK;
}

static const redisReply *own(const chiredis_reply *reply) { return (const redisReply *)reply; }

void chiredis_free(chiredis_reply *reply) { hiredis.free_reply(reply); }

int chiredis_kind(const chiredis_reply *reply) {
    switch (own(reply)->type) {
    case REDIS_REPLY_STRING: return CHIREDIS_TEXT;
    case REDIS_REPLY_ARRAY: return CHIREDIS_ARRAY;
    case REDIS_REPLY_INTEGER: return CHIREDIS_INTEGER;
    case REDIS_REPLY_STATUS: return CHIREDIS_STATUS;
    case REDIS_REPLY_ERROR: return CHIREDIS_ERROR;
    default: return CHIREDIS_NIL;
    }
}

long long chiredis_integer(const chiredis_reply *reply) { return own(reply)->integer; }

const char *chiredis_bytes(const chiredis_reply *reply, size_t *count) {
    *count = own(reply)->str ? own(reply)->len : 0;
    return own(reply)->str;
}

size_t chiredis_count(const chiredis_reply *reply) {
    return own(reply)->type == REDIS_REPLY_ARRAY ? own(reply)->elements : 0;
}

const chiredis_reply *chiredis_element(const chiredis_reply *reply, size_t index) {
    return index < chiredis_count(reply) ? (const chiredis_reply *)own(reply)->element[index] : NULL;
}
