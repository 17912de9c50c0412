/// An object that is being patched.
struct PatchObject {
    struct Member {
        /// The key as written, in quotes, and a colon.
        let quotedKey: [UInt8]
        var value: Int
        var isRemoved = false
    }

    private var members: [Member] = []
    /// The index of a member by its decoded key; of several members with one name the last.
    private var places: [[UInt8]: Int] = [:]

    /// The remaining members, in order.
    var present: [Member] { members.filter { !$0.isRemoved } }

    mutating func append(_ key: Range<Int>, of bytes: DocumentBytes, value: Int) {
        let quoted = [0x22] + bytes.array(in: key) + [0x22, 0x3A]
        places[EscapedText.bytes(bytes.base, key)] = members.count
        members.append(Member(quotedKey: quoted, value: value))
    }

    func value(of key: [UInt8]) -> Int? { places[key].map { members[$0].value } }

    mutating func set(_ key: [UInt8], to value: Int) {
        if let place = places[key] {
            members[place].value = value
            return
        }
        var quoted: [UInt8] = []
        key.withUnsafeBufferPointer { QuotedText.append($0, to: &quoted) }
        places[key] = members.count
        members.append(Member(quotedKey: quoted + [0x3A], value: value))
    }

    mutating func remove(_ key: [UInt8]) -> Int? {
        guard let place = places.removeValue(forKey: key) else { return nil }
        members[place].isRemoved = true
        return members[place].value
    }
}

/// A list with insertion and removal at any index in about the square root of its length.
struct ChunkedList {
    private static let largestChunk = 2048

    private var chunks: [[Int]] = []
    private(set) var count = 0

    init(_ elements: [Int]) {
        count = elements.count
        for start in stride(from: 0, to: elements.count, by: Self.largestChunk / 2) {
            let end = min(start + Self.largestChunk / 2, elements.count)
            chunks.append(Array(elements[start..<end]))
        }
    }

    var elements: [Int] { chunks.flatMap { $0 } }

    subscript(index: Int) -> Int {
        get {
            let (chunk, at) = place(of: index)
            return chunks[chunk][at]
        }
        set {
            let (chunk, at) = place(of: index)
            chunks[chunk][at] = newValue
        }
    }

    mutating func insert(_ element: Int, at index: Int) {
        count += 1
        guard !chunks.isEmpty else { return chunks.append([element]) }
        let (chunk, at) = place(of: index)
        chunks[chunk].insert(element, at: at)
        guard chunks[chunk].count > Self.largestChunk else { return }
        let half = Self.largestChunk / 2
        chunks.insert(Array(chunks[chunk][half...]), at: chunk + 1)
        chunks[chunk].removeSubrange(half...)
    }

    mutating func remove(at index: Int) -> Int {
        count -= 1
        let (chunk, at) = place(of: index)
        let element = chunks[chunk].remove(at: at)
        if chunks[chunk].isEmpty { chunks.remove(at: chunk) }
        return element
    }

    /// The chunk of an element and the index in it; for the index `count`, the end of the last chunk.
    private func place(of index: Int) -> (chunk: Int, at: Int) {
        var at = index
        for (number, chunk) in chunks.enumerated() {
            if at < chunk.count { return (number, at) }
            at -= chunk.count
        }
        let last = chunks.count - 1
        return (last, at + chunks[last].count)
    }
}
