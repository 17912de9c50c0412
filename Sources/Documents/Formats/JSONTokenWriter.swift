import Glibc

/// Writes minified JSON into growing memory, token by token, up to a limit.
///
/// Adds commas itself. Drops what no longer fits and sets `isFull`: the JSON then ends in the middle,
/// which the parser shows as unclosed containers.
struct JSONTokenWriter: ~Copyable {
    /// The buffer; its first `count` bytes are written.
    private(set) var base: UnsafeMutablePointer<UInt8>
    /// The number of bytes written.
    private(set) var count = 0
    /// Whether something was dropped.
    private(set) var isFull = false
    /// The most bytes to write.
    let limit: Int

    private var capacity: Int
    private var needsComma = false

    /// Starts an empty text; `expected` is the approximate number of bytes to come.
    init(limit: Int, expected: Int = 4096) {
        self.limit = limit
        capacity = max(1, min(max(expected, 256), limit))
        guard let memory = malloc(capacity) else {
            // An array of this size would trap as well.
            preconditionFailure("no memory for \(capacity) bytes")
        }
        base = memory.assumingMemoryBound(to: UInt8.self)
    }

    deinit { free(base) }

    // MARK: - Tokens

    mutating func beginObject() { open(0x7B) }
    mutating func endObject() { close(0x7D) }
    mutating func beginArray() { open(0x5B) }
    mutating func endArray() { close(0x5D) }

    /// Where the next value will begin, for the map.
    var nextOffset: Int { needsComma ? count + 1 : count }

    /// Writes the key of the next value.
    mutating func key(_ bytes: UnsafeBufferPointer<UInt8>) {
        string(bytes)
        endKey()
    }

    /// Writes the key of the next value.
    mutating func key(_ text: String) {
        string(text)
        endKey()
    }

    /// Writes a key that is already escaped, with its quotes and colon.
    @inline(__always) mutating func writtenKey(_ bytes: UnsafeBufferPointer<UInt8>) {
        separate()
        append(bytes)
        needsComma = false
    }

    /// Writes a string that needs no escapes.
    @inline(__always) mutating func plainString(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard reserve(bytes.count + 3) else { return }
        if needsComma {
            base[count] = 0x2C
            count += 1
        }
        base[count] = 0x22
        if let source = bytes.baseAddress { memcpy(base + count + 1, source, bytes.count) }
        base[count + bytes.count + 1] = 0x22
        count += bytes.count + 2
        needsComma = true
    }

    /// Writes a string; invalid UTF-8 becomes U+FFFD.
    mutating func string(_ bytes: UnsafeBufferPointer<UInt8>) {
        beginString()
        content(bytes)
        endString()
    }

    mutating func string(_ text: String) {
        var text = text
        text.withUTF8 { string($0) }
    }

    /// Writes a value that is already JSON.
    mutating func token(_ bytes: UnsafeBufferPointer<UInt8>) {
        separate()
        append(bytes)
        needsComma = true
    }

    /// Writes a value that is already JSON.
    mutating func token(_ text: String) {
        var text = text
        text.withUTF8 { token($0) }
    }

    // MARK: - Strings in pieces

    /// Begins a string; `content` adds to it.
    mutating func beginString() {
        separate()
        put(0x22)
    }

    mutating func endString() {
        put(0x22)
        needsComma = true
    }

    /// Adds to the string; a character must not be split between two pieces.
    mutating func content(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let text = bytes.baseAddress else { return }
        var start = 0
        var at = 0
        while at < bytes.count {
            at = UTF8Text.plainEnd(text, at, bytes.count)
            guard at < bytes.count else { break }
            let length = UTF8Text.sequenceLength(text, at, bytes.count)
            if length > 1 {
                at += length
                continue
            }
            append(UnsafeBufferPointer(rebasing: bytes[start..<at]))
            if length == 1 {
                QuotedText.escape(text[at]).withUnsafeBufferPointer { append($0) }
                at += 1
            } else {
                append(UTF8Text.replacement)
                at += UTF8Text.brokenLength(text, at, bytes.count)
            }
            start = at
        }
        append(UnsafeBufferPointer(rebasing: bytes[start..<bytes.count]))
    }

