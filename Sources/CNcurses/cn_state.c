#define _GNU_SOURCE 1
#include "cn_state.h"

#include <errno.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

cn_shared *cn_state;
int cn_input = -1, cn_output = -1;
int cn_curses_output = -1, cn_frame_output = -1;

cn_shared *cn_state_make(void) {
    if (cn_state) return cn_state;
    void *memory = mmap(NULL, sizeof(cn_shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
                        -1, 0);
    if (memory == MAP_FAILED) return NULL;
    cn_state = memory;
    return cn_state;
}

bool cn_write(int descriptor, const char *bytes, size_t count) {
    while (count) {
        ssize_t written = write(descriptor, bytes, count);
        if (written >= 0) {
            bytes += written;
            count -= (size_t)written;
        } else if (errno == EAGAIN) {
            // Another process that shares this terminal made it non-blocking.
            struct pollfd ready = {descriptor, POLLOUT, 0};
            if (poll(&ready, 1, -1) < 0 && errno != EINTR) return false;
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}
