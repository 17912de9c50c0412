import Dispatch
import Glibc
import Synchronization

/// Notices that the program is told to end, for as long as this value lives.
final class Interruption {
    private final class Count: Sendable {
        let value = Atomic(0)
    }

    private let count: Count
    private let sources: [any DispatchSourceSignal]

    /// Calls `action` on the first SIGINT or SIGTERM, on a thread of the system's.
    ///
    /// The second one ends the process at once.
    init(_ action: @escaping @Sendable () -> Void) {
        let count = Count()
        self.count = count
        sources = [SIGINT, SIGTERM].map { number in
            // Else the signal would end the process before the source sees it.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                guard count.value.add(1, ordering: .relaxed).oldValue == 0 else {
                    _exit(ExitStatus.interrupted)
                }
                action()
            }
            source.resume()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
    }

    /// Whether the program was told to end.
    var hasHappened: Bool { count.value.load(ordering: .relaxed) > 0 }
}
