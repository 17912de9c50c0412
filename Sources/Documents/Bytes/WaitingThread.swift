import Glibc

/// A thread of its own for one call that blocks, so that no thread of the pool does.
enum WaitingThread {
    private final class Work {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread; on the calling one when the system gives none.
    static func run(_ body: @escaping @Sendable () -> Void) {
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
