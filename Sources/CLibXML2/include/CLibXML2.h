#ifndef CLIBXML2_H
#define CLIBXML2_H

// XML and HTML read event by event with libxml2, which is loaded when it is first needed.
//
// libxml2 brings ICU (30 MB), so the program must not name it among its libraries. Nothing is
// ever loaded for a document: no DTD, no external entity, no network; entities stay as written.

#include <stddef.h>
#include <stdint.h>

// What is told while a text is read. Every text is UTF-8 and valid only during the call.
typedef struct {
    // `attributes` are `count` pairs of name and value; a value may be NULL (HTML: no value).
    void (*_Nonnull start_element)(
        void *_Nonnull context, const char *_Nonnull name,
        const char *_Nullable const *_Nullable attributes, size_t count, uint64_t offset);
    void (*_Nonnull end_element)(void *_Nonnull context);
    void (*_Nonnull text)(void *_Nonnull context, const char *_Nonnull text, size_t length);
    // An entity reference other than XML's five, in the text: the name without & and ;.
    void (*_Nonnull entity)(void *_Nonnull context, const char *_Nonnull name);
    void (*_Nonnull comment)(void *_Nonnull context, const char *_Nonnull text, uint64_t offset);
    void (*_Nonnull instruction)(
        void *_Nonnull context, const char *_Nonnull target, const char *_Nullable data,
        uint64_t offset);
    void (*_Nonnull doctype)(void *_Nonnull context, const char *_Nonnull name);
    void (*_Nonnull fault)(
        void *_Nonnull context, const char *_Nonnull message, int line, int column,
        uint64_t offset, int is_fatal);
    // Asked at everything that is told and before every piece of 4 KB (`is_piece`): other than 0
    // ends the parse.
    int (*_Nonnull is_cancelled)(void *_Nonnull context, int is_piece);
} clibxml2_handler;

enum {
    CLIBXML2_READ = 0,
    CLIBXML2_NO_LIBRARY = 1,
    CLIBXML2_NO_MEMORY = 2,
    CLIBXML2_CANCELLED = 3,
    CLIBXML2_TOO_LONG = 4,
};

// Reads a whole text in libxml2's recovering mode, and tells `handler` about it on this thread.
//
// A tag with more than 10,000 attributes ends it with a fault, because libxml2 takes quadratic time
// for them; its line is 0.
//
// `encoding` is the name of the text's encoding when something outside of the text says it.
int clibxml2_read(
    const uint8_t *_Nonnull text, size_t length, const char *_Nullable encoding, int is_html,
    const clibxml2_handler *_Nonnull handler, void *_Nonnull context);

// Why libxml2 could not be loaded; NULL while it was not tried or when it was.
const char *_Nullable clibxml2_reason(void);

#endif
