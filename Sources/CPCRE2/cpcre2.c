#include "cpcre2.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <CLoader.h>
#include <pcre2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

// Limits, so that no pattern can hang or exhaust memory: steps of one match attempt, KiB of heap, bytes of
// JIT stack, bytes of a pattern.
enum {
    MATCH_LIMIT = 1000000,
    HEAP_LIMIT = 64 << 10,
    STACK_START = 32 << 10,
    // Reserves address space only; a repeated group takes about 30 bytes for each matched character.
    STACK_LIMIT = 64 << 20,
    PATTERN_LIMIT = 64 << 10,
};

#define FUNCTIONS(DO)                                                                      \
    DO(compile_context_create) DO(compile_context_free) DO(set_max_pattern_length)         \
    DO(set_newline) DO(compile) DO(code_free) DO(jit_compile) DO(get_error_message)        \
    DO(pattern_info) DO(set_offset_limit)                                                  \
    DO(match_context_create) DO(match_context_free) DO(set_match_limit)                    \
    DO(set_heap_limit) DO(jit_stack_create) DO(jit_stack_free) DO(jit_stack_assign)        \
    DO(match_data_create) DO(match_data_free) DO(match) DO(get_ovector_pointer)

#define FIELD(NAME) __typeof__(&pcre2_##NAME##_8) NAME;
static struct { FUNCTIONS(FIELD) } pcre2;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char reason[256] = "libpcre2-8 was not opened";

static void load(void) {
    static const char *const names[] = {"libpcre2-8.so.0", NULL};
#define FIND(NAME) {"pcre2_" #NAME "_8", (void **)&pcre2.NAME},
    static const cloader_function functions[] = {FUNCTIONS(FIND)};
    void *library = cloader_open(names, reason, sizeof reason);
    size_t count = sizeof functions / sizeof *functions;
    if (library && cloader_find(library, functions, count, reason, sizeof reason)) reason[0] = 0;
}

const char *cpcre2_missing(void) {
    pthread_once(&once, load);
    return reason[0] ? reason : NULL;
}

struct cpcre2_code {
    pcre2_code_8 *code;
    // Whether a match can begin only at the start offset.
    int is_anchored;
};

static uint32_t compile_options(uint32_t options) {
    uint32_t given = PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_DOLLAR_ENDONLY |
                     PCRE2_USE_OFFSET_LIMIT;
    if (options & CPCRE2_CASELESS) given |= PCRE2_CASELESS;
    if (options & CPCRE2_MULTILINE) given |= PCRE2_MULTILINE;
    if (options & CPCRE2_DOTALL) given |= PCRE2_DOTALL;
    // Set here and not when matching, because PCRE2 would then not use the JIT code.
    if (options & CPCRE2_WHOLE) given |= PCRE2_ANCHORED | PCRE2_ENDANCHORED;
    if (options & CPCRE2_UNICODE) given |= PCRE2_UCP;
    return given;
}

// Whether a pattern may contain \G, the start offset.
static int has_begin(const uint8_t *pattern, size_t length) {
    for (size_t at = 1; at < length; at++)
        if (pattern[at] == 'G' && pattern[at - 1] == '\\') return 1;
    return 0;
}

cpcre2_code *cpcre2_compile(
    const uint8_t *pattern, size_t length, uint32_t options, int *error, size_t *offset) {
    *error = PCRE2_ERROR_NOMEMORY;
    *offset = 0;
    if (cpcre2_missing()) return NULL;
    pcre2_compile_context_8 *context = pcre2.compile_context_create(NULL);
    cpcre2_code *made = malloc(sizeof *made);
    if (!context || !made) {
        if (context) pcre2.compile_context_free(context);
        free(made);
        return NULL;
    }
    if (!pattern) pattern = (const uint8_t *)"";
    pcre2.set_max_pattern_length(context, PATTERN_LIMIT);
    pcre2.set_newline(context, PCRE2_NEWLINE_ANYCRLF);
    made->code =
        pcre2.compile(pattern, length, compile_options(options), error, offset, context);
    pcre2.compile_context_free(context);
    if (!made->code) {
        free(made);
        return NULL;
    }
    uint32_t all = 0;
    pcre2.pattern_info(made->code, PCRE2_INFO_ALLOPTIONS, &all);
    made->is_anchored = (all & PCRE2_ANCHORED) || has_begin(pattern, length);
    // If the system forbids executable memory, the interpreter is used: slower, with the same matches.
    pcre2.jit_compile(made->code, PCRE2_JIT_COMPLETE);
    return made;
}

