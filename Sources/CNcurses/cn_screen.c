#define _GNU_SOURCE 1
#define _XOPEN_SOURCE_EXTENDED 1
#define NCURSES_WIDECHAR 1
#include "cn_screen.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

// term.h makes macros of these names.
#undef columns
#undef lines

#include "cn_frame.h"
#include "cn_state.h"
#include "cn_terminfo.h"

#define MODES_ON "\033[?2004h\033[?1004h"
#define MOUSE_ON "\033[?1002h\033[?1006h"
#define MODES_OFF "\033[?1006l\033[?1002l\033[?1000l\033[?1004l\033[?2004l"

static SCREEN *screen;
static FILE *curses_input, *curses_output;
static bool mouse_wanted;
static bool needs_frame;
static cchar_t *row_cells;
static int row_capacity;

// -- Styles ----------------------------------------------------------------------------------

enum { UNRESOLVED = -1 };
typedef struct {
    cn_style style;
    attr_t attributes;
    int pair;
} resolved_style;
static resolved_style *styles;
static size_t style_count;

static attr_t curses_attributes(uint32_t attributes) {
    attr_t result = A_NORMAL;
    if (attributes & CN_BOLD) result |= A_BOLD;
    if (attributes & CN_DIM) result |= A_DIM;
    if (attributes & CN_ITALIC) result |= A_ITALIC;
    if (attributes & CN_UNDERLINE) result |= A_UNDERLINE;
    if (attributes & CN_REVERSE) result |= A_REVERSE;
    return result;
}

bool cn_set_styles(const cn_style *table, size_t count) {
    resolved_style *fresh = calloc(count ? count : 1, sizeof *fresh);
    if (!fresh) return false;
    for (size_t i = 0; i < count; i++) {
        fresh[i].style = table[i];
        fresh[i].attributes = curses_attributes(table[i].attributes);
        fresh[i].pair = UNRESOLVED;
    }
    free(styles);
    styles = fresh;
    style_count = count;
    return true;
}

// Color pairs are allocated when a style is first shown; a theme has about a hundred styles, a screen shows
// about twenty.
static const resolved_style *resolve(uint16_t style) {
    static const resolved_style plain;
    if (style >= style_count) return &plain;
    resolved_style *found = &styles[style];
    if (found->pair != UNRESOLVED) return found;
    bool is_default = found->style.foreground < 0 && found->style.background < 0;
    // alloc_pair crashes without start_color (vt100, NO_COLOR).
    int pair = is_default || cn_colors() == 0
                   ? 0
                   : alloc_pair(found->style.foreground, found->style.background);
    found->pair = pair < 0 ? 0 : pair;
    return found;
}

// The color number for a picture's color; -1 is the terminal's default color.
static int picture_color(uint32_t color) {
    if (color > 0xFFFFFF) return -1;
    // With direct colors, the numbers 0 to 7 and 9 to 15 are palette colors; a near-black becomes 8 or 16.
    if (COLORS > 256) return color < 8 ? 8 : color > 8 && color < 16 ? 16 : (int)color;
    // The levels of the color cube are 0, 95, 135, 175, 215, 255; the grays go from 8 to 238 in steps of 10.
    int parts[3] = {color >> 16, color >> 8 & 255, color & 255};
    int places[3], cube_distance = 0, mean = (parts[0] + parts[1] + parts[2]) / 3;
    int grey = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10, grey_distance = 0;
    for (int i = 0; i < 3; i++) {
        places[i] = parts[i] < 48 ? 0 : parts[i] < 115 ? 1 : (parts[i] - 35) / 40;
        int from_cube = parts[i] - (places[i] ? 55 + 40 * places[i] : 0);
        int from_grey = parts[i] - (8 + 10 * grey);
        cube_distance += from_cube * from_cube;
        grey_distance += from_grey * from_grey;
    }
    if (grey_distance < cube_distance) return 232 + grey;
    return 16 + 36 * places[0] + 6 * places[1] + places[2];
}

// A picture has thousands of pairs; ncurses reuses the least recently used ones.
static resolved_style resolve_pair(cn_pair pair) {
    resolved_style found = {.attributes = A_NORMAL};
    if (cn_colors() < 256) return found;
    int number = alloc_pair(picture_color(pair.foreground), picture_color(pair.background));
    found.pair = number < 0 ? 0 : number;
    return found;
}

int cn_colors(void) { return screen && COLORS > 0 && COLOR_PAIRS > 0 ? COLORS : 0; }

// -- Claim and release -----------------------------------------------------------------------

bool cn_locale(void) {
    setlocale(LC_CTYPE, "");
    if (strcmp(nl_langinfo(CODESET), "UTF-8") == 0) return true;
    // With LC_ALL=C, ncurses prints blanks for everything that is not ASCII.
    setlocale(LC_CTYPE, "C.UTF-8");
    return false;
}

