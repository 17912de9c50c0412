import Glibc

/// Runs a blocking call on a thread of its own, so that it blocks no thread of Swift's pool.
///
/// To wait for it, resume a continuation at the end of `body`.
enum BlockingCall {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread, or on the calling one if the system cannot start a thread.
    static func run(_ body: @escaping @Sendable () -> Void) {
        // The new thread releases it.
        let context = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let code = pthread_create(&thread, nil, entry, context.toOpaque())
        if code == 0 {
            pthread_detach(thread)
        } else {
            context.takeRetainedValue().body()
        }
    }

    private static let entry:
        @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? =
            { context in
                if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
                return nil
            }
}
