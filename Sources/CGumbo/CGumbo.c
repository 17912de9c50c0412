// gumbo has no way to stop it, and some texts take it quadratic time without a single call to the outside:
// 100,000 open elements are gone through for each character after them. So it reads on a thread of its own,
// which is cancelled wherever it is. That is safe because it owns nothing but the memory it is given here:
// all of that is freed at once, without gumbo, which would also recurse over the tree to free it.

// For pthread_clockjoin_np.
#define _GNU_SOURCE

#include "CGumbo.h"

#include <CLoader.h>
#include <gumbo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// The pointers have the types of gumbo's declarations, so that the compiler checks every call.
#define FUNCTIONS(F)                \
    F(gumbo_parse_with_options)     \
    F(gumbo_normalized_tagname)     \
    F(gumbo_tag_enum)               \
    F(gumbo_tag_from_original_text) \
    F(gumbo_normalize_svg_tagname)

#define DECLARE(NAME) __typeof__(&NAME) NAME##_;
static struct { FUNCTIONS(DECLARE) } gumbo;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char reason[256];
static int is_loaded;
// The number of a tag that HTML does not know. It follows those of all others, which later versions have more of.
static GumboTag unknown_tag;

static void load(void) {
    // 0.10 to 0.13. Their trees have one layout: only the numbers of tags differ, which are asked for. Another
    // version is not opened, for nobody has compared its layout.
    static const char *const names[] = {
        "libgumbo.so.1", "libgumbo.so.2", "libgumbo.so.3", NULL};
#define FIND(NAME) {#NAME, (void **)&gumbo.NAME##_},
    static const cloader_function functions[] = {FUNCTIONS(FIND)};
    // Bound at once, because a thread must not be cancelled while the loader looks for a function.
    void *library = cloader_open_bound(names, reason, sizeof reason);
    size_t count = sizeof functions / sizeof *functions;
    if (!library || !cloader_find(library, functions, count, reason, sizeof reason)) return;
    unknown_tag = gumbo.gumbo_tag_enum_("-");
    is_loaded = 1;
}

const char *cgumbo_reason(void) {
    pthread_once(&once, load);
    return is_loaded ? NULL : reason;
}

// MARK: - Memory

// Blocks have one of these sizes: each multiple of 16 up to 1 KB, then each power of two.
#define SMALL_CLASSES 64
#define CLASSES (SMALL_CLASSES + 54)

typedef struct block {
    size_t class;
    // The next free block of the class, if this one is free.
    struct block *next;
} block;

typedef struct chunk {
    struct chunk *next;
    size_t size;
} chunk;

struct cgumbo_page {
    const char *text;
    size_t length;
    GumboOutput *output;
    chunk *chunks;
    block *free_blocks[CLASSES];
    // The unused end of the last chunk.
    char *at;
    size_t left;
    size_t used;
    size_t most_memory;
    int is_too_large;
};

static size_t class_of(size_t size) {
    if (size <= 16 * SMALL_CLASSES) return size ? (size - 1) / 16 : 0;
    return SMALL_CLASSES + (size_t)(63 - __builtin_clzl(size - 1)) - 10;
}

static size_t size_of_class(size_t class) {
    if (class < SMALL_CLASSES) return 16 * (class + 1);
    return (size_t)1 << (class - SMALL_CLASSES + 11);
}

// Takes a chunk for a block of `size` bytes, or ends the thread.
static void grow(cgumbo_page *page, size_t size) {
    // malloc holds a lock, and what it returns must get into the list.
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    size_t wanted = page->used < ((size_t)64 << 10) ? (size_t)64 << 10 : page->used / 2;
    if (wanted > (size_t)4 << 20) wanted = (size_t)4 << 20;
    if (wanted < size + sizeof(chunk)) wanted = size + sizeof(chunk);
    chunk *new = NULL;
    if (wanted <= page->most_memory - page->used) new = malloc(wanted);
    if (!new) {
        page->is_too_large = 1;
        pthread_exit(NULL);
    }
    new->next = page->chunks;
    new->size = wanted;
    page->chunks = new;
    page->at = (char *)(new + 1);
    page->left = wanted - sizeof(chunk);
    page->used += wanted;
    pthread_setcancelstate(state, &state);
}