static int capture_restore(int byte) {
    if (cn_state->restore_length < sizeof cn_state->restore) {
        cn_state->restore[cn_state->restore_length++] = (char)byte;
    }
    return byte;
}

static void append_capability(const char *name) {
    char *text = tigetstr((char *)name);
    if (text && text != (char *)-1) tputs(text, 1, capture_restore);
}

// The bytes that a signal handler or the guardian writes; prepared now, because tputs is not
// async-signal-safe. CAN comes first, because it ends an escape sequence that was cut off.
static void prepare_restore(void) {
    static const char start[] = "\030" MODES_OFF "\033[?2026l";
    memcpy(cn_state->restore, start, sizeof start - 1);
    cn_state->restore_length = sizeof start - 1;
    append_capability("sgr0");
    append_capability("op");
    append_capability("cnorm");
    append_capability("rmcup");
}

static void send_modes(void) {
    cn_write(cn_output, MODES_ON, sizeof MODES_ON - 1);
    if (mouse_wanted) cn_write(cn_output, MOUSE_ON, sizeof MOUSE_ON - 1);
}

void cn_mouse(bool wanted) {
    static const char off[] = "\033[?1006l\033[?1002l";
    mouse_wanted = wanted;
    if (!screen || !cn_state->claimed) return;
    if (wanted) cn_write(cn_output, MOUSE_ON, sizeof MOUSE_ON - 1);
    else cn_write(cn_output, off, sizeof off - 1);
}

static bool lacks(const char *capability) {
    char *text = tigetstr((char *)capability);
    return !text || text == (char *)-1;
}

// newterm, never initscr, which prints and exits on an unknown terminal.
static SCREEN *open_screen(const char *terminal) {
    // Otherwise newterm would use the window size, LINES and COLUMNS unchecked; `cn_resize` follows.
    use_env(FALSE);
    return newterm((char *)terminal, curses_output, curses_input);
}

static SCREEN *open_direct(const char *terminal) {
    bool in_tmux = terminal && (!strncmp(terminal, "tmux", 4) || !strncmp(terminal, "screen", 6));
    char *former = getenv("TERMINFO");
    if (former) former = strdup(former);
    // Set only during newterm, so that no child process sees it.
    setenv("TERMINFO", in_tmux ? cn_terminfo_tmux : cn_terminfo_xterm, 1);
    SCREEN *opened = open_screen(in_tmux ? "apus-tmux-direct" : "apus-xterm-direct");
    if (former) setenv("TERMINFO", former, 1);
    else unsetenv("TERMINFO");
    free(former);
    return opened;
}

static void close_streams(void) {
    if (curses_input) fclose(curses_input);
    if (curses_output) fclose(curses_output);
    curses_input = curses_output = NULL;
    cn_curses_output = -1;
}

static bool open_streams(int input, int output) {
    int in = dup(input), out = dup(output);
    curses_input = in < 0 ? NULL : fdopen(in, "r");
    curses_output = out < 0 ? NULL : fdopen(out, "w");
    cn_curses_output = out;
    if (curses_input && curses_output) return true;
    close_streams();
    return false;
}

static void set_modes(bool color) {
    raw();
    noecho();
    nonl();
    // No keypad(): Terminal reads the keyboard itself and understands the arrow keys of either mode.
    typeahead(-1);
    scrollok(stdscr, FALSE);
    idlok(stdscr, FALSE);
    leaveok(stdscr, TRUE);
    if (color && has_colors()) {
        start_color();
        use_default_colors();
    }
    // Saved here and not at each pause, because after a SIGSTOP the modes are already the shell's.
    def_prog_mode();
}

int cn_claim(int input, int output, const char *terminal, bool true_color, bool color, bool mouse) {
    if (!cn_state_make() || !open_streams(input, output)) return CN_FAILED;
    cn_input = input;
    cn_output = output;
    mouse_wanted = mouse;
    cn_state->has_modes = tcgetattr(input, &cn_state->before) == 0;
    use_extended_names(TRUE);
    if (true_color) screen = open_direct(terminal);
    if (!screen) screen = open_screen(terminal);
    if (!screen) {
        close_streams();
        return CN_UNKNOWN_TERMINAL;
    }
    if (lacks("cup") || lacks("clear")) {
        endwin();
        delscreen(screen);
        screen = NULL;
        close_streams();
        return CN_NO_CURSOR_ADDRESSING;
    }
    set_term(screen);
    prepare_restore();
    cn_state->claimed = 1;
    set_modes(color);
    cn_state->has_modes = cn_state->has_modes && tcgetattr(input, &cn_state->claimed_modes) == 0;
    send_modes();
    needs_frame = true;
    return CN_OK;
}

static void give_back(void) {
    cn_write(cn_output, MODES_OFF, sizeof MODES_OFF - 1);
    curs_set(1);
    endwin();
    fflush(curses_output);
    if (!cn_gave_up) cn_state->claimed = 0;
}

