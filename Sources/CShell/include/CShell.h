#ifndef CSHELL_H
#define CSHELL_H

// GNU extensions that Swift's Glibc module does not have.

#include <stdint.h>

// Makes a pipe whose ends child processes do not inherit. Returns 0, or -1 with errno.
int cshell_pipe(int32_t ends[_Nonnull 2]);

// Starts `sh -c command` with only these three descriptors and default signal handling, as the leader of a
// new session without a terminal, in a folder (NULL for that of this process). Returns 0 or an error number.
int cshell_start(
    const char *_Nonnull command, const char *_Nullable folder, int32_t input, int32_t output,
    int32_t errors, int32_t *_Nonnull process);

#endif
