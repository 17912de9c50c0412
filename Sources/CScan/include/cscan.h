#ifndef CSCAN_H
#define CSCAN_H

// Operations that are faster in C than in Swift: masks of 16 bytes at a time, and relaxed atomic access to
// fields of plain memory. Everything is inlined into the Swift loops that use it.

#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <emmintrin.h>
#define CSCAN_VECTOR 1
#elif defined(__aarch64__)
#include <arm_neon.h>
#define CSCAN_VECTOR 1
#endif

// Always inlined, because a call would move the registers of the calling loop to memory.
#define CSCAN_INLINE static inline __attribute__((always_inline))

CSCAN_INLINE uint64_t cscan_load_u64(const uint8_t *_Nonnull p) {
    uint64_t v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
}

// Portable: the high bit of every byte that is '"', '\', below 0x20 or above 0x7f. Only the lowest set bit
// is exact (borrows run upwards), which is enough for a scan.
CSCAN_INLINE uint64_t cscan_special8(uint64_t v) {
    const uint64_t low = 0x0101010101010101u, high = 0x8080808080808080u;
    uint64_t quote = v ^ 0x2222222222222222u, slash = v ^ 0x5c5c5c5c5c5c5c5cu;
    return (((quote - low) & ~quote) | ((slash - low) & ~slash)
            | ((v - 0x2020202020202020u) & ~v) | v) & high;
}

CSCAN_INLINE size_t cscan_special_portable(const uint8_t *_Nonnull p, size_t at) {
    for (;; at += 8) {
        uint64_t mask = cscan_special8(cscan_load_u64(p + at));
        if (mask) return at + (size_t)(__builtin_ctzll(mask) >> 3);
    }
}

// The first byte at or after `at` that ends the fast part of a string: '"', '\', a control character or a
// byte of a longer UTF-8 sequence. There must be a NUL before the last 16 readable bytes.
CSCAN_INLINE size_t cscan_special_vector(const uint8_t *_Nonnull p, size_t at) {
#if defined(__x86_64__)
    for (;; at += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(p + at));
        __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
        __m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
        // Compared as signed, which finds both < 0x20 and >= 0x80.
        __m128i control = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20));
        int mask = _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), control));
        if (mask) return at + (size_t)__builtin_ctz((unsigned)mask);
    }
#elif defined(__aarch64__)
    for (;; at += 16) {
        uint8x16_t v = vld1q_u8(p + at);
        uint8x16_t hit = vorrq_u8(
            vorrq_u8(vceqq_u8(v, vdupq_n_u8('"')), vceqq_u8(v, vdupq_n_u8('\\'))),
            vcltq_s8(vreinterpretq_s8_u8(v), vdupq_n_s8(0x20)));
        // Four bits per byte, NEON's replacement for movemask.
        uint64_t mask = vget_lane_u64(
            vreinterpret_u64_u8(vshrn_n_u16(vreinterpretq_u16_u8(hit), 4)), 0);
        if (mask) return at + (size_t)(__builtin_ctzll(mask) >> 2);
    }
#else
    return cscan_special_portable(p, at);
#endif
}

CSCAN_INLINE size_t cscan_digits_portable(const uint8_t *_Nonnull p, size_t at) {
    for (;; at += 8) {
        uint64_t x = cscan_load_u64(p + at) ^ 0x3030303030303030u;
        uint64_t other = (((x & 0x7f7f7f7f7f7f7f7fu) + 0x7676767676767676u) | x)
            & 0x8080808080808080u;
        if (other) return at + (size_t)(__builtin_ctzll(other) >> 3);
    }
}

// The first byte at or after `at` that is not a decimal digit.
CSCAN_INLINE size_t cscan_digits_vector(const uint8_t *_Nonnull p, size_t at) {
#if defined(__x86_64__)
    for (;; at += 16) {
        __m128i v = _mm_sub_epi8(
            _mm_loadu_si128((const __m128i *)(p + at)), _mm_set1_epi8('0'));
        __m128i digit = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(9)), v);
        unsigned other = (unsigned)_mm_movemask_epi8(digit) ^ 0xffff;
        if (other) return at + (size_t)__builtin_ctz(other);
    }
