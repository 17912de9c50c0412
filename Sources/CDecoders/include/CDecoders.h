#ifndef CDECODERS_H
#define CDECODERS_H

// The decoders of HTTP's content codings behind one function: zlib, brotli and zstd. The libraries of brotli and
// zstd are opened on the first call of `cdecoder_has`; libcurl brings both, so they are usually there.

#include <stddef.h>
#include <stdint.h>

typedef struct cdecoder cdecoder;

enum {
    CDECODER_GZIP,
    CDECODER_DEFLATE,  // in zlib's format, or raw DEFLATE, which some servers send
    CDECODER_BROTLI,
    CDECODER_ZSTD,
};

// Whether a coding's library is available. Callable from any thread.
int cdecoder_has(int coding);

// NULL without memory or without the library.
cdecoder *_Nullable cdecoder_make(int coding);
void cdecoder_free(cdecoder *_Nonnull decoder);

// Decodes up to `*count` bytes of the input into up to `*room` bytes of the output, and sets both to the
// number of bytes used. If all room was filled, the same input may produce more.
//
// Returns NULL, or what is wrong with the input; `*room` then counts the bytes before the fault.
const char *_Nullable cdecoder_decode(
    cdecoder *_Nonnull decoder, const uint8_t *_Nullable input, size_t *_Nonnull count,
    uint8_t *_Nonnull output, size_t *_Nonnull room);

// Whether the input so far is complete.
int cdecoder_is_at_end(const cdecoder *_Nonnull decoder);

#endif
