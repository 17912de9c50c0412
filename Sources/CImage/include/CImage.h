#ifndef CIMAGE_H
#define CIMAGE_H

// Pixels of PNG, JPEG, GIF and BMP images, read by stb_image.
//
// The caller must check the size in the header before it asks for pixels, because memory use depends on
// that size and not on the number of bytes.

#include <stddef.h>
#include <stdint.h>

// The pixels of the first frame, row by row from the top, four bytes each: red, green, blue, alpha. Release
// them with cimage_free. On failure, returns NULL and sets *why to a constant text.
uint8_t *_Nullable cimage_decode(
    const uint8_t *_Nonnull bytes, size_t count, int32_t *_Nonnull width, int32_t *_Nonnull height,
    const char *_Nullable *_Nonnull why);

void cimage_free(uint8_t *_Nullable pixels);

#endif
