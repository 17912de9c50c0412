import Glibc
import Synchronization

/// Bytes that arrive while the first ones are already shown.
extension DocumentBytes {
    /// What is read before the first look.
    static let firstRead = 64 << 10
    /// Reserved for an input of unknown size; only what is touched costs memory.
    static let largestUnknown = 16 << 30

    /// Reads the first 64 KiB of somebody else's file; `load` or a parse reads the rest.
    ///
    /// The file is read, never mapped: when it is truncated meanwhile, the bytes just end there.
    /// What is appended meanwhile is not taken in.
    public static func streaming(file path: String) throws(DocumentError) -> DocumentBytes {
        let descriptor = try openFile(path)
        let source = ByteSource(descriptor: descriptor, path: path, isOwned: true)
        return try streaming(source)
    }

    /// Reads what is there from a pipe or another open descriptor; it has to stay open, and is not
    /// closed.
    ///
    /// Waits for the first bytes.
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

    /// Whether everything is there; always so for bytes that don't stream.
    public var isComplete: Bool { source?.isComplete ?? true }

    /// What ended the loading early.
    public var loadError: DocumentError? { source?.error }

    /// Reads so many more bytes, and waits for them; false when there are no more to come.
    @discardableResult public func load(atLeast length: Int) -> Bool {
        guard let source else { return false }
        return source.turn.withLock { _ in
            // The length may be `.max`.
            let goal = count + min(capacity - count, max(1, length))
            while !source.isComplete && count < goal {
                let memory = UnsafeMutableRawPointer(mutating: base) + count
                // A pipe gives what it has; a file as much as is asked for.
                let limit = (expectedCount == nil ? capacity : goal) - count
                advance(by: source.read(into: memory, limit: limit))
                if count == capacity { finishFull(source) }
            }
            return !source.isComplete
        }
    }

    /// Reads everything that is to come, off the calling actor; returns early when cancelled.
    @concurrent public func finishLoading() async {
        while !Task.isCancelled, await loadMore(4 << 20) {}
    }

    /// Reads more without blocking the pool: for a pipe what there is, for a file `length` bytes.
    func loadMore(_ length: Int) async -> Bool {
        guard let source, !isComplete else { return false }
        await source.waitUntilReadable()
        guard !Task.isCancelled else { return true }
        return load(atLeast: expectedCount == nil ? 1 : length)
    }

    /// Calls `body` while nobody writes behind the last byte, where a parser may look.
    func whileStill<R>(_ body: (_ isComplete: Bool) -> R) -> R {
        guard let source else { return body(true) }
        return source.turn.withLock { _ in body(source.isComplete) }
    }

    private func finishFull(_ source: ByteSource) {
        // A file's size is what was asked for; anything else has more than there is room for.
        if expectedCount == nil {
            source.finish(.limit(capacity), code: EFBIG)
        } else {
            source.finish()
        }
    }
}