static void *allocate(void *data, size_t size) {
    cgumbo_page *page = data;
    size_t class = class_of(size);
    if (size > page->most_memory || class >= CLASSES) {
        page->is_too_large = 1;
        pthread_exit(NULL);
    }
    block *found = page->free_blocks[class];
    if (found) {
        page->free_blocks[class] = found->next;
    } else {
        size_t whole = sizeof(block) + size_of_class(class);
        if (page->left < whole) grow(page, whole);
        found = (block *)page->at;
        found->class = class;
        page->at += whole;
        page->left -= whole;
    }
    return found + 1;
}

static void release(void *data, void *memory) {
    cgumbo_page *page = data;
    if (!memory) return;
    block *freed = (block *)memory - 1;
    freed->next = page->free_blocks[freed->class];
    page->free_blocks[freed->class] = freed;
}

void cgumbo_free(cgumbo_page *page) {
    while (page->chunks) {
        chunk *next = page->chunks->next;
        free(page->chunks);
        page->chunks = next;
    }
    free(page);
}

// MARK: - Reading

static void *read_page(void *data) {
    cgumbo_page *page = data;
    GumboOptions options = {
        .allocator = allocate, .deallocator = release, .userdata = page, .tab_stop = 8,
        // The standard says what becomes of every error, so nobody needs to hear of them.
        .max_errors = 0, .fragment_context = unknown_tag + 1,
        .fragment_namespace = GUMBO_NAMESPACE_HTML};
    // The first chunk, with which every function that `grow` calls is bound too.
    grow(page, 0);
    int state;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &state);
    GumboOutput *output = gumbo.gumbo_parse_with_options_(&options, page->text, page->length);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &state);
    page->output = output;
    return NULL;
}

static int start_thread(cgumbo_page *page, pthread_t *thread) {
    // A signal to the process is not for this thread.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = pthread_create(thread, NULL, read_page, page);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return result == 0;
}

static uint64_t nanoseconds(struct timespec time) {
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

// Waits until the thread has ended; cancels it when `is_over` says so.
static int wait_for(
    pthread_t thread, int (*is_over)(void *context, uint64_t nanoseconds), void *context) {
    clockid_t processor;
    int has_clock = pthread_getcpuclockid(thread, &processor) == 0;
    int is_cancelled = 0;
    for (;;) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 5000000;
        if (until.tv_nsec >= 1000000000) {
            until.tv_nsec -= 1000000000;
            until.tv_sec++;
        }
        if (pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &until) == 0) return is_cancelled;
        struct timespec taken = {0, 0};
        if (has_clock) clock_gettime(processor, &taken);
        if (is_cancelled || !is_over(context, nanoseconds(taken))) continue;
        is_cancelled = 1;
        pthread_cancel(thread);
    }
}

int cgumbo_read(
    const uint8_t *text, size_t length, size_t most_memory,
    int (*is_over)(void *context, uint64_t nanoseconds), void *context, cgumbo_page **result) {
    if (cgumbo_reason()) return CGUMBO_NO_LIBRARY;
    cgumbo_page *page = calloc(1, sizeof *page);
    if (!page) return CGUMBO_NO_MEMORY;
    page->text = (const char *)text;
    page->length = length;
    page->most_memory = most_memory;
    pthread_t thread;
    if (!start_thread(page, &thread)) {
        cgumbo_free(page);
        return CGUMBO_NO_MEMORY;
    }
    wait_for(thread, is_over, context);
    // It may have ended by itself after all.
    if (page->output) {
        *result = page;
        return CGUMBO_READ;
    }
    int is_too_large = page->is_too_large;
    cgumbo_free(page);
    return is_too_large ? CGUMBO_TOO_LARGE : CGUMBO_ENDED;
}

// MARK: - Walking

// An element whose children are being walked.
typedef struct {
    const GumboVector *children;
    unsigned int next;
} level;

typedef struct {
    const cgumbo_handler *handler;
    void *context;
    level *levels;
    size_t count;
    size_t room;
    // For a name that gumbo does not have as text.
    char *name;
    size_t name_room;
    int is_out_of_memory;
    int is_cancelled;
} walk;

static int make_room(void **memory, size_t *room, size_t wanted, size_t size) {
    if (wanted <= *room) return 1;
    size_t larger = wanted * 2 + 64;
    void *new = realloc(*memory, larger * size);
    if (!new) return 0;
    *memory = new;
    *room = larger;
    return 1;
}

