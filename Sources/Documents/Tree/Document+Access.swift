/// The tree: what a value is and what lies around it. All O(1) unless said otherwise.
extension Document {
    /// What a value is.
    public func kind(of node: NodeIndex) -> ValueKind {
        ValueKind(rawValue: nodes.read(node.rawValue).kindBits) ?? .null
    }

    /// The bytes of a value as written, strings with their quotes.
    ///
    /// A container that is not closed reaches to where the parse stands.
    public func valueRange(of node: NodeIndex) -> Range<Int> {
        let value = nodes.read(node.rawValue)
        guard value.isContainer else { return value.offset..<value.offset + Int(value.link) }
        if value.extent == 0 { return value.offset..<max(value.offset + 1, progress.parsedBytes) }
        let end = containers.read(Int(value.link)).end
        return value.offset..<(value.isIncomplete ? max(end, value.offset + 1) : end + 1)
    }

    /// The bytes of a member's key as written, without its quotes.
    public func keyRange(of node: NodeIndex) -> Range<Int>? {
        let value = nodes.read(node.rawValue)
        guard let start = keyStart(of: value) else { return nil }
        var end = value.offset - 1
        while bytes.base[end] != 0x22 { end -= 1 }
        return start + 1..<end
    }

    /// The container that holds a value.
    public func parent(of node: NodeIndex) -> NodeIndex? {
        let container = parentContainer(of: nodes.read(node.rawValue))
        guard container != Node.noContainer else { return nil }
        return NodeIndex(Int(containers[Int(container)].node))
    }

    /// How many containers a value lies in.
    public func depth(of node: NodeIndex) -> Int {
        let value = nodes.read(node.rawValue)
        if value.isContainer { return containers.read(Int(value.link)).depth }
        guard value.extent != Node.noContainer else { return 0 }
        return containers.read(Int(value.extent)).depth + 1
    }

    /// The values directly in a container, so far when it is incomplete.
    public func childCount(of node: NodeIndex) -> Int {
        let value = nodes.read(node.rawValue)
        return value.isContainer ? Int(containers.read(Int(value.link)).count) : 0
    }

    /// The first value in a container.
    public func firstChild(of node: NodeIndex) -> NodeIndex? {
        let next = NodeIndex(node.rawValue + 1)
        guard kind(of: node).isContainer, next.rawValue < nodeCount, parent(of: next) == node
        else { return nil }
        return next
    }

    /// The next value in the same container.
    public func nextSibling(of node: NodeIndex) -> NodeIndex? {
        let count = nodeCount
        let next = NodeIndex(node.rawValue + subtreeSize(of: node, within: count))
        guard next.rawValue < count, let parent = parent(of: node), self.parent(of: next) == parent
        else { return nil }
        return next
    }

    /// The values in a container at any depth, and itself.
    public func subtreeSize(of node: NodeIndex) -> Int {
        subtreeSize(of: node, within: nodeCount)
    }

    /// Whether a container was left open by a fault, or is still being parsed.
    public func isIncomplete(_ node: NodeIndex) -> Bool { nodes.read(node.rawValue).isIncomplete }

    /// How many values of the same container come before this one; O(log n).
    public func indexInParent(of node: NodeIndex) -> Int {
        let value = nodes.read(node.rawValue)
        if value.isContainer { return Int(containers.read(Int(value.link)).ordinal) }
        guard value.extent != Node.noContainer else { return 0 }
        // Between the last container before it and a scalar there are only scalars.
        var before = lastContainer(before: node.rawValue)
        guard before != value.extent else {
            return node.rawValue - Int(containers[Int(before)].node) - 1
        }
        while containers[Int(before)].parent != value.extent {
            before = containers[Int(before)].parent
        }
        let sibling = containers.read(Int(before))
        let size = subtreeSize(of: NodeIndex(Int(sibling.node)), within: node.rawValue)
        return Int(sibling.ordinal) + 1 + node.rawValue - Int(sibling.node) - size
    }

    /// A subtree's size when only the first `count` values are looked at.
    func subtreeSize(of node: NodeIndex, within count: Int) -> Int {
        let value = nodes.read(node.rawValue)
        guard value.isContainer else { return 1 }
        let left = count - node.rawValue
        return value.extent == 0 ? left : min(Int(value.extent), left)
    }

    func parentContainer(of value: Node) -> UInt32 {
        value.isContainer ? containers[Int(value.link)].parent : value.extent
    }

    /// The container with the greatest number of those that begin before a value.
    private func lastContainer(before node: Int) -> UInt32 {
        UInt32(containerCount(under: node) - 1)
    }

    /// How many containers begin before a value; O(log n).
    func containerCount(under node: Int) -> Int {
        var low = 0
        var high = containerCount
        while low < high {
            let middle = (low + high) / 2
            if Int(containers[middle].node) < node { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func keyStart(of value: Node) -> Int? {
        let distance = value.keyDistance
        if distance == 0 { return nil }
        return distance == Node.longKey ? longKeyStart(value.offset) : value.offset - distance
    }

    /// The opening quote of a key of more than 64 KiB: the first one going backwards from the
    /// closing quote that is not escaped.
    private func longKeyStart(_ offset: Int) -> Int {
        var at = offset - 1
        while bytes.base[at] != 0x22 { at -= 1 }
        while true {
            at -= 1
            while bytes.base[at] != 0x22 { at -= 1 }
            var slash = at - 1
            while bytes.base[slash] == 0x5C { slash -= 1 }
            if (at - 1 - slash) % 2 == 0 { return at }
        }
    }
}