void cn_release(void) {
    if (!screen) return;
    if (cn_state->claimed) give_back();
    // Restore the modes that we saved, because ncurses saved its own later.
    if (cn_state->has_modes) tcsetattr(cn_input, TCSADRAIN, &cn_state->before);
    delscreen(screen);
    screen = NULL;
    cn_frame_close();
    close_streams();
    free(row_cells);
    free(styles);
    row_cells = NULL;
    styles = NULL;
    row_capacity = 0;
    style_count = 0;
}

void cn_pause(void) {
    if (!screen || !cn_state->claimed) return;
    give_back();
}

void cn_resume(void) {
    if (!screen || cn_state->claimed) return;
    // The shell may have changed the modes meanwhile (stty); these are the ones to restore at the end.
    cn_state->has_modes = tcgetattr(cn_input, &cn_state->before) == 0;
    def_shell_mode();
    cn_state->claimed = 1;
    reset_prog_mode();
    send_modes();
    cn_repaint();
}

// -- Size ------------------------------------------------------------------------------------

// The kernel accepts any window size, ncurses counts columns in 16 bits and allocates 28 bytes per cell
// three times. No real screen is larger: 8K with the smallest font is 1,920 by 540.
enum { MOST_COLUMNS = 2000, MOST_ROWS = 1000 };

void cn_size(int output, int *columns, int *rows) {
    struct winsize size;
    bool known = ioctl(output, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    *columns = !known ? 80 : size.ws_col < MOST_COLUMNS ? size.ws_col : MOST_COLUMNS;
    *rows = !known ? 24 : size.ws_row < MOST_ROWS ? size.ws_row : MOST_ROWS;
}

void cn_cell_size(int output, int *width, int *height) {
    struct winsize size;
    bool known = ioctl(output, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0;
    *width = known ? size.ws_xpixel / size.ws_col : 0;
    *height = known ? size.ws_ypixel / size.ws_row : 0;
}

void cn_resize(int columns, int rows) {
    if (!screen) return;
    // resize_term, not resizeterm, which also queues a KEY_RESIZE that nobody reads.
    if (is_term_resized(rows, columns)) resize_term(rows, columns);
    cn_repaint();
}

// -- Painting --------------------------------------------------------------------------------

static bool reserve_row(int count) {
    if (count <= row_capacity) return true;
    cchar_t *grown = realloc(row_cells, (size_t)count * sizeof *grown);
    if (!grown) return false;
    row_cells = grown;
    row_capacity = count;
    return true;
}

void cn_put_row(
    int row, const cn_cell *cells, int count, const cn_marks *marks, const cn_pair *pairs) {
    if (!screen || !reserve_row(count)) return;
    int filled = 0;
    for (int i = 0; i < count; i++) {
        // add_wchnstr makes the right half of a wide character itself.
        if (cells[i].base == 0xFFFFFFFFu) continue;
        cchar_t *cell = &row_cells[filled++];
        uint16_t index = cells[i].style;
        resolved_style style =
            index < CN_FIRST_PAIR ? *resolve(index) : resolve_pair(pairs[index - CN_FIRST_PAIR]);
        // Filled directly, because setcchar takes 10-35 % more time and its argument cannot hold the pair.
        memset(cell, 0, sizeof *cell);
        int pair_in_attributes = style.pair > 255 ? 255 : style.pair;
        cell->attr = style.attributes | (attr_t)COLOR_PAIR(pair_in_attributes);
        cell->ext_color = style.pair;
        cell->chars[0] = (wchar_t)cells[i].base;
        if (cells[i].marks) {
            const cn_marks *found = &marks[cells[i].marks];
            for (uint32_t m = 0; m < found->count && m < CCHARW_MAX - 1; m++) {
                cell->chars[1 + m] = (wchar_t)found->scalars[m];
            }
        }
    }
    mvwadd_wchnstr(stdscr, row, 0, row_cells, filled);
    needs_frame = true;
}

void cn_cursor(int column, int row, bool visible) {
    if (!screen) return;
    // A hidden cursor may stay where the last change left it, which saves the bytes for moving it.
    leaveok(stdscr, !visible);
    if (visible) wmove(stdscr, row, column);
    needs_frame = true;
}

void cn_repaint(void) {
    if (!screen) return;
    clearok(curscr, TRUE);
    needs_frame = true;
}

long cn_flush(void) {
    if (!screen || !needs_frame) return 0;
    needs_frame = false;
    wnoutrefresh(stdscr);
    bool framed = cn_frame_begin();
    curs_set(is_leaveok(stdscr) ? 0 : 1);
    int status = doupdate();
    fflush(curses_output);
    if (framed) return cn_frame_end();
    return status == ERR ? -1 : 0;
}

void cn_send(const char *bytes, size_t count) {
    if (screen && cn_state->claimed) cn_write(cn_output, bytes, count);
}
