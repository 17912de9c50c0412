#ifndef CSEARCH_H
#define CSEARCH_H

// Search at memory speed, with bit masks for 64 bytes at a time, one bit per byte. A vector form and a
// portable form give the same bits.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cscan.h"

// Two bytes of a needle. A byte of the text fits if (byte | or) == value: 0x20 makes both cases of a letter
// equal, and 0xff with 0xff makes every byte fit.
typedef struct {
    uint8_t first_or, first, second_or, second;
} csearch_pair;

// The two bytes of a needle that are searched for, in up to four spellings.
typedef struct {
    uint32_t pair_count;
    uint32_t first_offset, second_offset;
    csearch_pair pairs[4];
} csearch_anchor;

// Masks of 64 bytes: where a needle may begin, and where there is a backslash.
typedef struct {
    uint64_t starts, slashes;
} csearch_masks;

// Portable: an exact mask of eight bits, one for each of eight bytes that is zero.
static inline uint64_t csearch_zero8(uint64_t v) {
    const uint64_t low7 = 0x7f7f7f7f7f7f7f7fu;
    uint64_t zero = ~(((v & low7) + low7) | v | low7);
    // Gathers the high bits: bit 8k+7 moves to bit k of the top byte.
    return ((zero >> 7) * 0x0102040810204080u) >> 56;
}

static inline uint64_t csearch_equal64_portable(const uint8_t *_Nonnull p, uint8_t fold, uint8_t value) {
    const uint64_t ones = 0x0101010101010101u;
    uint64_t mask = 0;
    for (int i = 0; i < 8; i++) {
        uint64_t v = cscan_load_u64(p + 8 * i);
        mask |= csearch_zero8((v | ones * fold) ^ (ones * value)) << (8 * i);
    }
    return mask;
}

static inline csearch_masks csearch_masks_portable(
    const uint8_t *_Nonnull p, const csearch_anchor *_Nonnull anchor, bool wants_slashes) {
    csearch_masks found = {0, 0};
    for (uint32_t i = 0; i < anchor->pair_count; i++) {
        csearch_pair pair = anchor->pairs[i];
        found.starts |=
            csearch_equal64_portable(p + anchor->first_offset, pair.first_or, pair.first)
            & csearch_equal64_portable(p + anchor->second_offset, pair.second_or, pair.second);
    }
    if (wants_slashes) found.slashes = csearch_equal64_portable(p, 0, '\\');
    return found;
}

#if defined(__x86_64__)
typedef __m128i csearch_vector;
#define CSEARCH_LOAD(P) _mm_loadu_si128((const __m128i *)(P))
#define CSEARCH_SPLAT(B) _mm_set1_epi8((char)(B))
#define CSEARCH_EQUAL(A, B) _mm_cmpeq_epi8(A, B)
#define CSEARCH_OR(A, B) _mm_or_si128(A, B)
#define CSEARCH_AND(A, B) _mm_and_si128(A, B)
static inline uint64_t csearch_bits(
    csearch_vector a, csearch_vector b, csearch_vector c, csearch_vector d) {
    uint64_t low = (uint32_t)_mm_movemask_epi8(a) | (uint32_t)_mm_movemask_epi8(b) << 16;
    uint64_t high = (uint32_t)_mm_movemask_epi8(c) | (uint32_t)_mm_movemask_epi8(d) << 16;
    return low | high << 32;
}
static inline bool csearch_any(csearch_vector v) { return _mm_movemask_epi8(v) != 0; }
#elif defined(__aarch64__)
typedef uint8x16_t csearch_vector;
#define CSEARCH_LOAD(P) vld1q_u8(P)
#define CSEARCH_SPLAT(B) vdupq_n_u8((uint8_t)(B))
#define CSEARCH_EQUAL(A, B) vceqq_u8(A, B)
#define CSEARCH_OR(A, B) vorrq_u8(A, B)
#define CSEARCH_AND(A, B) vandq_u8(A, B)
static inline uint64_t csearch_bits(
    csearch_vector a, csearch_vector b, csearch_vector c, csearch_vector d) {
    const uint8x16_t bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t ab = vpaddq_u8(vandq_u8(a, bit), vandq_u8(b, bit));
    uint8x16_t cd = vpaddq_u8(vandq_u8(c, bit), vandq_u8(d, bit));
    uint8x16_t all = vpaddq_u8(ab, cd);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
}
static inline bool csearch_any(csearch_vector v) { return vmaxvq_u8(v) != 0; }
#endif

