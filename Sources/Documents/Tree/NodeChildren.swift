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
