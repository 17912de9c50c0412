#ifndef CN_FRAME_H
#define CN_FRAME_H

#include <stdbool.h>

// Between begin and end all that ncurses writes is collected; end sends it in one piece.
bool cn_frame_begin(void);
// Returns the bytes sent, -1 when the terminal is gone.
long cn_frame_end(void);
void cn_frame_close(void);

#endif
