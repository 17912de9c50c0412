#define _GNU_SOURCE 1
#include "cn_poll.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

int cn_poll(int input, int wake, int main_queue, int64_t nanoseconds) {
    struct pollfd ready[] = {{input, POLLIN, 0}, {wake, POLLIN, 0}, {main_queue, POLLIN, 0}};
    struct timespec timeout = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    int count = ppoll(ready, 3, nanoseconds < 0 ? NULL : &timeout, NULL);
    if (count < 0) return errno == EINTR ? 0 : -1;
    int bits = 0;
    if (ready[0].revents & POLLIN) bits |= CN_READY_INPUT;
    else if (ready[0].revents) bits |= CN_READY_HANGUP;
    if (ready[1].revents) bits |= CN_READY_WAKE;
    if (ready[2].revents) bits |= CN_READY_MAIN_QUEUE;
    return bits;
}

long cn_read(int descriptor, uint8_t *bytes, size_t count) {
    ssize_t got = read(descriptor, bytes, count);
    if (got >= 0) return got;
    // EIO: the other end of the pseudo-terminal is gone, or we are in an orphaned background group.
    return errno == EINTR || errno == EAGAIN ? -1 : 0;
}

int cn_wake_make(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

void cn_wake(int descriptor) {
    uint64_t one = 1;
    // EAGAIN: the counter is full, so the sleeper is awake anyway.
    if (write(descriptor, &one, sizeof one) < 0) return;
}

void cn_wake_clear(int descriptor) {
    uint64_t count;
    if (read(descriptor, &count, sizeof count) < 0) return;
}

void cn_close(int descriptor) { close(descriptor); }

// Exported by libdispatch for CoreFoundation, without a header.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *);

int cn_main_queue(void) { return _dispatch_get_main_queue_handle_4CF(); }

void cn_main_queue_drain(int descriptor) {
    cn_wake_clear(descriptor);
    _dispatch_main_queue_callback_4CF(NULL);
}
