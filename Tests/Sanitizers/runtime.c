/* Tells the thread sanitizer of two ways in which the Swift runtime, which is not instrumented, hands memory from one
   thread to another. Preloaded by `make sanitize`, also into programs without the sanitizer.

   A `Synchronization.Mutex` that is contended. Its fast paths are compiled into the program and seen. A thread that has
   to wait for a lock, or wakes another, goes through functions of libswiftSynchronization: without this, whatever a
   contended lock guards is reported as a race.

   A continuation that is resumed before its task waits for it. The runtime tells of the resuming ("release"), and of a
   task's beginning to run again ("acquire"); but such a task goes on at once, without the second. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SWIFT_ASYNC __attribute__((swiftasynccall))
#define SELF __attribute__((swift_context))
#define ASYNC_CONTEXT __attribute__((swift_async_context))

__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

/* Synchronization.Mutex */

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF void *mutex) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF void *mutex) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *mutex) {
    SWIFT void (*real)(uint32_t, SELF void *) = dlsym(RTLD_NEXT, LOCK);
    real(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try_lock_slow(SELF void *mutex) {
    SWIFT bool (*real)(SELF void *) = dlsym(RTLD_NEXT, TRY_LOCK);
    if (!real(mutex)) return false;
    if (__tsan_acquire) __tsan_acquire(mutex);
    return true;
}

SWIFT void unlock_slow(SELF void *mutex) {
    SWIFT void (*real)(SELF void *) = dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(mutex);
    real(mutex);
}

/* Continuations */

/* The beginning of the compiler's ContinuationAsyncContext (swift/ABI/Task.h). */
struct continuation {
    struct continuation *parent;
    SWIFT_ASYNC void (*resume)(ASYNC_CONTEXT struct continuation *);
    uintptr_t flags;
};
static const uintptr_t switches_executor = 2;

extern SWIFT void *swift_task_getCurrent(void) __attribute__((weak));

static void acquire_task(void) {
    void *task = __tsan_acquire && swift_task_getCurrent ? swift_task_getCurrent() : NULL;
    if (task) __tsan_acquire(task);
}

static __thread SWIFT_ASYNC void (*after_await)(ASYNC_CONTEXT struct continuation *);

static SWIFT_ASYNC void await_ended(ASYNC_CONTEXT struct continuation *continuation) {
    acquire_task();
    __attribute__((musttail)) return after_await(continuation);
}

/* `withUnsafeContinuation`, which is compiled into the program. The runtime looks at `resume` only to go on at once:
   a task that waits has been told before where to go on. */
SWIFT_ASYNC void swift_continuation_await(struct continuation *continuation) {
    static SWIFT_ASYNC void (*real)(struct continuation *);
    if (!real) real = dlsym(RTLD_NEXT, "swift_continuation_await");
    if (!(continuation->flags & switches_executor)) {
        after_await = continuation->resume;
        continuation->resume = await_ended;
    }
    __attribute__((musttail)) return real(continuation);
}

/* `withCheckedContinuation` is in the runtime, out of reach; but whoever called it frees its frame when it returns. */
SWIFT void swift_task_dealloc(void *frame) {
    static SWIFT void (*real)(void *);
    if (!real) real = dlsym(RTLD_NEXT, "swift_task_dealloc");
    acquire_task();
    real(frame);
}
