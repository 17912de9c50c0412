#define _GNU_SOURCE 1
#include "cn_signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

#include "cn_poll.h"
#include "cn_state.h"

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
static struct sigaction former_pipe, former_alarm;

// How long a program that was told to end may wait for a terminal that nobody reads, in seconds.
enum { PATIENCE = 2 };
static pthread_t main_thread;

// Installed without SA_RESTART, so that a write blocked in the kernel returns; the rest of its bytes is
// discarded.
static void lose_patience(int number) {
    int saved = errno;
    // The kernel may have chosen a thread other than the one that is blocked.
    if (!pthread_equal(pthread_self(), main_thread)) pthread_kill(main_thread, number);
    else cn_give_up();
    errno = saved;
}

static void note(int number) {
    int saved = errno;
    if (number == SIGTERM || number == SIGINT || number == SIGHUP) alarm(PATIENCE);
    for (int i = 0; i < WATCHED; i++) {
        if (watched[i].number == number) {
            __atomic_fetch_or(&pending, watched[i].bit, __ATOMIC_RELAXED);
        }
    }
    cn_wake(wake_descriptor);
    errno = saved;
}

bool cn_signal_is_ignored(int number) {
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void cn_signals_install(int wake) {
    wake_descriptor = wake;
    struct sigaction action = {.sa_handler = note, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < WATCHED; i++) {
        sigaction(watched[i].number, NULL, &watched[i].former);
        watched[i].installed = !cn_signal_is_ignored(watched[i].number) &&
                               sigaction(watched[i].number, &action, NULL) == 0;
    }
    main_thread = pthread_self();
    struct sigaction patience = {.sa_handler = lose_patience};
    sigemptyset(&patience.sa_mask);
    sigaction(SIGALRM, &patience, &former_alarm);
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, &former_pipe);
}

void cn_signals_remove(void) {
    alarm(0);
    sigaction(SIGALRM, &former_alarm, NULL);
    for (int i = 0; i < WATCHED; i++) {
        if (watched[i].installed) sigaction(watched[i].number, &watched[i].former, NULL);
        watched[i].installed = false;
    }
    sigaction(SIGPIPE, &former_pipe, NULL);
    wake_descriptor = -1;
}

uint32_t cn_signals_take(void) { return __atomic_exchange_n(&pending, 0u, __ATOMIC_RELAXED); }
