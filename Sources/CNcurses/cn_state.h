#ifndef CN_STATE_H
#define CN_STATE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <termios.h>

// What a crash handler and the guardian need. It lies in memory shared with the guardian, so that
// the guardian sees, after our death, whether the terminal was claimed at that moment.
typedef struct {
    volatile sig_atomic_t claimed;
    bool has_modes;
    struct termios before;   // the terminal's modes when we came
    struct termios claimed_modes;  // and as we set them
    size_t restore_length;
    char restore[512];
} cn_shared;

extern cn_shared *cn_state;
// Makes the shared memory on first use; NULL when there is none.
cn_shared *cn_state_make(void);
// Writes the whole, or until the terminal is gone. Async-signal-safe.
bool cn_write(int descriptor, const char *bytes, size_t count);

// From now on what is meant for the terminal goes nowhere; it stays claimed, for the guardian.
// Async-signal-safe.
void cn_give_up(void);
extern volatile sig_atomic_t cn_gave_up;

extern int cn_input, cn_output;
// ncurses' own descriptor, and the duplicate frames are sent through.
extern int cn_curses_output, cn_frame_output;

#endif