static void enter(walk *w, const GumboVector *children) {
    if (!make_room((void **)&w->levels, &w->room, w->count + 1, sizeof *w->levels)) {
        w->is_out_of_memory = 1;
        return;
    }
    w->levels[w->count++] = (level){children, 0};
}

// A name that HTML does not know, in lower case; NULL if memory runs out.
static const char *unknown_name(walk *w, GumboStringPiece piece) {
    // A zero byte becomes the three of U+FFFD.
    if (!make_room((void **)&w->name, &w->name_room, 3 * piece.length + 1, 1)) return NULL;
    char *end = w->name;
    for (size_t i = 0; i < piece.length; i++) {
        char byte = piece.data[i];
        if (byte == 0) {
            memcpy(end, "\xEF\xBF\xBD", 3);
            end += 3;
        } else {
            *end++ = byte >= 'A' && byte <= 'Z' ? (char)(byte | 0x20) : byte;
        }
    }
    *end = 0;
    return w->name;
}

static const char *name_of(walk *w, const GumboElement *element) {
    GumboStringPiece piece = element->original_tag;
    if (piece.length) gumbo.gumbo_tag_from_original_text_(&piece);
    if (element->tag_namespace == GUMBO_NAMESPACE_SVG && piece.length) {
        const char *name = gumbo.gumbo_normalize_svg_tagname_(&piece);
        if (name) return name;
    }
    if (element->tag != unknown_tag) return gumbo.gumbo_normalized_tagname_(element->tag);
    return unknown_name(w, piece);
}

static const char *prefix_of(const GumboAttribute *attribute) {
    switch (attribute->attr_namespace) {
    case GUMBO_ATTR_NAMESPACE_XLINK: return "xlink:";
    case GUMBO_ATTR_NAMESPACE_XML: return "xml:";
    case GUMBO_ATTR_NAMESPACE_XMLNS: return strcmp(attribute->name, "xmlns") ? "xmlns:" : "";
    default: return "";
    }
}

static void attribute(walk *w, const GumboAttribute *attribute) {
    const char *prefix = prefix_of(attribute);
    const char *name = attribute->name;
    // gumbo takes the prefix off a few names, none of which is long.
    char whole[64];
    if (*prefix) {
        snprintf(whole, sizeof whole, "%s%s", prefix, name);
        name = whole;
    }
    // Without a value, gumbo has the name for its text.
    int has_value = attribute->original_value.data != attribute->original_name.data;
    w->handler->attribute(w->context, name, has_value ? attribute->value : NULL);
}

static void element(walk *w, const GumboElement *element) {
    const char *name = name_of(w, element);
    if (!name) {
        w->is_out_of_memory = 1;
        return;
    }
    w->handler->begin_element(w->context, name, element->start_pos.offset);
    for (unsigned int i = 0; i < element->attributes.length; i++) {
        attribute(w, element->attributes.data[i]);
    }
    enter(w, &element->children);
    w->is_cancelled = w->handler->is_cancelled(w->context);
}

static void node(walk *w, const GumboNode *node) {
    switch (node->type) {
    case GUMBO_NODE_ELEMENT:
    case GUMBO_NODE_TEMPLATE: element(w, &node->v.element); break;
    case GUMBO_NODE_COMMENT:
        w->handler->comment(w->context, node->v.text.text, node->v.text.start_pos.offset);
        break;
    case GUMBO_NODE_TEXT:
    case GUMBO_NODE_CDATA:
    case GUMBO_NODE_WHITESPACE: w->handler->text(w->context, node->v.text.text); break;
    case GUMBO_NODE_DOCUMENT: break;
    }
}

int cgumbo_walk(const cgumbo_page *page, const cgumbo_handler *handler, void *context) {
    walk w = {.handler = handler, .context = context};
    const GumboDocument *document = &page->output->document->v.document;
    if (document->has_doctype) handler->doctype(context, document->name ? document->name : "");
    enter(&w, &document->children);
    while (w.count && !w.is_out_of_memory && !w.is_cancelled) {
        level *last = &w.levels[w.count - 1];
        if (last->next < last->children->length) {
            node(&w, last->children->data[last->next++]);
        } else if (--w.count) {
            handler->end_element(context);
        }
    }
    free(w.levels);
    free(w.name);
    return w.is_out_of_memory ? CGUMBO_NO_MEMORY : CGUMBO_READ;
}
