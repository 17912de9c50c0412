#include "CDecoders.h"

#include <CLoader.h>
#include <pthread.h>
#include <stdlib.h>
#include <zlib.h>

// The declarations of brotli/decode.h and zstd.h, because libcurl brings these libraries but not their headers.

typedef struct BrotliDecoderStateStruct brotli_state;
enum { BROTLI_FAILED = 0, BROTLI_ENDED = 1 };

static struct {
    brotli_state *(*create)(void *(*)(void *, size_t), void (*)(void *, void *), void *);
    void (*destroy)(brotli_state *);
    int (*decode)(
        brotli_state *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
    int (*error)(const brotli_state *);
    const char *(*words)(int);
} brotli;

typedef struct ZSTD_DCtx_s zstd_stream;
typedef struct {
    const void *bytes;
    size_t count, position;
} zstd_input;
typedef struct {
    void *bytes;
    size_t count, position;
} zstd_output;

enum {
    ZSTD_WINDOW_LOG_MAX = 100,
    // 8 MiB, the most that HTTP allows (RFC 9659); zstd's own default is 128 MiB.
    WINDOW_LOG = 23,
};

static struct {
    zstd_stream *(*create)(void);
    size_t (*destroy)(zstd_stream *);
    size_t (*set)(zstd_stream *, int, int);
    size_t (*decode)(zstd_stream *, zstd_output *, zstd_input *);
    unsigned (*is_error)(size_t);
    const char *(*words)(size_t);
} zstd;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int has_brotli, has_zstd;

static void load(void) {
    static const char *const brotli_names[] = {"libbrotlidec.so.1", NULL};
    static const cloader_function brotli_functions[] = {
        {"BrotliDecoderCreateInstance", (void **)&brotli.create},
        {"BrotliDecoderDestroyInstance", (void **)&brotli.destroy},
        {"BrotliDecoderDecompressStream", (void **)&brotli.decode},
        {"BrotliDecoderGetErrorCode", (void **)&brotli.error},
        {"BrotliDecoderErrorString", (void **)&brotli.words},
    };
    static const char *const zstd_names[] = {"libzstd.so.1", NULL};
    static const cloader_function zstd_functions[] = {
        {"ZSTD_createDStream", (void **)&zstd.create},
        {"ZSTD_freeDStream", (void **)&zstd.destroy},
        {"ZSTD_DCtx_setParameter", (void **)&zstd.set},
        {"ZSTD_decompressStream", (void **)&zstd.decode},
        {"ZSTD_isError", (void **)&zstd.is_error},
        {"ZSTD_getErrorName", (void **)&zstd.words},
    };
    char reason[256];
    void *library = cloader_open(brotli_names, reason, sizeof reason);
    size_t count = sizeof brotli_functions / sizeof *brotli_functions;
    has_brotli = library && cloader_find(library, brotli_functions, count, reason, sizeof reason);
    library = cloader_open(zstd_names, reason, sizeof reason);
    count = sizeof zstd_functions / sizeof *zstd_functions;
    has_zstd = library && cloader_find(library, zstd_functions, count, reason, sizeof reason);
}

int cdecoder_has(int coding) {
    pthread_once(&once, load);
    return coding == CDECODER_BROTLI ? has_brotli : coding == CDECODER_ZSTD ? has_zstd : 1;
}

struct cdecoder {
    int coding, has_begun, is_at_end;
    z_stream zlib;
    brotli_state *brotli;
    zstd_stream *zstd;
};

cdecoder *cdecoder_make(int coding) {
    if (!cdecoder_has(coding)) return NULL;
    cdecoder *made = calloc(1, sizeof *made);
    if (!made) return NULL;
    made->coding = coding;
    int is_ready = 1;
    if (coding == CDECODER_BROTLI) {
        made->brotli = brotli.create(NULL, NULL, NULL);
        is_ready = made->brotli != NULL;
    } else if (coding == CDECODER_ZSTD) {
        made->zstd = zstd.create();
        is_ready =
            made->zstd && !zstd.is_error(zstd.set(made->zstd, ZSTD_WINDOW_LOG_MAX, WINDOW_LOG));
    }
    if (is_ready) return made;
    cdecoder_free(made);
    return NULL;
}

void cdecoder_free(cdecoder *decoder) {
    inflateEnd(&decoder->zlib);
    if (decoder->brotli) brotli.destroy(decoder->brotli);
    if (decoder->zstd) zstd.destroy(decoder->zstd);
    free(decoder);
}

int cdecoder_is_at_end(const cdecoder *decoder) { return decoder->is_at_end; }

static const char *const more_than_whole = "there are extra bytes after its end";
static const char *const no_memory = "there is not enough memory";

// A fault before anything was decoded.
static const char *refuse(const char *fault, size_t *count, size_t *room) {
    *count = *room = 0;
    return fault;
}

// The window size; plus 32, zlib detects the gzip or zlib format. The zlib format begins with its method
// number, 8 (RFC 1950, section 2.2), which no encoder produces at the start of raw DEFLATE data.
static int window_bits(const cdecoder *decoder, uint8_t first) {
    if (decoder->coding == CDECODER_GZIP) return 32 + MAX_WBITS;
    return (first & 0x0F) == Z_DEFLATED ? MAX_WBITS : -MAX_WBITS;
}

static const char *decode_zlib(
    cdecoder *decoder, const uint8_t *input, size_t *count, uint8_t *output, size_t *room) {
    z_stream *stream = &decoder->zlib;
    if (decoder->is_at_end) {
        // A gzip file may have several members (RFC 1952, section 2.2).
        if (decoder->coding == CDECODER_DEFLATE || *input != 0x1F)
            return refuse(more_than_whole, count, room);
        inflateReset(stream);
        decoder->is_at_end = 0;
    }
    if (!decoder->has_begun && inflateInit2(stream, window_bits(decoder, *input)) != Z_OK)
        return refuse(no_memory, count, room);
    stream->next_in = (Bytef *)input;
    stream->avail_in = (uInt)*count;
    stream->next_out = output;
    stream->avail_out = (uInt)*room;
    int result = inflate(stream, Z_NO_FLUSH);
    *count -= stream->avail_in;
    *room -= stream->avail_out;
    decoder->is_at_end = result == Z_STREAM_END;
    // Z_BUF_ERROR means that more input or output room is needed.
    if (result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR) return NULL;
    if (result == Z_MEM_ERROR) return no_memory;
    return stream->msg ? stream->msg : "it needs a dictionary";
}

static const char *decode_brotli(
    cdecoder *decoder, const uint8_t *input, size_t *count, uint8_t *output, size_t *room) {
    if (decoder->is_at_end) return refuse(more_than_whole, count, room);
    size_t left = *count, left_room = *room;
    int result = brotli.decode(decoder->brotli, &left, &input, &left_room, &output, NULL);
    *count -= left;
    *room -= left_room;
    decoder->is_at_end = result == BROTLI_ENDED;
    return result == BROTLI_FAILED ? brotli.words(brotli.error(decoder->brotli)) : NULL;
}

static const char *decode_zstd(
    cdecoder *decoder, const uint8_t *input, size_t *count, uint8_t *output, size_t *room) {
    zstd_input in = {input, *count, 0};
    zstd_output out = {output, *room, 0};
    // Several frames may follow one another (RFC 8878, section 3).
    size_t left = zstd.decode(decoder->zstd, &out, &in);
    *count = in.position;
    *room = out.position;
    decoder->is_at_end = left == 0;
    return zstd.is_error(left) ? zstd.words(left) : NULL;
}

const char *cdecoder_decode(
    cdecoder *decoder, const uint8_t *input, size_t *count, uint8_t *output, size_t *room) {
    if (*count == 0 && (decoder->is_at_end || !decoder->has_begun)) {
        *room = 0;
        return NULL;
    }
    const char *fault = NULL;
    switch (decoder->coding) {
    case CDECODER_BROTLI: fault = decode_brotli(decoder, input, count, output, room); break;
    case CDECODER_ZSTD: fault = decode_zstd(decoder, input, count, output, room); break;
    default: fault = decode_zlib(decoder, input, count, output, room);
    }
    decoder->has_begun = 1;
    return fault;
}
