#ifndef CDECODERS_H
#define CDECODERS_H

// The decoders of HTTP's content codings behind one function: zlib, and brotli and zstd, which are
// opened when it is first asked what there is. libcurl brings both, so mostly they are there.

#include <stddef.h>
#include <stdint.h>

typedef struct cdecoder cdecoder;

enum {
    CDECODER_GZIP,
    CDECODER_DEFLATE,  // in zlib's format, or bare, as some servers have it
    CDECODER_BROTLI,
    CDECODER_ZSTD,
};

// Whether a coding's library is there. Any thread.
int cdecoder_has(int coding);

// NULL without memory, or without the library.
cdecoder *_Nullable cdecoder_make(int coding);
void cdecoder_free(cdecoder *_Nonnull decoder);

// Takes the first `*count` bytes of the input, or some of them, and fills the first `*room` of the
// output, or some of them; sets both to how many it were. When all room was filled there may be
// more to come of the same input.
//
// NULL, or what is wrong with the input.
const char *_Nullable cdecoder_decode(
    cdecoder *_Nonnull decoder, const uint8_t *_Nullable input, size_t *_Nonnull count,
    uint8_t *_Nonnull output, size_t *_Nonnull room);

// Whether what came so far is whole.
int cdecoder_is_at_end(const cdecoder *_Nonnull decoder);

#endif