    // MARK: - Changing what was written

    /// Makes the string just written the key of the next value.
    mutating func endKey() {
        put(0x3A)
        needsComma = false
    }

    /// Writes a blank at the beginning, to be patched later.
    mutating func reserveBlank() { put(0x20) }

    /// Repeats a value that was written before.
    mutating func repeatToken(_ range: Range<Int>) {
        separate()
        guard reserve(range.count) else { return }
        memcpy(base + count, base + range.lowerBound, range.count)
        count += range.count
        needsComma = true
    }

    /// Removes and returns the last value; `start` is what `nextOffset` was before it.
    mutating func takeBack(from start: Int) -> [UInt8] {
        let taken = Array(UnsafeBufferPointer(start: base + start, count: max(0, count - start)))
        drop(from: start)
        return taken
    }

    /// Removes the last value; `start` is what `nextOffset` was before it.
    mutating func drop(from start: Int) {
        guard start <= count else { return }
        let hasComma = start > 0 && base[start - 1] == 0x2C
        count = hasComma ? start - 1 : start
        needsComma = hasComma
    }

    /// Overwrites one byte.
    mutating func patch(_ byte: UInt8, at offset: Int) {
        if offset < count { base[offset] = byte }
    }

    /// Returns everything written, without a copy, and leaves the writer empty; nil if memory runs out.
    mutating func takeDocument() -> DocumentBytes? {
        let size = count + DocumentBytes.padding
        guard let empty = malloc(1) else { return nil }
        guard let memory = realloc(base, size) else {
            free(empty)
            return nil
        }
        memset(memory + count, 0, DocumentBytes.padding)
        let bytes = DocumentBytes(
            adopting: UnsafePointer(memory.assumingMemoryBound(to: UInt8.self)),
            count: count,
            mappedSize: 0,
            capacity: count,
            expectedCount: count,
            source: nil
        )
        // The bytes own the memory now.
        base = empty.assumingMemoryBound(to: UInt8.self)
        capacity = 1
        count = 0
        return bytes
    }

    // MARK: - Parts

    private mutating func open(_ bracket: UInt8) {
        separate()
        put(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        put(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { put(0x2C) }
    }

    @inline(__always) private mutating func put(_ byte: UInt8) {
        guard reserve(1) else { return }
        base[count] = byte
        count += 1
    }

    @inline(__always) private mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let source = bytes.baseAddress, bytes.count > 0, reserve(bytes.count) else { return }
        memcpy(base + count, source, bytes.count)
        count += bytes.count
    }

    private mutating func append(_ bytes: StaticString) {
        append(UnsafeBufferPointer(start: bytes.utf8Start, count: bytes.utf8CodeUnitCount))
    }

    @inline(__always) private mutating func reserve(_ more: Int) -> Bool {
        !isFull && (count + more <= capacity || grow(more))
    }

    @inline(never) private mutating func grow(_ more: Int) -> Bool {
        guard count + more <= limit else {
            isFull = true
            return false
        }
        let larger = min(max(capacity * 2, count + more), max(limit, count + more))
        guard let memory = realloc(base, larger) else {
            isFull = true
            return false
        }
        base = memory.assumingMemoryBound(to: UInt8.self)
        capacity = larger
        return true
    }
}

/// Keys with their quotes and colons, escaped once and copied wherever they are needed.
struct WrittenKeys: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var ends: [Int] = []

    /// The number of keys.
    var count: Int { ends.count }

    /// Adds a key.
    mutating func append(_ name: UnsafeBufferPointer<UInt8>) {
        var key = JSONTokenWriter(limit: .max, expected: name.count + 8)
        key.key(name)
        bytes.append(contentsOf: UnsafeBufferPointer(start: key.base, count: key.count))
        ends.append(bytes.count)
    }

    /// The range of a key in `bytes`.
    func range(_ index: Int) -> Range<Int> { (index > 0 ? ends[index - 1] : 0)..<ends[index] }

    @inline(__always) func write(_ index: Int, _ writer: inout JSONTokenWriter) {
        let range = range(index)
        bytes.withUnsafeBufferPointer { bytes in
            writer.writtenKey(UnsafeBufferPointer(rebasing: bytes[range]))
        }
    }
}
