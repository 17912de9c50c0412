#include "CImage.h"

#include <limits.h>

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STBI_ONLY_GIF
#define STBI_ONLY_BMP
// The widest that Apus asks for, whatever the caller's limits are.
#define STBI_MAX_DIMENSIONS 65536
#pragma clang diagnostic ignored "-Wunused-function"
#include <stb/stb_image.h>

uint8_t *cimage_decode(
    const uint8_t *bytes, size_t count, int32_t *width, int32_t *height, const char **why) {
    int components = 0;
    *why = NULL;
    if (count > INT_MAX) {
        *why = "more than 2 GiB";
        return NULL;
    }
    uint8_t *pixels = stbi_load_from_memory(bytes, (int)count, width, height, &components, 4);
    if (pixels == NULL) *why = stbi_failure_reason();
    return pixels;
}

void cimage_free(uint8_t *pixels) { stbi_image_free(pixels); }