#if defined(CSCAN_VECTOR)
static inline uint64_t csearch_equal64_vector(const uint8_t *_Nonnull p, uint8_t value) {
    csearch_vector v = CSEARCH_SPLAT(value);
    return csearch_bits(
        CSEARCH_EQUAL(CSEARCH_LOAD(p), v), CSEARCH_EQUAL(CSEARCH_LOAD(p + 16), v),
        CSEARCH_EQUAL(CSEARCH_LOAD(p + 32), v), CSEARCH_EQUAL(CSEARCH_LOAD(p + 48), v));
}

// Where both bytes of a pair fit, as sixteen bytes of all ones or all zeros.
static inline csearch_vector csearch_fit(
    const uint8_t *_Nonnull first, const uint8_t *_Nonnull second, csearch_pair pair) {
    return CSEARCH_AND(
        CSEARCH_EQUAL(
            CSEARCH_OR(CSEARCH_LOAD(first), CSEARCH_SPLAT(pair.first_or)), CSEARCH_SPLAT(pair.first)),
        CSEARCH_EQUAL(
            CSEARCH_OR(CSEARCH_LOAD(second), CSEARCH_SPLAT(pair.second_or)),
            CSEARCH_SPLAT(pair.second)));
}

static inline csearch_masks csearch_masks_vector(
    const uint8_t *_Nonnull p, const csearch_anchor *_Nonnull anchor, bool wants_slashes) {
    csearch_masks found = {0, 0};
    const uint8_t *first = p + anchor->first_offset, *second = p + anchor->second_offset;
    for (uint32_t i = 0; i < anchor->pair_count; i++) {
        csearch_pair pair = anchor->pairs[i];
        found.starts |= csearch_bits(
            csearch_fit(first, second, pair), csearch_fit(first + 16, second + 16, pair),
            csearch_fit(first + 32, second + 32, pair), csearch_fit(first + 48, second + 48, pair));
    }
    if (wants_slashes) found.slashes = csearch_equal64_vector(p, '\\');
    return found;
}

// Skips the blocks in which the single pair fits nowhere; this loop runs over the whole text.
static inline size_t csearch_skip_vector(
    const uint8_t *_Nonnull p, size_t at, size_t stop, const csearch_anchor *_Nonnull anchor,
    bool wants_slashes) {
    const csearch_pair pair = anchor->pairs[0];
    const csearch_vector slash = CSEARCH_SPLAT('\\');
    for (; at < stop; at += 64) {
        const uint8_t *here = p + at;
        const uint8_t *first = here + anchor->first_offset, *second = here + anchor->second_offset;
        csearch_vector any = CSEARCH_OR(
            CSEARCH_OR(csearch_fit(first, second, pair), csearch_fit(first + 16, second + 16, pair)),
            CSEARCH_OR(
                csearch_fit(first + 32, second + 32, pair),
                csearch_fit(first + 48, second + 48, pair)));
        if (wants_slashes) {
            csearch_vector low = CSEARCH_OR(
                CSEARCH_EQUAL(CSEARCH_LOAD(here), slash), CSEARCH_EQUAL(CSEARCH_LOAD(here + 16), slash));
            csearch_vector high = CSEARCH_OR(
                CSEARCH_EQUAL(CSEARCH_LOAD(here + 32), slash),
                CSEARCH_EQUAL(CSEARCH_LOAD(here + 48), slash));
            any = CSEARCH_OR(any, CSEARCH_OR(low, high));
        }
        if (csearch_any(any)) break;
    }
    return at;
}
#else
#define csearch_masks_vector csearch_masks_portable
#endif

