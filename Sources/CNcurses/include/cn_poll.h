#ifndef CN_POLL_H
#define CN_POLL_H

#include <stddef.h>
#include <stdint.h>

enum { CN_READY_INPUT = 1, CN_READY_WAKE = 2, CN_READY_MAIN_QUEUE = 4, CN_READY_HANGUP = 8 };

// Sleeps until a descriptor is ready, `nanoseconds` have passed (negative: no limit) or a signal arrives.
// Returns the bits above, 0 for a timeout or a signal, -1 for an error.
int cn_poll(int input, int wake, int main_queue, int64_t nanoseconds);
// Reads the available bytes. Returns 0 at the end of file or if the terminal is gone, -1 if there is nothing now.
long cn_read(int descriptor, uint8_t *_Nonnull bytes, size_t count);

int cn_wake_make(void);
// Callable from any thread and from signal handlers.
void cn_wake(int descriptor);
void cn_wake_clear(int descriptor);
void cn_close(int descriptor);

// The descriptor through which libdispatch asks for its main queue to be drained. CFRunLoop uses it too; it
// lets MainActor code run inside a loop that sleeps in poll.
int cn_main_queue(void);
void cn_main_queue_drain(int descriptor);

#endif
