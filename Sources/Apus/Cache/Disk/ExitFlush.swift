import Dispatch
import Glibc
import Synchronization

/// Lets a program that ends wait for what its caches still write to disk.
///
/// Answers are delivered before they are on disk. A program that returns from its main function,
/// or calls `exit`, right after an answer would lose it without this.
package enum ExitFlush {
    private struct Waiting {
        weak var store: DiskStore?
    }

    /// A disk that takes longer loses what it has not written: ending is worth more.
    private static let limit = DispatchTimeInterval.seconds(5)
    private static let stores = Mutex<[Waiting]>([])

    /// Remembers a store, once; the first one makes the process wait when it ends.
    static func add(_ store: DiskStore) {
        let isFirst = stores.withLock { stores in
            let isFirst = stores.isEmpty
            stores.removeAll { $0.store == nil }
            stores.append(Waiting(store: store))
            return isFirst
        }
        if isFirst { atexit { ExitFlush.run() } }
    }

    /// Waits for what the stores of this process still write, five seconds at most; for a program
    /// that ends without its exit handlers.
    package static func run() {
        // Not for ever and not on its queues, because `exit` may have been called on one of them.
        let group = DispatchGroup()
        for store in stores.withLock({ $0.compactMap(\.store) }) { store.settle(group) }
        guard group.wait(timeout: .now() + limit) == .success else { return }
        // Else the next opening would take this process for one that died at work.
        for store in stores.withLock({ $0.compactMap(\.store) }) { store.lending.leave() }
    }
}
