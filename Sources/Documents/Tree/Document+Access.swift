import Synchronization

/// The kind of a value, and the values around it. All are O(1) unless stated otherwise.
extension Document {
    /// The kind of a value.
    public func kind(of node: NodeIndex) -> ValueKind {
        nodes.read(node.rawValue).kind
    }

    /// The container that holds a value; nil for the root.
    ///
    /// O(1) for a container; for a scalar O(log n) plus the number of containers that end right before it.
    public func parent(of node: NodeIndex) -> NodeIndex? {
        let container = parentContainer(of: node)
        guard container != Node.noContainer else { return nil }
        return NodeIndex(Int(containers[Int(container)].node))
    }

    /// The number of containers around a value; takes as long as `parent(of:)` for a scalar.
    public func depth(of node: NodeIndex) -> Int {
        let value = nodes.read(node.rawValue)
        if value.hasEntry { return containers.readDepth(value.payload) }
        let container = parentContainer(of: node)
        return container == Node.noContainer ? 0 : containers.readDepth(Int(container)) + 1
    }

    /// The number of values directly in a container, so far if it is incomplete; 0 for a scalar.
    public func childCount(of node: NodeIndex) -> Int {
        let value = nodes.read(node.rawValue)
        return value.isContainer ? Int(containers.read(value.payload).count) : 0
    }

    /// The first value in a container; nil if there is none.
    public func firstChild(of node: NodeIndex) -> NodeIndex? {
        let count = nodeCount
        return subtreeSize(of: node, within: count) > 1 ? NodeIndex(node.rawValue + 1) : nil
    }

    /// The next value in the same container, nil if there is none; takes as long as `parent(of:)`.
    public func nextSibling(of node: NodeIndex) -> NodeIndex? {
        let count = nodeCount
        let next = node.rawValue + subtreeSize(of: node, within: count)
        guard next < count, let parent = parent(of: node) else { return nil }
        let end = parent.rawValue + subtreeSize(of: parent, within: count)
        return next < end ? NodeIndex(next) : nil
    }

    /// The number of values in a container at any depth, including itself; 1 for a scalar.
    public func subtreeSize(of node: NodeIndex) -> Int {
        subtreeSize(of: node, within: nodeCount)
    }

    /// Whether a container has no closing bracket: it is still being parsed, a fault or the end of the text
    /// left it open, or a resumed parse closed it without one.
    public func isIncomplete(_ node: NodeIndex) -> Bool {
        let value = nodes.read(node.rawValue)
        return value.isContainer && containers.read(value.payload).isIncomplete
    }

    /// Whether a value or its key violates RFC 8259 but was kept by a resumed parse.
    public func isIrregular(_ node: NodeIndex) -> Bool {
        let value = nodes.read(node.rawValue)
        return value.isIrregular || value.hasIrregularKey
    }

    /// The number of values before this one in the same container; O(log n).
    public func indexInParent(of node: NodeIndex) -> Int {
        let value = nodes.read(node.rawValue)
        if value.hasEntry { return ordinal(of: value.payload) }
        let parent = parentContainer(of: node)
        guard parent != Node.noContainer else { return 0 }
        // Between a scalar and the last entry before it there are only scalars.
        var before = containerCount(under: node.rawValue) - 1
        guard before != Int(parent) else {
            return node.rawValue - Int(containers[before].node) - 1
        }
        before = Int(lastEnding(before: node, from: UInt32(truncatingIfNeeded: before)))
        let sibling = Int(containers[before].node)
        let end = sibling + subtreeSize(of: NodeIndex(sibling), within: node.rawValue)
        return ordinal(of: before) + 1 + node.rawValue - end
    }

    /// The size of a subtree, counting only the first `count` values of the document.
    @inline(__always) func subtreeSize(of node: NodeIndex, within count: Int) -> Int {
        let value = nodes.read(node.rawValue)
        guard value.isContainer else { return 1 }
        let left = count - node.rawValue
        let extent = containers.readExtent(value.payload)
        return extent == 0 ? left : min(extent, left)
    }

