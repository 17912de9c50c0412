#ifndef CSHELL_H
#define CSHELL_H

// Calls of GNU's that Swift's Glibc has no name for.

#include <stdint.h>

// A pipe whose ends no other program gets: 0, or -1 with errno.
int cshell_pipe(int32_t ends[_Nonnull 2]);

// Starts `sh -c command` with these three descriptors and no others, every signal as a shell has it,
// as the leader of a session without a terminal: 0, or the error's number.
int cshell_start(
    const char *_Nonnull command, int32_t input, int32_t output, int32_t errors,
    int32_t *_Nonnull process);

#endif
