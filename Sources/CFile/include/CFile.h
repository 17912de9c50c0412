#ifndef CFILE_H
#define CFILE_H

// Calls that Swift's Glibc module does not have.

#include <stdint.h>

// Identifies a file: its inode number and its creation time, which no program can set.
typedef struct {
    uint64_t number;
    int64_t seconds;
    uint32_t nanoseconds;
} cfile_name;

// Sets `name` to the file at `path`; returns 0 if there is none.
int cfile_birth(const char *_Nonnull path, cfile_name *_Nonnull name);

// Opens a file, or a link, only to look at it; closing this leaves the locks that this process has on the file.
// Returns -1 if that fails.
int cfile_look(const char *_Nonnull path);

#endif
