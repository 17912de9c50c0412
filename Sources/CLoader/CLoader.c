#include "CLoader.h"

#include <dlfcn.h>
#include <stdio.h>

static void *open_first(const char *const *names, int mode, char *reason, size_t size) {
    for (const char *const *name = names; *name; name++) {
        void *library = dlopen(*name, mode | RTLD_LOCAL);
        if (library) return library;
        if (name == names) snprintf(reason, size, "%s", dlerror());
    }
    return NULL;
}

void *cloader_open(const char *const *names, char *reason, size_t size) {
    // RTLD_LAZY, because half of the libraries that libcurl brings then resolve only the functions that are
    // called.
    return open_first(names, RTLD_LAZY, reason, size);
}

void *cloader_open_bound(const char *const *names, char *reason, size_t size) {
    return open_first(names, RTLD_NOW, reason, size);
}

int cloader_find(
    void *library, const cloader_function *functions, size_t count, char *reason, size_t size) {
    for (size_t i = 0; i < count; i++) {
        *functions[i].address = dlsym(library, functions[i].name);
        if (*functions[i].address) continue;
        snprintf(reason, size, "the library has no %s", functions[i].name);
        return 0;
    }
    return 1;
}
