import Synchronization

/// What lies in a container.
extension Document {
    /// The values directly in a container, in the order of the text; none for a scalar.
    public func children(of node: NodeIndex) -> NodeChildren {
        let end = node.rawValue + subtreeSize(of: node, within: nodeCount)
        return NodeChildren(document: self, at: node.rawValue + 1, end: end)
    }

    /// The element of an array or the member of an object at a place, from 0; nil when there is none.
    ///
    /// O(1) where only scalars lie in it. Elsewhere a large container is indexed as far as somebody
    /// asks, half a byte per child, and found again in O(1).
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

    /// The value of an object's member, nil when there is none.
    ///
    /// Of several members of one name it is the last, as in JavaScript, Python and jq. A large
    /// object that is asked again gets a hash table, and the answer is O(1).
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

    /// Whether a member's key, its escapes decoded, is a name; compared by code points.
    public func isNamed(_ node: NodeIndex, _ name: String) -> Bool {
        guard let range = keyRange(of: node) else { return false }
        if nodes.read(node.rawValue).bits & Node.keyEscapeBit != 0 {
            return key(of: node).map { $0.utf8.elementsEqual(name.utf8) } ?? false
        }
        guard range.count == name.utf8.count else { return false }
        return bytes.withUnsafeBytes { $0[range].elementsEqual(name.utf8) }
    }

    /// How many children of a container begin before one of them.
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