void cpcre2_code_free(cpcre2_code *code) {
    pcre2.code_free(code->code);
    free(code);
}

int cpcre2_is_anchored(const cpcre2_code *code) { return code->is_anchored; }

void cpcre2_error_text(int error, char *text, size_t size) {
    text[0] = 0;
    if (!cpcre2_missing()) pcre2.get_error_message(error, (PCRE2_UCHAR8 *)text, size);
}

struct cpcre2_matcher {
    pcre2_match_context_8 *context;
    pcre2_jit_stack_8 *stack;
    pcre2_match_data_8 *data;
    // The offset limit set in the context; PCRE2_UNSET at first.
    size_t last_start;
};

void cpcre2_matcher_free(cpcre2_matcher *matcher) {
    if (matcher->data) pcre2.match_data_free(matcher->data);
    if (matcher->context) pcre2.match_context_free(matcher->context);
    if (matcher->stack) pcre2.jit_stack_free(matcher->stack);
    free(matcher);
}

cpcre2_matcher *cpcre2_matcher_make(void) {
    if (cpcre2_missing()) return NULL;
    cpcre2_matcher *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->context = pcre2.match_context_create(NULL);
    made->stack = pcre2.jit_stack_create(STACK_START, STACK_LIMIT, NULL);
    // One pair for the match; groups are not needed.
    made->data = pcre2.match_data_create(1, NULL);
    if (!made->context || !made->data) {
        cpcre2_matcher_free(made);
        return NULL;
    }
    made->last_start = PCRE2_UNSET;
    pcre2.set_match_limit(made->context, MATCH_LIMIT);
    pcre2.set_heap_limit(made->context, HEAP_LIMIT);
    if (made->stack) pcre2.jit_stack_assign(made->context, NULL, made->stack);
    return made;
}

int cpcre2_match(
    const cpcre2_code *code, cpcre2_matcher *matcher, const uint8_t *subject, size_t length,
    size_t start, size_t last_start, uint32_t options, size_t *from, size_t *to) {
    uint32_t given = 0;
    if (options & CPCRE2_NOT_BEGIN) given |= PCRE2_NOTBOL;
    if (options & CPCRE2_NOT_END) given |= PCRE2_NOTEOL;
    if (!subject) subject = (const uint8_t *)"";
    if (last_start >= length) last_start = PCRE2_UNSET;
    if (matcher->last_start != last_start) {
        matcher->last_start = last_start;
        pcre2.set_offset_limit(matcher->context, last_start);
    }
    int result =
        pcre2.match(code->code, subject, length, start, given, matcher->data, matcher->context);
    if (result == PCRE2_ERROR_NOMATCH) return CPCRE2_NONE;
    if (result == PCRE2_ERROR_MATCHLIMIT || result == PCRE2_ERROR_DEPTHLIMIT ||
        result == PCRE2_ERROR_HEAPLIMIT || result == PCRE2_ERROR_JIT_STACKLIMIT)
        return CPCRE2_TOO_COMPLEX;
    if (result < 0) {
        *from = (size_t)-result;
        return CPCRE2_FAILED;
    }
    PCRE2_SIZE *ovector = pcre2.get_ovector_pointer(matcher->data);
    *from = ovector[0];
    // \K in a lookahead can put the end before the start.
    *to = ovector[1] < ovector[0] ? ovector[0] : ovector[1];
    return CPCRE2_FOUND;
}
