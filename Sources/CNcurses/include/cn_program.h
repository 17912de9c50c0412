#ifndef CN_PROGRAM_H
#define CN_PROGRAM_H

// Stops the process group like ctrl-z; returns when it is continued. If nobody could continue it (an
// orphaned group), the kernel discards the signal and this returns at once.
void cn_stop(void);

// Runs a program in the foreground and waits for it. Returns its exit status, 128+n after signal n, or 127
// if it could not be started. `arguments` ends with NULL.
int cn_run(const char *_Nullable const *_Nonnull arguments);

#endif
