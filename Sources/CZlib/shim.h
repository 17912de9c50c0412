#ifndef CZLIB_SHIM_H
#define CZLIB_SHIM_H

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

// The formats around DEFLATE, as window bits of deflateInit2: the largest window, plus 16 for gzip.
enum { CZLIB_FORMAT_ZLIB = 15, CZLIB_FORMAT_GZIP = 15 + 16 };

// The most bytes that `count` bytes can need in either format.
static inline size_t czlib_bound(size_t count) { return compressBound(count) + 12; }

// Compresses into `output`, which must have room for czlib_bound bytes. Returns the number of bytes, or 0
// without memory. In C, because deflateInit2 is a macro and a stream must not be moved.
static inline size_t czlib_compress(
    const uint8_t *_Nullable input, size_t count, int format, uint8_t *_Nonnull output) {
    z_stream stream = {0};
    int level = Z_DEFAULT_COMPRESSION;
    if (deflateInit2(&stream, level, Z_DEFLATED, format, 8, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    stream.next_in = (Bytef *)input;
    stream.avail_in = (uInt)count;
    stream.next_out = output;
    stream.avail_out = (uInt)czlib_bound(count);
    int result = deflate(&stream, Z_FINISH);
    deflateEnd(&stream);
    return result == Z_STREAM_END ? stream.total_out : 0;
}

#endif
