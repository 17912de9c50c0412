/// A list in which elements are put and taken anywhere in about the square root of its length.
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

    /// Where an element is, or the end of the last chunk.
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
