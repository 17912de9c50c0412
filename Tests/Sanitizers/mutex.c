/* Tells the thread sanitizer of the slow paths of Synchronization.Mutex.

   The fast paths are compiled into the program and seen. A thread that has to wait for a lock, or wakes another, goes
   through functions of libswiftSynchronization, which is not instrumented: without this, whatever a contended lock
   guards is reported as a race. Preloaded by `make sanitize`, also into programs without the sanitizer. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

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
