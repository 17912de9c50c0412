#ifndef CN_STATE_H
#define CN_STATE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <termios.h>

// State for the crash handler and the guardian. It is in memory shared with the guardian, so that after our
// death the guardian sees whether the terminal was claimed.
typedef struct {
    volatile sig_atomic_t claimed;
    bool has_modes;
    struct termios before;   // the terminal's modes before we set ours
    struct termios claimed_modes;  // the modes that we set
    size_t restore_length;
    char restore[512];
} cn_shared;

extern cn_shared *cn_state;
// Makes the shared memory on first use; NULL on failure.
cn_shared *cn_state_make(void);
// Writes all bytes; returns false if the terminal is gone. Async-signal-safe.
bool cn_write(int descriptor, const char *bytes, size_t count);

// Discards all later output to the terminal, which stays claimed, so that the guardian restores it.
// Async-signal-safe.
void cn_give_up(void);
extern volatile sig_atomic_t cn_gave_up;

extern int cn_input, cn_output;
// ncurses' own descriptor, and the duplicate through which frames are sent.
extern int cn_curses_output, cn_frame_output;

#endif
