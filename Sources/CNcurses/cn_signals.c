#define _GNU_SOURCE 1
#include "cn_signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "cn_poll.h"

typedef struct {
    int number;
    uint32_t bit;
    struct sigaction former;
    bool installed;
} watched_signal;

static watched_signal watched[] = {
    {.number = SIGWINCH, .bit = CN_SIGNAL_RESIZE},  {.number = SIGTERM, .bit = CN_SIGNAL_TERMINATE},
    {.number = SIGINT, .bit = CN_SIGNAL_INTERRUPT}, {.number = SIGHUP, .bit = CN_SIGNAL_HANGUP},
    {.number = SIGTSTP, .bit = CN_SIGNAL_STOP},     {.number = SIGCONT, .bit = CN_SIGNAL_CONTINUE},
};
enum { WATCHED = sizeof watched / sizeof *watched };

static volatile sig_atomic_t wake_descriptor = -1;
static uint32_t pending;
static struct sigaction former_pipe;

static void note(int number) {
    int saved = errno;
    for (int i = 0; i < WATCHED; i++) {
        if (watched[i].number == number) {
            __atomic_fetch_or(&pending, watched[i].bit, __ATOMIC_RELAXED);
        }
    }
    cn_wake(wake_descriptor);
    errno = saved;
}

void cn_signals_install(int wake) {
    wake_descriptor = wake;
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < WATCHED; i++) {
        sigaction(watched[i].number, NULL, &watched[i].former);
        bool ignored = watched[i].former.sa_handler == SIG_IGN;
        // nohup, and shells without job control, ask by this that the signal does nothing.
        watched[i].installed = !ignored && sigaction(watched[i].number, &action, NULL) == 0;
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, &former_pipe);
}

void cn_signals_remove(void) {
    for (int i = 0; i < WATCHED; i++) {
        if (watched[i].installed) sigaction(watched[i].number, &watched[i].former, NULL);
        watched[i].installed = false;
    }
    sigaction(SIGPIPE, &former_pipe, NULL);
    wake_descriptor = -1;
}

uint32_t cn_signals_take(void) { return __atomic_exchange_n(&pending, 0u, __ATOMIC_RELAXED); }