// Moves in blocks of 64 bytes from `at` to the first block with a bit in its masks, or at least to `stop`.
// Reads up to `second_offset` + 64 bytes from the start of a block.
static inline size_t csearch_next(
    const uint8_t *_Nonnull p, size_t at, size_t stop, const csearch_anchor *_Nonnull anchor,
    bool wants_slashes, csearch_masks *_Nonnull found) {
    for (; at < stop; at += 64) {
#if defined(CSCAN_VECTOR)
        if (anchor->pair_count == 1) {
            at = wants_slashes ? csearch_skip_vector(p, at, stop, anchor, true)
                               : csearch_skip_vector(p, at, stop, anchor, false);
            if (at >= stop) break;
        }
#endif
        *found = csearch_masks_vector(p + at, anchor, wants_slashes);
        if (found->starts | found->slashes) break;
    }
    return at;
}

// The state of a JSON lexer between two blocks.
typedef struct {
    uint64_t in_string;  // all ones inside a string
    uint64_t escaped;    // 1 if the next byte belongs to an escape
} csearch_lexer;

// Works byte by byte, for a block with a line feed in a string. JSON does not allow that, so the text is
// broken there, and the string is assumed to end.
static inline uint64_t csearch_broken_strings(
    const uint8_t *_Nonnull p, csearch_lexer *_Nonnull lexer) {
    bool in_string = lexer->in_string != 0, escaped = lexer->escaped != 0;
    uint64_t mask = 0;
    for (int i = 0; i < 64; i++) {
        uint8_t byte = p[i];
        if (byte == '\n') in_string = escaped = false;
        else if (escaped) escaped = false;
        else if (byte == '\\') escaped = true;
        else if (byte == '"') in_string = !in_string;
        mask |= (uint64_t)in_string << i;
    }
    lexer->in_string = in_string ? ~(uint64_t)0 : 0;
    lexer->escaped = escaped;
    return mask;
}

static inline uint64_t csearch_strings_from(
    const uint8_t *_Nonnull p, csearch_lexer *_Nonnull lexer, uint64_t quotes, uint64_t slashes,
    uint64_t feeds) {
    const csearch_lexer before = *lexer;
    if (slashes | lexer->escaped) {
        uint64_t escaped = lexer->escaped;
        lexer->escaped = 0;
        for (uint64_t rest = slashes & ~escaped; rest;) {
            int bit = __builtin_ctzll(rest);
            if (bit == 63) {
                lexer->escaped = 1;
                break;
            }
            escaped |= (uint64_t)2 << bit;
            rest &= ~((uint64_t)3 << bit);
        }
        quotes &= ~escaped;
    }
    // Every quote flips all bits from its position on.
    uint64_t mask = quotes;
    for (int shift = 1; shift < 64; shift *= 2) mask ^= mask << shift;
    mask ^= lexer->in_string;
    lexer->in_string = mask >> 63 ? ~(uint64_t)0 : 0;
    if (mask & feeds) {
        *lexer = before;
        return csearch_broken_strings(p, lexer);
    }
    return mask;
}

// The bytes of 64 that are inside a string, including the opening quote and excluding the closing one.
static inline uint64_t csearch_strings_portable(
    const uint8_t *_Nonnull p, csearch_lexer *_Nonnull lexer) {
    return csearch_strings_from(
        p, lexer, csearch_equal64_portable(p, 0, '"'), csearch_equal64_portable(p, 0, '\\'),
        csearch_equal64_portable(p, 0, '\n'));
}

static inline uint64_t csearch_strings(const uint8_t *_Nonnull p, csearch_lexer *_Nonnull lexer) {
#if defined(CSCAN_VECTOR)
    return csearch_strings_from(
        p, lexer, csearch_equal64_vector(p, '"'), csearch_equal64_vector(p, '\\'),
        csearch_equal64_vector(p, '\n'));
#else
    return csearch_strings_portable(p, lexer);
#endif
}

#endif