    /// The number of the container that holds a value; `Node.noContainer` for the root.
    func parentContainer(of node: NodeIndex) -> UInt32 {
        let value = nodes.read(node.rawValue)
        if value.hasEntry { return containers[value.payload].parent }
        let before = containerCount(under: node.rawValue) - 1
        guard before >= 0 else { return Node.noContainer }
        let container = UInt32(truncatingIfNeeded: before)
        guard ends(container, before: node) else { return container }
        return containers[Int(lastEnding(before: node, from: container))].parent
    }

    private func ends(_ container: UInt32, before node: NodeIndex) -> Bool {
        let entry = containers.read(Int(container))
        return !entry.isOpen && Int(entry.node) + Int(entry.extent) <= node.rawValue
    }

    /// Results of longer walks are remembered.
    private static let shortWalk = 1024

    /// The outermost container that ends right before a value, searched from `first`, the innermost one.
    private func lastEnding(before node: NodeIndex, from first: UInt32) -> UInt32 {
        var container = first
        var steps = 0
        while true {
            let parent = containers[Int(container)].parent
            guard parent != Node.noContainer, ends(parent, before: node) else { break }
            container = parent
            steps += 1
            if steps == Self.shortWalk, let known = indexes.withLock({ $0.endsBefore[node] }) {
                return known
            }
        }
        if steps >= Self.shortWalk { indexes.withLock { $0.noteEnd(container, before: node) } }
        return container
    }

    /// The number of containers and long strings that begin before a value; O(log n).
    func containerCount(under node: Int) -> Int {
        (0..<containerCount).partitionPoint { Int(containers[$0].node) < node }
    }

    private func ordinal(of container: Int) -> Int {
        let entry = containers.read(container)
        guard entry.ordinal == Container.largestOrdinal else { return entry.ordinal }
        // Too large for its bits: counted with the parent's child index.
        let parent = NodeIndex(Int(containers[Int(entry.parent)].node))
        return position(of: NodeIndex(Int(entry.node)), among: parent)
    }
}

/// Values and keys that violate RFC 8259 but were kept by a resumed parse.
extension Document {
    private var lenient: LenientText { LenientText(base: bytes.base, end: bytes.count) }

    /// The offset after a value that only a lenient reader accepts.
    func irregularEnd(from start: Int) -> Int {
        switch bytes.base[start] {
        case 0x22, 0x27: lenient.stringEnd(from: start, isKey: false) ?? bytes.count
        default: lenient.wordEnd(from: start)
        }
    }

    /// The content of an irregular string, without its quotes if it has any.
    func irregularContent(of range: Range<Int>) -> Range<Int> { lenient.content(of: range) }

    /// The range of a key that only a lenient reader accepts, without its quotes if it has any.
    func irregularKey(from start: Int, before offset: Int) -> Range<Int> {
        let end = lenient.keyEnd(from: start) ?? offset
        return lenient.content(of: start..<max(start + 1, min(end, offset)))
    }
}

/// Keys and values as text.
extension Document {
    /// A value as written.
    public func sourceText(of node: NodeIndex) -> String { bytes.string(in: valueRange(of: node)) }

    /// A member's key with its escapes decoded; nil for a value without a key.
    public func key(of node: NodeIndex) -> String? {
        guard let range = keyRange(of: node) else { return nil }
        let hasEscapes = nodes.read(node.rawValue).bits & Node.keyEscapeBit != 0
        return hasEscapes ? unescaped(range) : bytes.string(in: range)
    }

    /// A string's content with its escapes decoded; nil for other kinds.
    ///
    /// A lone surrogate, which no `String` can hold, becomes U+FFFD; `sourceText(of:)` keeps it.
    public func string(of node: NodeIndex) -> String? {
        let value = nodes.read(node.rawValue)
        guard value.kindBits == ValueKind.string.rawValue else { return nil }
        let source = valueRange(of: node)
        let range =
            value.isIrregular
            ? irregularContent(of: source) : source.lowerBound + 1..<source.upperBound - 1
        return value.bits & Node.valueEscapeBit != 0 ? unescaped(range) : bytes.string(in: range)
    }

    private func unescaped(_ range: Range<Int>) -> String {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(range.count)
        EscapedText.decode(bytes.base, range, replacingHalves: true, into: &decoded)
        return String(decoding: decoded, as: UTF8.self)
    }
}
