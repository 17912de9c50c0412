import Glibc
import Synchronization

// Files are read, never mapped: if another process truncated a mapped file, SIGBUS would end the program. They
// are read in the background, into memory that never moves.

/// Bytes that still arrive while the first ones are shown.
extension DocumentBytes {
    /// The number of bytes of a file that are read before `streaming` returns.
    static let firstRead = 64 << 10
    /// The address space reserved for an input of unknown size; only pages that are written cost memory.
    static let largestUnknown = 16 << 30

    /// Opens a file and reads its first 64 KiB; `load` or a parse reads the rest.
    ///
    /// If the file is truncated meanwhile, the bytes end there. Bytes that are appended meanwhile are not read.
    public static func streaming(file path: String) throws(DocumentError) -> DocumentBytes {
        let descriptor = try openFile(path)
        let source = ByteSource(descriptor: descriptor, path: path, isOwned: true)
        return try streaming(source)
    }

    /// Reads from a pipe or another open descriptor, and waits for the first bytes.
    ///
    /// The caller must keep the descriptor open; it is not closed here.
    public static func streaming(descriptor: Int32) throws(DocumentError) -> DocumentBytes {
        try streaming(ByteSource(descriptor: descriptor, path: nil, isOwned: false))
    }

    private static func streaming(_ source: ByteSource) throws(DocumentError) -> DocumentBytes {
        var status = stat()
        guard fstat(source.descriptor, &status) == 0 else {
            throw DocumentError(stage: .open, path: source.path, code: errno)
        }
        let position = max(0, lseek(source.descriptor, 0, SEEK_CUR))
        let isFile = status.st_mode & S_IFMT == S_IFREG && status.st_size > position
        let expected = isFile ? Int(status.st_size) - position : nil
        let limit = largest(of: status)
        guard expected ?? 0 <= limit else {
            throw DocumentError(stage: .limit(limit), path: source.path, code: EFBIG)
        }
        var capacity = expected ?? min(limit, largestUnknown)
        var memory = mmapped(capacity)
        while memory == nil && expected == nil && capacity > 1 << 28 {
            capacity /= 2
            memory = mmapped(capacity)
        }
        guard let memory else {
            throw DocumentError(stage: .memory, path: source.path, code: errno)
        }
        let bytes = DocumentBytes(
            adopting: UnsafePointer(memory.assumingMemoryBound(to: UInt8.self)),
            count: 0,
            mappedSize: mappedSize(capacity),
            capacity: capacity,
            expectedCount: expected,
            source: source
        )
        _ = bytes.load(atLeast: isFile ? firstRead : 1)
        if let error = bytes.loadError { throw error }
        return bytes
    }

    private static func mappedSize(_ capacity: Int) -> Int { (capacity + padding + 4095) & ~4095 }

    private static func mmapped(_ capacity: Int) -> UnsafeMutableRawPointer? {
        let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
        let memory = mmap(nil, mappedSize(capacity), PROT_READ | PROT_WRITE, flags, -1, 0)
        return memory == MAP_FAILED ? nil : memory
    }

    /// Whether all bytes have been read; always true for bytes that are not streamed.
    public var isComplete: Bool { source?.isComplete ?? true }

    /// The error that ended loading early; nil if there was none.
    public var loadError: DocumentError? { source?.error }

    /// Reads at least `length` more bytes and waits for them; returns false once all bytes have been read.
    @discardableResult public func load(atLeast length: Int) -> Bool {
        guard let source else { return false }
        return source.turn.withLock { _ in
            // The length may be `.max`.
            let goal = count + min(capacity - count, max(1, length))
            while !source.isComplete && count < goal {
                let memory = UnsafeMutableRawPointer(mutating: base) + count
                // Reads whatever a pipe has, but only as much of a file as is needed.
                let limit = (expectedCount == nil ? capacity : goal) - count
                advance(by: source.read(into: memory, limit: limit))
                if count == capacity { finishFull(source) }
            }
            return !source.isComplete
        }
    }

    /// Reads all remaining bytes, off the calling actor; returns early if the task is cancelled.
    @concurrent public func finishLoading() async { await finishLoading(onProgress: nil) }

    /// Reads all remaining bytes, off the calling actor; returns early if the task is cancelled.
    @concurrent func finishLoading(onProgress: (@Sendable (ParseProgress) -> Void)?) async {
        while !Task.isCancelled, await loadMore(4 << 20) { onProgress?(loadProgress) }
    }

    /// The number of bytes read so far, and the expected total.
    var loadProgress: ParseProgress {
        let count = count
        return ParseProgress(parsedBytes: count, totalBytes: max(count, expectedCount ?? count))
    }

    /// Reads more without blocking a thread of Swift's pool: what a pipe has, or `length` bytes of a file.
    ///
    /// Returns false once there is nothing more to read.
    func loadMore(_ length: Int) async -> Bool {
        guard let source, !isComplete else { return false }
        await source.waitUntilReadable()
        guard !Task.isCancelled else { return true }
        return load(atLeast: expectedCount == nil ? 1 : length)
    }

    /// Calls `body` while no thread writes after the last byte, where a parser may look.
    func whileStill<R>(_ body: (_ isComplete: Bool) -> R) -> R {
        guard let source else { return body(true) }
        return source.turn.withLock { _ in body(source.isComplete) }
    }

    private func finishFull(_ source: ByteSource) {
        // A file has reached its size; any other input is longer than the memory reserved for it.
        if expectedCount == nil {
            source.finish(.limit(capacity), code: EFBIG)
        } else {
            source.finish()
        }
    }
}

/// The source of streamed bytes: a descriptor that is read on demand.
final class ByteSource: Sendable {
    let descriptor: Int32
    let path: String?
    /// Held while bytes are written, and while a parser reads up to their end.
    let turn = Mutex(())
    private let isOwned: Bool
    private let completed = Atomic(false)
    private let failure = Mutex<DocumentError?>(nil)

    /// `deinit` closes an owned descriptor.
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

    /// Ends the loading; a `stage` records the error that ended it early.
    func finish(_ stage: DocumentError.Stage? = nil, code: Int32 = 0) {
        if let stage {
            let error = DocumentError(stage: stage, path: path, code: code)
            failure.withLock { $0 = error }
        }
        completed.store(true, ordering: .releasing)
    }

    /// Reads once; returns 0 at the end of the input, and after an error, which is kept in `error`.
    func read(into memory: UnsafeMutableRawPointer, limit: Int) -> Int {
        while true {
            let got = Glibc.read(descriptor, memory, min(limit, 1 << 30))
            if got > 0 { return got }
            if got < 0 && errno == EINTR { continue }
            if got < 0 { finish(.read, code: errno) } else { finish() }
            return 0
        }
    }

    /// Waits until a read would not block or the task is cancelled; a read of a file never blocks.
    func waitUntilReadable() async {
        guard !isReadable(orWakes: -1, timeout: 0) else { return }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (wake, waker) = (ends[0], ends[1])
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                BlockingCall.run {
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
