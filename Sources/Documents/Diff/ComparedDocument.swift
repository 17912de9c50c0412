/// One side of a comparison: the values that were published when it began, and their hashes.
struct ComparedDocument {
    let document: Document
    /// The values that are looked at.
    let count: Int
    let ignored: NodeSet
    let numbers: NumberComparison
    var hashes: [UInt64] = []

    init(_ document: Document, ignored: NodeSet, numbers: NumberComparison) {
        self.document = document
        self.ignored = ignored
        self.numbers = numbers
        count = document.nodeCount
    }

    @inline(__always) func size(_ node: Int) -> Int {
        document.subtreeSize(of: NodeIndex(node), within: count)
    }

    @inline(__always) func kind(_ node: Int) -> ValueKind { document.kind(of: NodeIndex(node)) }

    @inline(__always) func isIgnored(_ node: Int) -> Bool { ignored.contains(node) }

    @inline(__always) func range(_ node: Int) -> Range<Int> {
        document.valueRange(of: NodeIndex(node))
    }

    /// A member's key as written; empty for what has none.
    @inline(__always) func keyRange(_ node: Int) -> Range<Int> {
        document.keyRange(of: NodeIndex(node)) ?? 0..<0
    }

    /// A string's content as written, without the quotes.
    @inline(__always) func contentRange(_ node: Int) -> Range<Int> {
        let range = range(node)
        guard range.count >= 2 else { return range }
        return range.lowerBound + 1..<range.upperBound - 1
    }

    /// Calls `body` with each value directly in a container.
    @inline(__always) func forEachChild(of node: Int, _ body: (Int) -> Void) {
        var child = node + 1
        let end = node + size(node)
        while child < end {
            body(child)
            child += size(child)
        }
    }

    // MARK: - Hashes

    /// The hash of a key, by its decoded text.
    @inline(__always) func keyHash(_ node: Int) -> UInt64 { textHash(keyRange(node)) }

    @inline(__always) private func textHash(_ range: Range<Int>) -> UInt64 {
        let bytes = document.bytes
        let (hash, hasBackslash) = ContentHash.bytes(
            bytes.base + range.lowerBound,
            count: range.count
        )
        return hasBackslash ? ContentHash.bytes(DecodedText.bytes(range, of: bytes)) : hash
    }

    /// The hash of a scalar, by its value.
    @inline(__always) func scalarHash(_ node: Int, _ kind: ValueKind) -> UInt64 {
        switch kind {
        case .string: ContentHash.mix(0x5, textHash(contentRange(node)))
        case .integer, .decimal: ContentHash.mix(0x3, numberHash(node))
        default: ContentHash.mix(0x7, UInt64(kind.rawValue))
        }
    }

    private func numberHash(_ node: Int) -> UInt64 {
        let range = range(node)
        let text = UnsafeRawBufferPointer(
            start: document.bytes.base + range.lowerBound,
            count: range.count
        )
        if numbers == .value {
            if let hash = ContentHash.shortNumber(text) { return hash }
            if let number = DecimalNumber(bytes: text) { return ContentHash.number(number) }
        }
        return ContentHash.bytes(document.bytes.base + range.lowerBound, count: range.count).hash
    }
}
