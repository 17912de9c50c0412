#ifndef CPCRE2_H
#define CPCRE2_H

// PCRE2 regular expressions. The library is opened with dlopen on first use, so that a program that does
// not use it neither requires it nor pays for loading it.

#include <stddef.h>
#include <stdint.h>

typedef struct cpcre2_code cpcre2_code;
typedef struct cpcre2_matcher cpcre2_matcher;

enum {
    CPCRE2_CASELESS = 1,
    CPCRE2_MULTILINE = 2,   // ^ and $ at line ends too
    CPCRE2_DOTALL = 4,      // . matches line ends too
    CPCRE2_WHOLE = 8,       // only a match of the whole subject
    CPCRE2_UNICODE = 16,    // \w, \d, \s, \b by Unicode properties
};

enum { CPCRE2_NOT_BEGIN = 1, CPCRE2_NOT_END = 2 };

// What cpcre2_match returns.
enum { CPCRE2_FOUND = 1, CPCRE2_NONE = 0, CPCRE2_TOO_COMPLEX = -1, CPCRE2_FAILED = -2 };

// Why the library cannot be used; NULL if it can. Callable from any thread.
const char *_Nullable cpcre2_missing(void);

// Compiles a UTF-8 pattern. On failure, returns NULL and sets PCRE2's error number and the byte offset in
// the pattern.
cpcre2_code *_Nullable cpcre2_compile(
    const uint8_t *_Nullable pattern, size_t length, uint32_t options,
    int *_Nonnull error, size_t *_Nonnull offset);
void cpcre2_code_free(cpcre2_code *_Nonnull code);

// Whether a match can begin only at `start`, so that the result depends on `start`.
int cpcre2_is_anchored(const cpcre2_code *_Nonnull code);

// The message for an error number of cpcre2_compile, cut to `size` bytes.
void cpcre2_error_text(int error, char *_Nonnull text, size_t size);

// Makes a matcher, which one thread uses for one match at a time; NULL without memory.
cpcre2_matcher *_Nullable cpcre2_matcher_make(void);
void cpcre2_matcher_free(cpcre2_matcher *_Nonnull matcher);

// Finds the first match that begins from `start` to `last_start`. The subject may contain any bytes;
// invalid UTF-8 matches nothing. CPCRE2_FAILED stores PCRE2's error number in `from`.
int cpcre2_match(
    const cpcre2_code *_Nonnull code, cpcre2_matcher *_Nonnull matcher,
    const uint8_t *_Nullable subject, size_t length, size_t start,
    size_t last_start, uint32_t options,
    size_t *_Nonnull from, size_t *_Nonnull to);

#endif
