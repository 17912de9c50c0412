#ifndef CLOADER_H
#define CLOADER_H

// Opens libraries on first use, so that a program that does not use them neither requires them nor pays for
// loading them.

#include <stddef.h>

// A function's name, and where to store its address, in a pointer of the function's type.
typedef struct {
    const char *_Nonnull name;
    void *_Nullable *_Nonnull address;
} cloader_function;

// Opens the first library in `names` that this system has. `names` ends with NULL.
//
// On failure, returns NULL with the reason for the first name, which is the one to install.
void *_Nullable cloader_open(
    const char *_Nullable const *_Nonnull names, char *_Nonnull reason, size_t size);

// Opens a library like `cloader_open`, and resolves at once all functions that it calls.
void *_Nullable cloader_open_bound(
    const char *_Nullable const *_Nonnull names, char *_Nonnull reason, size_t size);

// Finds all `count` functions; returns 0 with a reason if one is missing.
int cloader_find(
    void *_Nonnull library, const cloader_function *_Nonnull functions, size_t count,
    char *_Nonnull reason, size_t size);

#endif
