#ifndef CN_SCREEN_H
#define CN_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One cell of the screen; the same memory layout as Terminal.Cell.
typedef struct {
    uint32_t base;   // first scalar; 0xFFFFFFFF: right half of a wide one
    uint16_t marks;  // index into the table of combining marks, 0: none
    uint16_t style;  // index into the style table; from CN_FIRST_PAIR on, into the grid's pairs
} cn_cell;

// Two colours that no theme has, as a picture's cells have them: 0xRRGGBB, or CN_OWN_COLOR.
typedef struct {
    uint32_t foreground;
    uint32_t background;
} cn_pair;

enum { CN_FIRST_PAIR = 0x4000, CN_OWN_COLOR = 0x1000000 };

// Combining marks of one cell; at most 4, because CCHARW_MAX is 5.
typedef struct {
    uint32_t count;
    uint32_t scalars[4];
} cn_marks;

enum { CN_BOLD = 1, CN_DIM = 2, CN_ITALIC = 4, CN_UNDERLINE = 8, CN_REVERSE = 16 };

// A style as the terminal can show it: colour numbers of this terminal, -1 its own default.
typedef struct {
    int32_t foreground;
    int32_t background;
    uint32_t attributes;
} cn_style;

enum { CN_OK = 0, CN_UNKNOWN_TERMINAL = -1, CN_NO_CURSOR_ADDRESSING = -2, CN_FAILED = -3 };

// Takes the locale from the environment, with C.UTF-8 where it is not UTF-8.
// Returns true when the environment's own locale was UTF-8.
bool cn_locale(void);

// Claims the terminal: raw mode, alternate screen, bracketed paste, focus and mouse reports.
// `terminal` NULL: $TERM. With `true_color` an embedded terminfo entry replaces the one on disk.
// Never exits and prints nothing when it fails.
int cn_claim(int input, int output, const char *_Nullable terminal, bool true_color, bool color,
             bool mouse);
// Gives the terminal back for good and frees the screen.
void cn_release(void);
// Gives the terminal back for a while, and takes it again.
void cn_pause(void);
void cn_resume(void);

// Whether the terminal reports its mouse, now and after a pause.
void cn_mouse(bool wanted);

void cn_size(int output, int *_Nonnull columns, int *_Nonnull rows);
// The size of a cell in pixels; 0 if the terminal does not tell it.
void cn_cell_size(int output, int *_Nonnull width, int *_Nonnull height);
void cn_resize(int columns, int rows);
// Colours that this terminal shows (0: none; over 256: true colour).
int cn_colors(void);

// Replaces the style table; the numbers are copied.
bool cn_set_styles(const cn_style *_Nonnull styles, size_t count);
void cn_put_row(int row, const cn_cell *_Nonnull cells, int count, const cn_marks *_Nonnull marks,
                const cn_pair *_Nonnull pairs);
void cn_cursor(int column, int row, bool visible);
// Sends what changed with one write(2). Returns the bytes sent, -1 when the terminal is gone.
long cn_flush(void);
// The next flush repaints every cell.
void cn_repaint(void);
// Bytes of our own (bell, clipboard) between frames.
void cn_send(const char *_Nonnull bytes, size_t count);

#endif
