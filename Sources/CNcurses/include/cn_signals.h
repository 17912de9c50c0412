#ifndef CN_SIGNALS_H
#define CN_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CN_SIGNAL_RESIZE = 1,
    CN_SIGNAL_TERMINATE = 2,
    CN_SIGNAL_STOP = 4,
    CN_SIGNAL_CONTINUE = 8,
    CN_SIGNAL_INTERRUPT = 16,
    CN_SIGNAL_HANGUP = 32,
};

// Installs handlers that only set a bit and write to `wake`. Two seconds after a signal that ends the
// program, output to a terminal that nobody reads is discarded, and the guardian restores the terminal.
// Call it on the main thread and before cn_claim, because ncurses then leaves these signals alone. A signal
// that was ignored (nohup) stays ignored.
void cn_signals_install(int wake);
// Restores the former handlers.
void cn_signals_remove(void);
// Whether a signal is ignored, as nohup and shells without job control set it.
bool cn_signal_is_ignored(int number);
// Returns the bits set since the last call.
uint32_t cn_signals_take(void);

// Makes a crash restore the terminal before the process dies. Afterwards the former handler (a backtracer)
// runs if `keep_former`, otherwise the default action.
void cn_crash_install(bool keep_former);
void cn_crash_remove(void);

// Keeps standard error in memory while the screen is up (only if it is a terminal); release replays it.
void cn_errors_capture(void);
void cn_errors_release(void);

#endif
