#ifndef CLOADER_H
#define CLOADER_H

// Libraries that are opened when they are first needed, so that a program that does without them
// neither needs them nor pays for loading them.

#include <stddef.h>

// Where a function's address goes. The address has the function's own type at its place.
typedef struct {
    const char *_Nonnull name;
    void *_Nullable *_Nonnull address;
} cloader_function;

// Opens the first of `names` that this system has; NULL is behind the last of them.
//
// NULL with a reason: that of the first name, which is the one to install.
void *_Nullable cloader_open(
    const char *_Nullable const *_Nonnull names, char *_Nonnull reason, size_t size);

// Finds all `count` functions; 0 with a reason if one is not there.
int cloader_find(
    void *_Nonnull library, const cloader_function *_Nonnull functions, size_t count,
    char *_Nonnull reason, size_t size);

#endif
