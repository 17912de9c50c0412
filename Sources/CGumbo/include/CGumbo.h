#ifndef CGUMBO_H
#define CGUMBO_H

// Reads HTML with gumbo, which follows the HTML standard's parser and is loaded on first use.

#include <stddef.h>
#include <stdint.h>

// A page's tree, with all the memory that it takes.
typedef struct cgumbo_page cgumbo_page;

// The calls of a walk. Every text is UTF-8, ends with a zero byte and is valid only during the call.
typedef struct {
    void (*_Nonnull begin_element)(
        void *_Nonnull context, const char *_Nonnull name, uint64_t offset);
    // Follows `begin_element`; `value` is NULL if none is written.
    void (*_Nonnull attribute)(
        void *_Nonnull context, const char *_Nonnull name, const char *_Nullable value);
    void (*_Nonnull end_element)(void *_Nonnull context);
    void (*_Nonnull text)(void *_Nonnull context, const char *_Nonnull text);
    void (*_Nonnull comment)(void *_Nonnull context, const char *_Nonnull text, uint64_t offset);
    void (*_Nonnull doctype)(void *_Nonnull context, const char *_Nonnull name);
    // Called with every element; a result other than 0 ends the walk.
    int (*_Nonnull is_cancelled)(void *_Nonnull context);
} cgumbo_handler;

enum {
    CGUMBO_READ = 0,
    CGUMBO_NO_LIBRARY = 1,
    CGUMBO_NO_MEMORY = 2,
    // `is_over` ended it.
    CGUMBO_ENDED = 3,
    // The page takes more memory than `most_memory`.
    CGUMBO_TOO_LARGE = 4,
};

// Reads a whole text, which must stay at its address until the page is freed.
//
// `is_over` is called every few milliseconds with the processor time taken so far, in nanoseconds; a result
// other than 0 ends the reading. `page` is set only if the result is CGUMBO_READ.
int cgumbo_read(
    const uint8_t *_Nonnull text, size_t length, size_t most_memory,
    int (*_Nonnull is_over)(void *_Nonnull context, uint64_t nanoseconds), void *_Nonnull context,
    cgumbo_page *_Nullable *_Nonnull page);

// Calls `handler` for everything on a page, in document order; returns CGUMBO_READ or CGUMBO_NO_MEMORY.
int cgumbo_walk(
    const cgumbo_page *_Nonnull page, const cgumbo_handler *_Nonnull handler,
    void *_Nonnull context);

void cgumbo_free(cgumbo_page *_Nonnull page);

// Loads gumbo if necessary; returns NULL, or why it could not be loaded.
const char *_Nullable cgumbo_reason(void);

#endif
