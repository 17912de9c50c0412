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

// Handlers that only set a bit and write to `wake`; and two seconds after one that means the end,
// nothing waits any more for a terminal that nobody reads: it is left to the guardian. Call it on the
// main thread and before cn_claim: ncurses then leaves these signals alone. A signal that was ignored
// (nohup) stays ignored.
void cn_signals_install(int wake);
// Puts the former handlers back.
void cn_signals_remove(void);
// Whether a signal is ignored: nohup, and shells without job control, ask by this that it does nothing.
bool cn_signal_is_ignored(int number);
// The bits since the last call.
uint32_t cn_signals_take(void);

// From here a crash restores the terminal before the process dies. `keep_former`: afterwards the
// former handler runs (a backtracer), otherwise the default action.
void cn_crash_install(bool keep_former);
void cn_crash_remove(void);

// Standard error goes to memory while the screen is up (only if it is a terminal), and is replayed.
void cn_errors_capture(void);
void cn_errors_release(void);

#endif
