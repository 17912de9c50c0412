// Restores the terminal on a crash, before the process dies. While the screen is up, standard error is kept
// in memory; otherwise the message of a fatal error would vanish with the alternate screen.
#define _GNU_SOURCE 1
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cn_signals.h"
#include "cn_state.h"

static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGQUIT, SIGSYS};
enum { CRASHES = sizeof crashes / sizeof *crashes, STACK = 65536, REPLAYED = 65536 };
static struct sigaction former[CRASHES];
static bool installed, former_runs;
static int null_descriptor = -1;
static int error_memory = -1, error_saved = -1;
// The handler's own stack, because a stack overflow leaves no room on the old one.
static char *crash_stack;

void cn_errors_capture(void) {
    // With `apus 2>log`, errors must go to the log immediately.
    if (error_memory >= 0 || !isatty(2)) return;
    error_memory = memfd_create("stderr", MFD_CLOEXEC);
    if (error_memory < 0) return;
    error_saved = fcntl(2, F_DUPFD_CLOEXEC, 10);
    if (error_saved >= 0) dup2(error_memory, 2);
}

// Replaces control characters, because messages of libraries may quote anything and must not control the
// terminal. `before` is the byte before the piece, which may be the first half of a control character;
// returns the piece's last byte. Async-signal-safe.
static unsigned char disarm(char *bytes, ssize_t count, unsigned char before) {
    for (ssize_t i = 0; i < count; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        bool is_c0 = byte < 0x20 && byte != '\n' && byte != '\t';
        bool is_c1 = byte >= 0x80 && byte < 0xA0 && before == 0xC2;
        if (is_c0 || is_c1 || byte == 0x7F) bytes[i] = is_c1 ? (char)0xBF : '?';
        before = byte;
    }
    return before;
}

// Async-signal-safe.
void cn_errors_release(void) {
    if (error_saved >= 0) {
        dup2(error_saved, 2);
        char bytes[4096];
        off_t end = lseek(error_memory, 0, SEEK_END);
        off_t at = end > REPLAYED ? end - REPLAYED : 0;
        unsigned char last = 0;
        ssize_t count;
        while ((count = pread(error_memory, bytes, sizeof bytes, at)) > 0) {
            last = disarm(bytes, count, last);
            if (!cn_write(2, bytes, (size_t)count)) break;
            at += count;
        }
        close(error_saved);
    }
    if (error_memory >= 0) close(error_memory);
    error_saved = error_memory = -1;
}

static void silence(int descriptor) {
    if (null_descriptor >= 0 && descriptor >= 0) dup2(null_descriptor, descriptor);
}

volatile sig_atomic_t cn_gave_up;

void cn_give_up(void) {
    cn_gave_up = 1;
    silence(cn_frame_output);
    silence(cn_curses_output);
    silence(cn_output);
    if (error_memory < 0) return;
    silence(error_saved);
    silence(2);
}

// Async-signal-safe calls only: write, dup2, tcsetattr, sigaction, raise.
static void restore(void) {
    // Another thread may be painting; its frames are discarded from now on.
    silence(cn_frame_output);
    silence(cn_curses_output);
    if (!cn_state || !cn_state->claimed) return;
    cn_state->claimed = 0;
    cn_write(cn_output, cn_state->restore, cn_state->restore_length);
    if (cn_state->has_modes) tcsetattr(cn_input, TCSANOW, &cn_state->before);
}

static void crash(int number, siginfo_t *info, void *context) {
    (void)context;
    restore();
    cn_errors_release();
    // By default not the former handler: Swift's backtracer is interactive on a terminal and would hang at
    // its prompt.
    struct sigaction next = {.sa_handler = SIG_DFL};
    for (int i = 0; i < CRASHES; i++) {
        if (former_runs && crashes[i] == number) next = former[i];
    }
    sigaction(number, &next, NULL);
    // A signal sent by abort or kill is sent again. A fault recurs by itself on return.
    if (info->si_code <= 0) raise(number);
}

void cn_crash_install(bool keep_former) {
    if (installed) return;
    former_runs = keep_former;
    null_descriptor = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (!crash_stack) crash_stack = malloc(STACK);
    if (crash_stack) {
        stack_t stack = {.ss_sp = crash_stack, .ss_size = STACK};
        sigaltstack(&stack, NULL);
    }
    struct sigaction action = {.sa_sigaction = crash, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < CRASHES; i++) sigaction(crashes[i], &action, &former[i]);
    installed = true;
}

void cn_crash_remove(void) {
    if (!installed) return;
    for (int i = 0; i < CRASHES; i++) sigaction(crashes[i], &former[i], NULL);
    if (null_descriptor >= 0) close(null_descriptor);
    null_descriptor = -1;
    installed = false;
}
