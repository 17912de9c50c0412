#ifndef CFILE_H
#define CFILE_H

// What Swift's Glibc has no name for.

#include <stdint.h>

// What tells a file from each other one: its number, and when it was made, which no program can set.
typedef struct {
    uint64_t number;
    int64_t seconds;
    uint32_t nanoseconds;
} cfile_name;

// The file at `path`; 0 if there is none.
int cfile_birth(const char *_Nonnull path, cfile_name *_Nonnull name);

#endif
