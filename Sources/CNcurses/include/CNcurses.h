#ifndef CNCURSES_H
#define CNCURSES_H

// The only interface to ncurses. Swift never imports curses.h: its globals (stdscr, COLS, ...) are errors
// in Swift 6 mode, and most of what is needed are macros. Unless stated otherwise, every function here must
// be called on the main thread.

#include "cn_screen.h"
#include "cn_signals.h"
#include "cn_guardian.h"
#include "cn_poll.h"
#include "cn_program.h"

#endif
