import Glibc
import Synchronization

/// Where streaming bytes come from: a descriptor that is read when somebody wants more.
final class ByteSource: Sendable {
    let descriptor: Int32
    let path: String?
    /// Held while bytes are written, and while a parser reads up to their end.
    let turn = Mutex(())
    private let isOwned: Bool
    private let completed = Atomic(false)
    private let failure = Mutex<DocumentError?>(nil)

    /// An owned descriptor is closed in the end.
    init(descriptor: Int32, path: String?, isOwned: Bool) {
        self.descriptor = descriptor
        self.path = path
        self.isOwned = isOwned
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    var isComplete: Bool { completed.load(ordering: .acquiring) }

    var error: DocumentError? { failure.withLock { $0 } }

    /// Ends the loading, early when there is an error.
    func finish(_ stage: DocumentError.Stage? = nil, code: Int32 = 0) {
        if let stage {
            let error = DocumentError(stage: stage, path: path, code: code)
            failure.withLock { $0 = error }
        }
        completed.store(true, ordering: .releasing)
    }

    /// Reads once into memory; 0 at the end and after an error, which is kept.
    func read(into memory: UnsafeMutableRawPointer, limit: Int) -> Int {
        while true {
            let got = Glibc.read(descriptor, memory, min(limit, 1 << 30))
            if got > 0 { return got }
            if got < 0 && errno == EINTR { continue }
            if got < 0 { finish(.read, code: errno) } else { finish() }
            return 0
        }
    }

    /// Waits until a read would not block, or the task is cancelled; files never block.
    func waitUntilReadable() async {
        guard !isReadable(orWakes: -1, timeout: 0) else { return }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (wake, waker) = (ends[0], ends[1])
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                WaitingThread.run {
                    _ = self.isReadable(orWakes: wake, timeout: -1)
                    continuation.resume()
                }
            }
        } onCancel: {
            _ = write(waker, "x", 1)
        }
        close(wake)
        close(waker)
    }

    private func isReadable(orWakes wake: Int32, timeout: Int32) -> Bool {
        var descriptors = [
            pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let count = poll(&descriptors, 2, timeout)
            if count < 0 && errno == EINTR { continue }
            return count != 0
        }
    }
}
