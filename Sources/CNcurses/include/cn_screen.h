#ifndef CN_SCREEN_H
#define CN_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// One cell of the screen, with the same memory layout as Terminal.Cell.
typedef struct {
    uint32_t base;   // first scalar; 0xFFFFFFFF for the right half of a wide character
    uint16_t marks;  // index into the table of combining marks; 0 for none
    uint16_t style;  // index into the style table; from CN_FIRST_PAIR on, into the grid's pairs
} cn_cell;

// Two colors outside the theme, for cells of pictures: 0xRRGGBB, or CN_OWN_COLOR for the terminal's default.
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

// A style as this terminal can show it: color numbers, or -1 for the terminal's default.
typedef struct {
    int32_t foreground;
    int32_t background;
    uint32_t attributes;
} cn_style;

enum { CN_OK = 0, CN_UNKNOWN_TERMINAL = -1, CN_NO_CURSOR_ADDRESSING = -2, CN_FAILED = -3 };

// Sets the locale from the environment, or C.UTF-8 if that is not UTF-8. Returns true if the environment's
// own locale is UTF-8.
bool cn_locale(void);

// Claims the terminal: raw mode, alternate screen, bracketed paste, focus and mouse reports. If `terminal`
// is NULL, $TERM is used. With `true_color`, an embedded terminfo entry replaces the one on disk. On
// failure, it does not exit and prints nothing.
int cn_claim(int input, int output, const char *_Nullable terminal, bool true_color, bool color,
             bool mouse);
// Releases the terminal for good and frees the screen.
void cn_release(void);
// Release the terminal temporarily, and claim it again.
void cn_pause(void);
void cn_resume(void);

// Turns mouse reports on or off, now and after a pause.
void cn_mouse(bool wanted);

void cn_size(int output, int *_Nonnull columns, int *_Nonnull rows);
// The size of a cell in pixels; 0 if the terminal does not report it.
void cn_cell_size(int output, int *_Nonnull width, int *_Nonnull height);
void cn_resize(int columns, int rows);
// The number of colors of this terminal (0: none; over 256: true color).
int cn_colors(void);

// Replaces the style table, which is copied.
bool cn_set_styles(const cn_style *_Nonnull styles, size_t count);
void cn_put_row(int row, const cn_cell *_Nonnull cells, int count, const cn_marks *_Nonnull marks,
                const cn_pair *_Nonnull pairs);
void cn_cursor(int column, int row, bool visible);
// Sends the changes with one write(2). Returns the number of bytes sent, or -1 if the terminal is gone.
long cn_flush(void);
// Makes the next flush repaint every cell.
void cn_repaint(void);
// Sends bytes of our own (bell, clipboard) between frames.
void cn_send(const char *_Nonnull bytes, size_t count);

#endif
