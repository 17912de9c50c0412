#include "CIDN2.h"

#include <CLoader.h>
#include <pthread.h>
#include <stdint.h>

// The declarations of idn2.h, because libcurl brings the library but not its header.
enum {
    NFC_INPUT = 1,
    TRANSITIONAL = 4,
    NON_TRANSITIONAL = 8,

    PUNYCODE_TOO_LONG = -203,
    TOO_BIG_DOMAIN = -205,
    TOO_BIG_LABEL = -206,
    DISALLOWED = -304,
    UNASSIGNED = -309,
};

static struct {
    int (*look_up)(const uint8_t *, uint8_t **, int);
    const char *(*words)(int);
    void (*free)(void *);
} idn2;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char reason[256] = "libidn2 was not opened";

static void load(void) {
    static const char *const names[] = {"libidn2.so.0", NULL};
    static const cloader_function functions[] = {
        {"idn2_lookup_u8", (void **)&idn2.look_up},
        {"idn2_strerror", (void **)&idn2.words},
        {"idn2_free", (void **)&idn2.free},
    };
    void *library = cloader_open(names, reason, sizeof reason);
    size_t count = sizeof functions / sizeof *functions;
    if (library && cloader_find(library, functions, count, reason, sizeof reason)) reason[0] = 0;
}

int cidn2_convert(const char *host, int is_transitional, char **ascii, const char **words) {
    *ascii = NULL;
    *words = NULL;
    pthread_once(&once, load);
    if (reason[0]) {
        *words = reason;
        return CIDN2_MISSING;
    }
    uint8_t *found = NULL;
    int mode = is_transitional ? TRANSITIONAL : NON_TRANSITIONAL;
    int result = idn2.look_up((const uint8_t *)host, &found, NFC_INPUT | mode);
    if (result == 0) {
        *ascii = (char *)found;
        return CIDN2_OK;
    }
    *words = idn2.words(result);
    switch (result) {
    case PUNYCODE_TOO_LONG:
    case TOO_BIG_DOMAIN:
    case TOO_BIG_LABEL: return CIDN2_TOO_LONG;
    case DISALLOWED:
    case UNASSIGNED: return CIDN2_DISALLOWED;
    default: return CIDN2_INVALID;
    }
}

void cidn2_free(char *ascii) {
    if (ascii) idn2.free(ascii);
}
