#define _GNU_SOURCE
#include "CTerminalHarness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>
#include <utmp.h>
#include <vterm.h>

struct harness {
    VTerm *terminal;
    VTermScreen *screen;
    int master;
    int slave; // kept open: the pty's modes stay readable after the program has ended
    pid_t pid;
    int has_ended, is_stopped, status;
    int is_alternate, mouse_mode, cursor_is_visible;
    VTermPos cursor;
    size_t received;
    size_t mark_length; // how much of a synchronized update's mark has come
    int is_mid_frame;
    size_t image_mark_length; // how much of what begins a word about images has come
    int is_image, is_image_word, is_after_escape;
    size_t image_words_length;
    char image_words[4096];
};

static int on_property(VTermProp property, VTermValue *value, void *context) {
    harness *self = context;
    if (property == VTERM_PROP_ALTSCREEN) self->is_alternate = value->boolean;
    if (property == VTERM_PROP_MOUSE) self->mouse_mode = value->number;
    if (property == VTERM_PROP_CURSORVISIBLE) self->cursor_is_visible = value->boolean;
    return 1;
}

static int on_cursor(VTermPos position, VTermPos old, int visible, void *context) {
    (void)old;
    (void)visible;
    ((harness *)context)->cursor = position;
    return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = on_property, .movecursor = on_cursor};

// Responses of the terminal (device attributes, cursor position) go to the program like keys.
static void on_answer(const char *bytes, size_t count, void *context) {
    harness *self = context;
    while (count > 0) {
        ssize_t written = write(self->master, bytes, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;
        bytes += written;
        count -= (size_t)written;
    }
}

// A frame between ESC[?2026h and ESC[?2026l is to be seen whole; this libvterm does not know them.
static void follow_frames(harness *self, const char *bytes, size_t count) {
    static const char mark[] = "\033[?2026";
    for (size_t i = 0; i < count; i++) {
        if (self->mark_length == sizeof mark - 1) {
            if (bytes[i] == 'h' || bytes[i] == 'l') self->is_mid_frame = bytes[i] == 'h';
            self->mark_length = 0;
        }
        if (bytes[i] == mark[self->mark_length])
            self->mark_length++;
        else
            self->mark_length = bytes[i] == mark[0];
    }
}

// Copies what is for the screen. What the program says about images (ESC _ G … ESC \) is kept line by line without the
// pixels instead: this libvterm shows the pixels of a word that comes in pieces.
static size_t take_images(harness *self, const char *bytes, size_t count, char *rest) {
    static const char mark[] = "\033_G";
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        char byte = bytes[i];
        if (self->is_image) {
            int is_end = byte == ';' || byte == '\033';
            if (self->is_image_word && self->image_words_length + 1 < sizeof self->image_words)
                self->image_words[self->image_words_length++] = is_end ? '\n' : byte;
            if (is_end) self->is_image_word = 0;
            if (byte == '\\' && self->is_after_escape) self->is_image = 0;
            self->is_after_escape = byte == '\033';
        } else if (byte == mark[self->image_mark_length]) {
            if (++self->image_mark_length < sizeof mark - 1) continue;
            self->is_image = self->is_image_word = 1;
            self->image_mark_length = 0;
        } else {
            memcpy(rest + length, mark, self->image_mark_length);
            length += self->image_mark_length;
            self->image_mark_length = byte == mark[0];
            if (byte != mark[0]) rest[length++] = byte;
        }
    }
    return length;
}

static void run(const char *const *arguments, const char *const *environment, const char *folder) {
    // The parent's threads run with signals blocked and some ignored; both are inherited through exec.
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    for (int descriptor = 3; descriptor < 256; descriptor++) close(descriptor);
    if (chdir(folder) != 0) _exit(126);
    execve(arguments[0], (char *const *)arguments, (char *const *)environment);
    _exit(127);
}

static int open_screen(harness *self, int rows, int columns) {
    self->terminal = vterm_new(rows, columns);
    if (!self->terminal) return 0;
    vterm_set_utf8(self->terminal, 1);
    vterm_output_set_callback(self->terminal, on_answer, self);
    self->screen = vterm_obtain_screen(self->terminal);
    vterm_screen_enable_altscreen(self->screen, 1);
    vterm_screen_set_callbacks(self->screen, &callbacks, self);
    vterm_screen_reset(self->screen, 1);
    self->cursor_is_visible = 1;
    return 1;
}

// openpty, but that no program started meanwhile inherits an end: it would outlive the master.
static int open_pty(harness *self, int rows, int columns) {
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    char name[64];
    self->master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (self->master < 0) return 0;
    if (grantpt(self->master) == 0 && unlockpt(self->master) == 0 &&
        ptsname_r(self->master, name, sizeof name) == 0) {
        self->slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
        if (self->slave >= 0 && ioctl(self->slave, TIOCSWINSZ, &size) == 0) return 1;
        if (self->slave >= 0) close(self->slave);
    }
    close(self->master);
    return 0;
}

harness *harness_start(const char *const *arguments, const char *const *environment, const char *folder, int rows,
                       int columns) {
    harness *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    if (!open_screen(self, rows, columns) || !open_pty(self, rows, columns)) {
        if (self->terminal) vterm_free(self->terminal);
        free(self);
        return NULL;
    }
    self->pid = fork();
    if (self->pid == 0) {
        if (login_tty(self->slave) != 0) _exit(126);
        run(arguments, environment, folder);
    }
    if (self->pid < 0) {
        self->has_ended = 1;
        harness_free(self);
        return NULL;
    }
    return self;
}

