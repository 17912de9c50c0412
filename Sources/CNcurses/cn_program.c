#define _GNU_SOURCE 1
#include "cn_program.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

void cn_stop(void) {
    struct sigaction standard = {.sa_handler = SIG_DFL}, former;
    sigset_t stop, mask;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    sigaction(SIGTSTP, &standard, &former);
    sigprocmask(SIG_UNBLOCK, &stop, &mask);
    // SIGTSTP and not SIGSTOP: a stopped session leader (`tmux new-window apus`) could never be continued,
    // and in that case the kernel discards SIGTSTP.
    kill(0, SIGTSTP);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    sigaction(SIGTSTP, &former, NULL);
}

int cn_run(const char *const *arguments) {
    posix_spawnattr_t attributes;
    if (posix_spawnattr_init(&attributes)) return 127;
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    // Otherwise ignored signals and the mask of a libdispatch thread would be inherited.
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    pid_t child;
    int failure = posix_spawnp(&child, arguments[0], NULL, &attributes, (char *const *)arguments,
                               environ);
    posix_spawnattr_destroy(&attributes);
    if (failure) return 127;
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return 127;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
