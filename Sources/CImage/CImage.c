// Debian's stb_image.h for four formats. A JPEG's tables are checked first, because the 2022 version writes
// past their end, and memory is zeroed. The caller checks the size in the header before any pixel is read.

#include "CImage.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_GIF
#define STBI_ONLY_BMP
// The widest image that Apus asks for, whatever the caller's limits are.
#define STBI_MAX_DIMENSIONS 65536
// Zeroed, because a broken JPEG may use a table or a component that it never defined.
#define STBI_MALLOC(size) calloc(1, size)
#define STBI_REALLOC(memory, size) realloc(memory, size)
#define STBI_FREE(memory) free(memory)
#pragma clang diagnostic ignored "-Wunused-function"
#include <stb/stb_image.h>

// Whether every table of a DHT segment has at most 256 codes. `at` is the position after the marker; it is
// moved past the segment.
//
// With more codes, Debian's stb_image writes past the end of its tables; newer versions reject them.
static int has_sound_codes(const uint8_t *bytes, size_t count, size_t *at) {
    if (*at + 2 > count) return 0;
    long left = (bytes[*at] << 8 | bytes[*at + 1]) - 2;
    *at += 2;
    while (left > 0) {
        // stb_image reads a whole table, even if it extends past the segment.
        if (*at + 17 > count) return 0;
        size_t codes = 0;
        for (int i = 1; i <= 16; i++) codes += bytes[*at + i];
        if (codes > 256) return 0;
        *at += 17 + codes;
        left -= 17 + (long)codes;
    }
    return left == 0;
}

// Whether a JPEG's segments can be read safely, up to its end or the first broken one.
//
// Markers are found as stb_image finds them: after a segment, and in the data of a scan as an FF that is
// not followed by 00.
static int has_sound_segments(const uint8_t *bytes, size_t count) {
    size_t at = 0;
    while (at < count) {
        const uint8_t *found = memchr(bytes + at, 0xFF, count - at);
        if (found == NULL) return 1;
        at = (size_t)(found - bytes) + 1;
        while (at < count && bytes[at] == 0xFF) at++;
        if (at >= count) return 1;
        uint8_t marker = bytes[at++];
        if (marker == 0xD9) return 1;
        if (marker == 0x00 || (marker >= 0xD0 && marker <= 0xD8)) continue;
        if (marker == 0xC4) {
            if (!has_sound_codes(bytes, count, &at)) return 0;
            continue;
        }
        if (at + 2 > count) return 1;
        size_t length = (size_t)(bytes[at] << 8 | bytes[at + 1]);
        if (length < 2) return 1;
        at += length;
    }
    return 1;
}

uint8_t *cimage_decode(
    const uint8_t *bytes, size_t count, int32_t *width, int32_t *height, const char **why) {
    int components = 0;
    *why = NULL;
    if (count > INT_MAX) {
        *why = "more than 2 GiB";
        return NULL;
    }
    // Of the four formats, only JPEG begins with FF.
    if (count > 0 && bytes[0] == 0xFF && !has_sound_segments(bytes, count)) {
        *why = "bad huffman table";
        return NULL;
    }
    uint8_t *pixels = stbi_load_from_memory(bytes, (int)count, width, height, &components, 4);
    if (pixels == NULL) *why = stbi_failure_reason();
    return pixels;
}

void cimage_free(uint8_t *pixels) { stbi_image_free(pixels); }
