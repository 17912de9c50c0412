#define _GNU_SOURCE 1
#include "cn_guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cn_state.h"

static pid_t guardian;
static int life_line = -1;

// Keeps only the terminal, as 0 and 1, and the life line, as 2. If a pipe or socket of our caller stayed
// open here, the caller would wait for its end of file.
static int keep_only(int line, int input, int output) {
    int kept_line = fcntl(line, F_DUPFD, 10);
    int kept_in = fcntl(input, F_DUPFD, 10), kept_out = fcntl(output, F_DUPFD, 10);
    if (kept_line < 0 || kept_in < 0 || kept_out < 0) _exit(0);
    dup2(kept_in, 0);
    dup2(kept_out, 1);
    dup2(kept_line, 2);
    close_range(3, ~0u, 0);
    return 2;
}

static bool modes_are_ours(void) {
    struct termios now;
    if (tcgetattr(0, &now) < 0) return false;
    const struct termios *ours = &cn_state->claimed_modes;
    return now.c_iflag == ours->c_iflag && now.c_oflag == ours->c_oflag &&
           now.c_lflag == ours->c_lflag;
}

static void watch(int line) {
    for (int number = 1; number < NSIG; number++) {
        if (number != SIGKILL && number != SIGSTOP && number != SIGCONT) signal(number, SIG_IGN);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_NAME, "apus-guardian");
    char byte;
    ssize_t count;
    do {
        count = read(line, &byte, 1);
    } while (count < 0 && errno == EINTR);
    if (count != 0 || !cn_state->claimed) _exit(0);
    // A shell may already have set its own modes (for its line editor); those are kept.
    if (cn_state->has_modes && modes_are_ours()) tcsetattr(0, TCSANOW, &cn_state->before);
    cn_write(1, cn_state->restore, cn_state->restore_length);
    _exit(0);
}

bool cn_guardian_start(int input, int output) {
    if (guardian > 0) return true;
    int line[2];
    if (!cn_state_make() || pipe2(line, O_CLOEXEC) < 0) return false;
    pid_t child = fork();
    if (child == 0) watch(keep_only(line[0], input, output));
    close(line[0]);
    if (child < 0) {
        close(line[1]);
        return false;
    }
    guardian = child;
    life_line = line[1];
    return true;
}

void cn_guardian_end(void) {
    // After cn_give_up, the guardian must still restore the terminal when it is read again.
    if (guardian <= 0 || cn_gave_up) return;
    // Killed and not asked, because it may be stopped. The PID of a child that was not reaped cannot be reused.
    kill(guardian, SIGKILL);
    while (waitpid(guardian, NULL, 0) < 0 && errno == EINTR) {
    }
    close(life_line);
    guardian = 0;
    life_line = -1;
}
