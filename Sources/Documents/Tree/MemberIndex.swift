/// The members of a large object by name: an open-addressed table of node numbers.
struct MemberIndex {
    /// Smaller objects are walked.
    static let smallest = 32
    /// Larger ones too: the table would be as large as what it points into.
    static let largest = 16 << 20

    /// 0 is free: the root is nobody's member.
    private var slots: [UInt32]

    init(of object: NodeIndex, in document: Document) {
        var size = 64
        while size < document.childCount(of: object) * 2 { size *= 2 }
        slots = Array(repeating: 0, count: size)
        for child in document.children(of: object) {
            guard let name = document.key(of: child) else { continue }
            // Of equal names the last one stays.
            slots[slot(for: name, in: document)] = UInt32(truncatingIfNeeded: child.rawValue)
        }
    }

    /// The last member of a name.
    func member(_ name: String, in document: Document) -> NodeIndex? {
        let node = slots[slot(for: name, in: document)]
        return node == 0 ? nil : NodeIndex(Int(node))
    }

    /// The slot of a name, or the free one where it belongs.
    private func slot(for name: String, in document: Document) -> Int {
        // By code points, as `isNamed` compares: a string's own hash is by canonical equivalence.
        var name = name
        var hasher = Hasher()
        name.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        var at = hasher.finalize() & (slots.count - 1)
        while slots[at] != 0 && !document.isNamed(NodeIndex(Int(slots[at])), name) {
            at = (at + 1) & (slots.count - 1)
        }
        return at
    }
}
