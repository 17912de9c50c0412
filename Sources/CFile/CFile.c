#define _GNU_SOURCE
#include "CFile.h"

#include <fcntl.h>
#include <sys/stat.h>

int cfile_birth(const char *path, cfile_name *name) {
    struct statx status;
    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &status)) return 0;
    // Some network file systems have no creation time; it is then 0.
    *name = (cfile_name){status.stx_ino, status.stx_btime.tv_sec, status.stx_btime.tv_nsec};
    return 1;
}

int cfile_look(const char *path) { return open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC); }
