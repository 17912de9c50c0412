#ifndef CIDN2_H
#define CIDN2_H

// The ASCII form of international host names (IDNA 2008 and UTS 46), by libidn2. The library is opened on the first
// call; libcurl brings it, so it is usually there.

// What was asked for and what came of it.
enum {
    CIDN2_OK = 0,
    // libidn2 is not available.
    CIDN2_MISSING,
    // A character is not allowed in host names.
    CIDN2_DISALLOWED,
    // A label, or the whole name, is too long.
    CIDN2_TOO_LONG,
    // Anything else; `cidn2_words` says what.
    CIDN2_INVALID,
};

// Converts a host in UTF-8; `is_transitional` also accepts symbols, such as emoji, but maps ß to ss.
//
// Stores the ASCII form, which `cidn2_free` frees, in `*ascii`, or NULL unless the result is CIDN2_OK; `*words` says in
// libidn2's words what is wrong. Callable from any thread.
int cidn2_convert(
    const char *_Nonnull host, int is_transitional, char *_Nullable *_Nonnull ascii,
    const char *_Nullable *_Nonnull words);

void cidn2_free(char *_Nullable ascii);

#endif
