import Dispatch
import Glibc
import Synchronization

/// Makes a program that ends wait for its caches' pending writes.
///
/// Responses are delivered before they are on disk. Without this, a program that returns from its main
/// function or calls `exit` right after a response would lose it.
package enum ExitFlush {
    private struct Waiting {
        weak var store: DiskStore?
    }

    /// After this time the remaining writes are lost, so that the program ends.
    private static let limit = DispatchTimeInterval.seconds(5)
    private static let stores = Mutex<[Waiting]>([])

    /// Registers a store; the first call installs the exit handler.
    static func add(_ store: DiskStore) {
        let isFirst = stores.withLock { stores in
            let isFirst = stores.isEmpty
            stores.removeAll { $0.store == nil }
            stores.append(Waiting(store: store))
            return isFirst
        }
        if isFirst { atexit { ExitFlush.run() } }
    }

    /// Waits up to five seconds for pending writes, and removes the spool folders.
    ///
    /// For a program that ends without running exit handlers.
    package static func run() {
        defer { SpoolFolder.leaveAll() }
        // With a timeout and not on the stores' queues, because `exit` may have been called on one of them.
        let group = DispatchGroup()
        for store in stores.withLock({ $0.compactMap(\.store) }) { store.settle(group) }
        guard group.wait(timeout: .now() + limit) == .success else { return }
        // Otherwise the next process to open the cache would think that this one died at work.
        for store in stores.withLock({ $0.compactMap(\.store) }) { store.lending.leave() }
    }
}
