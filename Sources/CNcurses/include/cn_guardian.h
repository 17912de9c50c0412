#ifndef CN_GUARDIAN_H
#define CN_GUARDIAN_H

// Forks a small process that waits for our death and restores the terminal if it was still claimed:
// SIGKILL, the OOM killer and a stack overflow on a worker thread do not run any handler. Call it before
// the first thread is started. Returns false if the process could not be started (not fatal).
#include <stdbool.h>

bool cn_guardian_start(int input, int output);
// Ends the process and waits for it.
void cn_guardian_end(void);

#endif
