#ifndef CN_GUARDIAN_H
#define CN_GUARDIAN_H

// Forks a small process that waits for our death, and restores the terminal when it was still
// claimed then: SIGKILL, the OOM killer and a stack overflow on a worker thread reach no handler.
// Call it before the first thread. Returns false when it could not be started (not fatal).
#include <stdbool.h>

bool cn_guardian_start(int input, int output);
// Ends it and waits for its end.
void cn_guardian_end(void);

#endif
