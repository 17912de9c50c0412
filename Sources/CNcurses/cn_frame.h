#ifndef CN_FRAME_H
#define CN_FRAME_H

#include <stdbool.h>

// Output of ncurses between begin and end is collected; end sends it in one piece.
bool cn_frame_begin(void);
// Returns the number of bytes sent, or -1 if the terminal is gone.
long cn_frame_end(void);
void cn_frame_close(void);

#endif
