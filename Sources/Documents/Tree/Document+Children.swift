/// What lies in a container.
extension Document {
    /// The values directly in a container, in the order of the text; none for a scalar.
    public func children(of node: NodeIndex) -> NodeChildren {
        let end = node.rawValue + subtreeSize(of: node, within: nodeCount)
        return NodeChildren(document: self, at: node.rawValue + 1, end: end)
    }

    /// The element of an array or the member of an object at a place, from 0; nil when there is none.
    public func child(at index: Int, of node: NodeIndex) -> NodeIndex? {
        guard index >= 0 && index < childCount(of: node) else { return nil }
        return children(of: node).dropFirst(index).first { _ in true }
    }

    /// The value of an object's member, nil when there is none.
    ///
    /// Of several members of one name it is the last, as in JavaScript, Python and jq.
    public func member(_ name: String, of node: NodeIndex) -> NodeIndex? {
        guard kind(of: node) == .object else { return nil }
        return children(of: node).reduce(nil) { isNamed($1, name) ? $1 : $0 }
    }

    /// Whether a member's key, its escapes decoded, is a name; compared by code points.
    public func isNamed(_ node: NodeIndex, _ name: String) -> Bool {
        guard let range = keyRange(of: node) else { return false }
        if nodes.read(node.rawValue).bits & Node.keyEscapeBit != 0 {
            return key(of: node).map { $0.utf8.elementsEqual(name.utf8) } ?? false
        }
        guard range.count == name.utf8.count else { return false }
        return bytes.withUnsafeBytes { $0[range].elementsEqual(name.utf8) }
    }
}

/// The values directly in a container, without an array of them.
public struct NodeChildren: Sequence, IteratorProtocol, Sendable {
    let document: Document
    var at: Int
    let end: Int

    /// The next value.
    @inline(__always) public mutating func next() -> NodeIndex? {
        guard at < end else { return nil }
        let node = NodeIndex(at)
        at += document.subtreeSize(of: node, within: end)
        return node
    }
}
