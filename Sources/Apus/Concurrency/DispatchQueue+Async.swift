package import Dispatch

extension DispatchQueue {
    /// Runs work after what is already waiting on this queue, and returns its result.
    ///
    /// Opening, writing and syncing a file block a thread, so they must not run on Swift's pool.
    package func run<T: Sendable>(_ work: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { (caller: CheckedContinuation<T, Never>) in
            async { caller.resume(returning: work()) }
        }
    }
}
