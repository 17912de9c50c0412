/// Where every eighth child of a large container is, as far as somebody asked.
///
/// It stays right while the document grows: a child that is not closed is never stepped over.
struct ChildIndex {
    static let step = 8
    /// Smaller containers are walked.
    static let smallest = 64

    private var starts: [UInt32] = []
    /// The first child that is not counted yet, and its place.
    private var next: Int
    private var count = 0

    init(of parent: NodeIndex) { next = parent.rawValue + 1 }

    /// The child at a place, nil when it is not there (yet).
    mutating func child(at index: Int, in document: Document, before end: Int) -> NodeIndex? {
        while index / Self.step >= starts.count {
            guard advance(in: document, before: end) else { return nil }
        }
        var node = Int(starts[index / Self.step])
        for _ in 0..<index % Self.step {
            node += document.subtreeSize(of: NodeIndex(node), within: end)
        }
        return node < end ? NodeIndex(node) : nil
    }

    /// How many children begin before one of them.
    mutating func position(of node: NodeIndex, in document: Document, before end: Int) -> Int {
        while next <= node.rawValue, advance(in: document, before: end) {}
        var low = 0
        var high = starts.count
        while low < high {
            let middle = (low + high) / 2
            if Int(starts[middle]) <= node.rawValue { low = middle + 1 } else { high = middle }
        }
        guard low > 0 else { return 0 }
        var position = (low - 1) * Self.step
        var child = Int(starts[low - 1])
        while child < node.rawValue {
            child += document.subtreeSize(of: NodeIndex(child), within: end)
            position += 1
        }
        return position
    }

    private mutating func advance(in document: Document, before end: Int) -> Bool {
        guard next < end else { return false }
        if count % Self.step == 0 && starts.count == count / Self.step {
            starts.append(UInt32(truncatingIfNeeded: next))
        }
        guard !document.isOpen(NodeIndex(next)) else { return false }
        next += document.subtreeSize(of: NodeIndex(next), within: end)
        count += 1
        return true
    }
}