#else
    return cscan_digits_portable(p, at);
#endif
}

// The first byte at or after `at` that is not JSON white space.
CSCAN_INLINE size_t cscan_blanks(const uint8_t *_Nonnull p, size_t at) {
#if defined(__x86_64__)
    for (;; at += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(p + at));
        __m128i blank = _mm_or_si128(
            _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(' ')),
                         _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'))),
            _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\r')),
                         _mm_cmpeq_epi8(v, _mm_set1_epi8('\t'))));
        unsigned other = (unsigned)_mm_movemask_epi8(blank) ^ 0xffff;
        if (other) return at + (size_t)__builtin_ctz(other);
    }
#else
    for (;; at += 1) {
        uint8_t byte = p[at];
        if (byte != ' ' && byte != '\n' && byte != '\r' && byte != '\t') return at;
        // Indentation, eight spaces at once.
        if (byte != '\n') continue;
        for (;; at += 8) {
            uint64_t other = cscan_load_u64(p + at + 1) ^ 0x2020202020202020u;
            if (other == 0) continue;
            at += (size_t)(__builtin_ctzll(other) >> 3);
            break;
        }
    }
#endif
}

// Returns the number, hidden from the optimizer: otherwise, after a comparison for equality, the compiler
// may replace it with the other number.
CSCAN_INLINE size_t cscan_opaque(size_t number) {
    __asm__("" : "+r"(number));
    return number;
}

// Skips whole characters in a string, starting at the first byte of one, up to a '"', a '\', a control
// character, or close to invalid UTF-8. It may return `at` unchanged.
size_t cscan_text_vector(const uint8_t *_Nonnull p, size_t at);

// Skips `lines` line feeds, or goes to `end`. Returns the new position and sets `lines` to the number of
// missing line feeds.
static inline size_t cscan_skip_lines(
    const uint8_t *_Nonnull p, size_t at, size_t end, size_t *_Nonnull lines) {
#if defined(__x86_64__)
    const __m128i feed = _mm_set1_epi8('\n');
    while (at + 16 <= end) {
        int mask = _mm_movemask_epi8(
            _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(p + at)), feed));
        size_t found = (size_t)__builtin_popcount((unsigned)mask);
        if (found >= *lines) break;
        *lines -= found;
        at += 16;
    }
#else
    while (at + 8 <= end) {
        uint64_t x = cscan_load_u64(p + at) ^ 0x0a0a0a0a0a0a0a0au;
        // Exact per byte: the high bit is set if the byte is not zero.
        uint64_t other = ((x & 0x7f7f7f7f7f7f7f7fu) + 0x7f7f7f7f7f7f7f7fu) | x;
        size_t found = (size_t)__builtin_popcountll(~other & 0x8080808080808080u);
        if (found >= *lines) break;
        *lines -= found;
        at += 8;
    }
#endif
    while (at < end && *lines > 0) {
        if (p[at++] == '\n') *lines -= 1;
    }
    return at;
}

// For fields of published nodes that the parser still fills in while others read them.
CSCAN_INLINE uint64_t cscan_read_u64(const uint64_t *_Nonnull p) {
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}
CSCAN_INLINE uint32_t cscan_read_u32(const uint32_t *_Nonnull p) {
    return __atomic_load_n(p, __ATOMIC_ACQUIRE);
}
CSCAN_INLINE void cscan_write_u64(uint64_t *_Nonnull p, uint64_t v) {
    __atomic_store_n(p, v, __ATOMIC_RELAXED);
}
CSCAN_INLINE void cscan_write_u32(uint32_t *_Nonnull p, uint32_t v) {
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
}

#endif
