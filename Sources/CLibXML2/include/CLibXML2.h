#ifndef CLIBXML2_H
#define CLIBXML2_H

// Reads XML event by event with libxml2, which is loaded on first use.
//
// libxml2 brings ICU (30 MB), so the program must not be linked with it. Nothing is loaded for a document:
// no DTD, no external entity, nothing from the network; entities stay as written.

#include <stddef.h>
#include <stdint.h>

// The callbacks of a parse. Every text is UTF-8 and valid only during the call.
typedef struct {
    // `attributes` are `count` pairs of name and value; a value may be NULL.
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
        uint64_t offset);
    // Called with every event and before every 4 KB piece (`is_piece`); a result other than 0 ends the parse.
    int (*_Nonnull is_cancelled)(void *_Nonnull context, int is_piece);
} clibxml2_handler;

enum {
    CLIBXML2_READ = 0,
    CLIBXML2_NO_LIBRARY = 1,
    CLIBXML2_NO_MEMORY = 2,
    CLIBXML2_CANCELLED = 3,
    CLIBXML2_TOO_LONG = 4,
};

// Reads a whole text in libxml2's recovery mode and calls `handler` on this thread.
//
// A tag with more than 10,000 attributes ends the parse with a fault whose line is 0, because libxml2 takes
// quadratic time for attributes.
//
// `encoding` names the text's encoding if it is known from outside the text.
int clibxml2_read(
    const uint8_t *_Nonnull text, size_t length, const char *_Nullable encoding,
    const clibxml2_handler *_Nonnull handler, void *_Nonnull context);

// Loads libxml2 if necessary; returns NULL, or why it could not be loaded.
const char *_Nullable clibxml2_reason(void);

#endif
