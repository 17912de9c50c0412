import Synchronization

/// The values in a container, by index and by name.
extension Document {
    /// The values directly in a container, in the order of the text; none for a scalar.
    public func children(of node: NodeIndex) -> NodeChildren {
        let end = node.rawValue + subtreeSize(of: node, within: nodeCount)
        return NodeChildren(document: self, at: node.rawValue + 1, end: end)
    }

    /// The element of an array or the member of an object at an index, from 0; nil if there is none.
    ///
    /// O(1) if the container holds only scalars. Otherwise a large container is indexed as far as callers ask,
    /// with half a byte per child, and then O(1).
    public func child(at index: Int, of node: NodeIndex) -> NodeIndex? {
        let count = childCount(of: node)
        guard index >= 0 && index < count else { return nil }
        let size = subtreeSize(of: node, within: nodeCount)
        if size == count + 1 && !isIncomplete(node) { return NodeIndex(node.rawValue + 1 + index) }
        guard count > ChildIndex.smallest else {
            return children(of: node).dropFirst(index).first { _ in true }
        }
        return indexes.withLock {
            $0.children[node, default: ChildIndex(of: node)]
                .child(at: index, in: self, before: node.rawValue + size)
        }
    }

    /// The value of an object's member; nil if there is none.
    ///
    /// If several members have the same name, it is the last one, as in JavaScript, Python and jq. The second
    /// call for a large object builds a hash table, and calls are O(1) from then on.
    public func member(_ name: String, of node: NodeIndex) -> NodeIndex? {
        guard kind(of: node) == .object else { return nil }
        let count = childCount(of: node)
        if count > MemberIndex.smallest && count <= MemberIndex.largest && !isIncomplete(node) {
            let known = indexes.withLock { $0.members[node] }
            if let known {
                let index = known ?? MemberIndex(of: node, in: self)
                if known == nil { indexes.withLock { $0.members[node] = index } }
                return index.member(name, in: self)
            }
            indexes.withLock { _ = $0.members.updateValue(nil, forKey: node) }
        }
        return children(of: node).reduce(nil) { isNamed($1, name) ? $1 : $0 }
    }

    /// Whether a member's key, its escapes decoded, equals a name; compared by code points.
    public func isNamed(_ node: NodeIndex, _ name: String) -> Bool {
        guard let range = keyRange(of: node) else { return false }
        if nodes.read(node.rawValue).bits & Node.keyEscapeBit != 0 {
            return key(of: node).map { $0.utf8.elementsEqual(name.utf8) } ?? false
        }
        guard range.count == name.utf8.count else { return false }
        return bytes.withUnsafeBytes { $0[range].elementsEqual(name.utf8) }
    }

    /// The number of a container's children that begin before `node`, which is one of them.
    func position(of node: NodeIndex, among parent: NodeIndex) -> Int {
        let end = nodeCount
        return indexes.withLock {
            $0.children[parent, default: ChildIndex(of: parent)]
                .position(of: node, in: self, before: end)
        }
    }

    /// Whether a container may still grow.
    func isOpen(_ node: NodeIndex) -> Bool {
        let value = nodes.read(node.rawValue)
        return value.isContainer && containers.readExtent(value.payload) == 0
    }
}

/// The values directly in a container, one at a time without an array.
public struct NodeChildren: Sequence, IteratorProtocol, Sendable {
    let document: Document
    var at: Int
    let end: Int

    /// The next child in the order of the text, or nil after the last one.
    @inline(__always) public mutating func next() -> NodeIndex? {
        guard at < end else { return nil }
        let node = NodeIndex(at)
        at += document.subtreeSize(of: node, within: end)
        return node
    }
}

/// The members of a large object by name: an open-addressed table of node numbers.
struct MemberIndex {
    /// Smaller objects are searched one member at a time.
    static let smallest = 32
    /// So are larger ones: the table would be as large as what it points into.
    static let largest = 16 << 20

    /// 0 marks a free slot: the root is never a member.
    private var slots: [UInt32]

    init(of object: NodeIndex, in document: Document) {
        var size = 64
        while size < document.childCount(of: object) * 2 { size *= 2 }
        slots = Array(repeating: 0, count: size)
        for child in document.children(of: object) {
            guard let name = document.key(of: child) else { continue }
            // The last of several equal names stays.
            slots[slot(for: name, in: document)] = UInt32(truncatingIfNeeded: child.rawValue)
        }
    }

    /// The last member with a name; nil if there is none.
    func member(_ name: String, in document: Document) -> NodeIndex? {
        let node = slots[slot(for: name, in: document)]
        return node == 0 ? nil : NodeIndex(Int(node))
    }

    /// The slot of a name, or the free slot where it belongs.
    private func slot(for name: String, in document: Document) -> Int {
        // By code points, like `isNamed`: a string's own hash follows canonical equivalence.
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

/// Indexes for lookups in large containers, by the container's node, and results that took long to find: a
/// screen asks for the same few values again with every frame.
struct LookupIndexes {
    var children: [NodeIndex: ChildIndex] = [:]
    /// Has nil after the first lookup in an object; the second one builds the table.
    var members: [NodeIndex: MemberIndex?] = [:]
    /// The ranges of the requested keys of more than 64 KiB.
    var longKeys: [NodeIndex: Range<Int>] = [:]
    /// The outermost container that ends right before a value, for values with many such containers.
    private(set) var endsBefore: [NodeIndex: UInt32] = [:]

    /// More entries than a screen has rows.
    private static let mostEnds = 4096

    mutating func noteEnd(_ container: UInt32, before node: NodeIndex) {
        if endsBefore.count >= Self.mostEnds { endsBefore = [:] }
        endsBefore[node] = container
    }
}