static void update_state(harness *self) {
    int status;
    while (!self->has_ended && waitpid(self->pid, &status, WNOHANG | WUNTRACED | WCONTINUED) > 0) {
        self->is_stopped = WIFSTOPPED(status);
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            self->has_ended = 1;
            self->status = status;
        }
    }
}

void harness_free(harness *self) {
    update_state(self);
    if (!self->has_ended) {
        kill(self->pid, SIGKILL);
        waitpid(self->pid, &self->status, 0);
    }
    close(self->master);
    close(self->slave);
    vterm_free(self->terminal);
    free(self);
}

long harness_pump(harness *self, int milliseconds) {
    char bytes[65536], rest[sizeof bytes + 2]; // and what began like a word about images
    struct pollfd waiting = {.fd = self->master, .events = POLLIN};
    if (poll(&waiting, 1, milliseconds) <= 0) {
        update_state(self);
        // With the slave kept open there is no hang-up: the end is an ended program that left nothing to read.
        return self->has_ended && poll(&waiting, 1, 0) == 0 ? 0 : -1;
    }
    ssize_t count = read(self->master, bytes, sizeof bytes);
    if (count < 0) return errno == EINTR || errno == EAGAIN ? -1 : 0;
    vterm_input_write(self->terminal, rest, take_images(self, bytes, (size_t)count, rest));
    vterm_screen_flush_damage(self->screen);
    follow_frames(self, bytes, (size_t)count);
    self->received += (size_t)count;
    return count;
}

int harness_write(harness *self, const char *bytes, size_t count) {
    int idle = 0;
    while (count > 0) {
        struct pollfd ready = {.fd = self->master, .events = POLLIN | POLLOUT};
        if (poll(&ready, 1, 100) <= 0) {
            if (++idle > 50) return -1;
            continue;
        }
        if (ready.revents & POLLIN) harness_pump(self, 0);
        if (!(ready.revents & POLLOUT)) continue;
        ssize_t written = write(self->master, bytes, count < 1024 ? count : 1024);
        if (written < 0 && errno != EINTR && errno != EAGAIN) return -1;
        if (written > 0) {
            bytes += written;
            count -= (size_t)written;
        }
    }
    return 0;
}

void harness_resize(harness *self, int rows, int columns) {
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    vterm_set_size(self->terminal, rows, columns);
    ioctl(self->master, TIOCSWINSZ, &size);
}

void harness_claim_size(harness *self, int rows, int columns) {
    struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns};
    ioctl(self->master, TIOCSWINSZ, &size);
}

int harness_signal(harness *self, int number) {
    update_state(self);
    return self->has_ended ? -1 : kill(self->pid, number);
}

static uint32_t rgb(harness *self, VTermColor color) {
    vterm_screen_convert_color_to_rgb(self->screen, &color);
    return (uint32_t)color.rgb.red << 16 | (uint32_t)color.rgb.green << 8 | color.rgb.blue;
}

int harness_cell_at(harness *self, int row, int column, harness_cell *cell) {
    VTermPos position = {.row = row, .col = column};
    VTermScreenCell found;
    memset(cell, 0, sizeof *cell);
    if (!vterm_screen_get_cell(self->screen, position, &found)) return 0;
    cell->width = found.width;
    // The right half of a wide character is marked with -1; behind the 0 that ends the characters is garbage.
    if (found.chars[0] == (uint32_t)-1) cell->width = 0;
    for (int i = 0; cell->width > 0 && i < 6 && found.chars[i] != 0; i++) cell->characters[i] = found.chars[i];
    cell->has_default_foreground = VTERM_COLOR_IS_DEFAULT_FG(&found.fg);
    cell->has_default_background = VTERM_COLOR_IS_DEFAULT_BG(&found.bg);
    cell->foreground = rgb(self, found.fg);
    cell->background = rgb(self, found.bg);
    cell->bold = found.attrs.bold;
    cell->italic = found.attrs.italic;
    cell->underline = found.attrs.underline != 0;
    cell->reverse = found.attrs.reverse;
    cell->strike = found.attrs.strike;
    cell->blink = found.attrs.blink;
    return 1;
}

void harness_cursor(harness *self, int *row, int *column, int *is_visible) {
    *row = self->cursor.row;
    *column = self->cursor.col;
    *is_visible = self->cursor_is_visible;
}

int harness_is_alternate(harness *self) { return self->is_alternate; }
int harness_is_mid_frame(harness *self) { return self->is_mid_frame && !self->has_ended; }
int harness_mouse_mode(harness *self) { return self->mouse_mode; }
size_t harness_bytes_received(harness *self) { return self->received; }
const char *harness_image_words(harness *self) { return self->image_words; }

int harness_unread(harness *self) {
    int count;
    return ioctl(self->master, FIONREAD, &count) < 0 ? 0 : count;
}

pid_t harness_pid(harness *self) { return self->pid; }

int harness_get_modes(harness *self, harness_modes *modes) {
    struct termios found;
    if (tcgetattr(self->slave, &found) != 0) return -1;
    modes->is_canonical = (found.c_lflag & ICANON) != 0;
    modes->echoes = (found.c_lflag & ECHO) != 0;
    modes->signals = (found.c_lflag & ISIG) != 0;
    modes->maps_newline = (found.c_oflag & OPOST) != 0;
    return 0;
}

int harness_has_ended(harness *self, int *code, int *signal_number) {
    update_state(self);
    *code = self->has_ended && WIFEXITED(self->status) ? WEXITSTATUS(self->status) : 0;
    *signal_number = self->has_ended && WIFSIGNALED(self->status) ? WTERMSIG(self->status) : 0;
    return self->has_ended;
}

int harness_is_stopped(harness *self) {
    update_state(self);
    return !self->has_ended && self->is_stopped;
}
