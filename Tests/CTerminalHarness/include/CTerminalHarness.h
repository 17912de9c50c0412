#ifndef CTERMINALHARNESS_H
#define CTERMINALHARNESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// A program on a pseudo-terminal whose output is read into a screen of cells (libvterm).
/// One thread at a time.
typedef struct harness harness;

typedef struct {
    uint32_t characters[6]; // ends with 0 or the array; characters[0] is 0 for an empty cell
    int width;              // 2 for a wide character, 0 for its right half
    uint32_t foreground;    // 0xRRGGBB
    uint32_t background;
    int has_default_foreground;
    int has_default_background;
    int bold, italic, underline, reverse, strike, blink;
} harness_cell;

typedef struct {
    int is_canonical; // ICANON
    int echoes;       // ECHO
    int signals;      // ISIG
    int maps_newline; // OPOST
} harness_modes;

/// Starts a program; NULL when the pseudo-terminal cannot be opened.
/// An exec that fails ends the child with 127.
/// Both lists end with NULL.
harness *_Nullable harness_start(const char *_Nullable const *_Nonnull arguments,
                                 const char *_Nullable const *_Nonnull environment,
                                 const char *_Nonnull folder, int rows, int columns);
/// Kills and reaps the program if it still runs.
void harness_free(harness *_Nonnull self);

/// Waits for output for at most that long and takes in one piece.
/// Gives the bytes taken, 0 at the end of the output, -1 for none in time.
long harness_pump(harness *_Nonnull self, int milliseconds);
/// Writes all of it, taking in output meanwhile; 0, or -1 when the program does not read.
int harness_write(harness *_Nonnull self, const char *_Nonnull bytes, size_t count);
void harness_resize(harness *_Nonnull self, int rows, int columns);

// The same for the program alone: a size that no screen could have.
void harness_claim_size(harness *_Nonnull self, int rows, int columns);
int harness_signal(harness *_Nonnull self, int number);

int harness_cell_at(harness *_Nonnull self, int row, int column, harness_cell *_Nonnull cell);
void harness_cursor(harness *_Nonnull self, int *_Nonnull row, int *_Nonnull column, int *_Nonnull is_visible);
int harness_is_alternate(harness *_Nonnull self);
/// 1 while a frame has begun that has not come whole.
int harness_is_mid_frame(harness *_Nonnull self);
int harness_mouse_mode(harness *_Nonnull self);
size_t harness_bytes_received(harness *_Nonnull self);
/// What was said about images, line by line, without their pixels; the first 4,095 bytes.
const char *_Nonnull harness_image_words(harness *_Nonnull self);
/// How many bytes wait to be taken in, as far as the kernel tells: at most 4,095.
int harness_unread(harness *_Nonnull self);
int harness_get_modes(harness *_Nonnull self, harness_modes *_Nonnull modes);
/// 1 when the program has ended, with its exit status or the signal that killed it; 0 when it runs.
int harness_has_ended(harness *_Nonnull self, int *_Nonnull code, int *_Nonnull signal_number);
/// 1 when the program is stopped (ctrl-z).
int harness_is_stopped(harness *_Nonnull self);
pid_t harness_pid(harness *_Nonnull self);

#endif
