/// The values in a container, made one after the other.
public struct JSONElements: Sequence, IteratorProtocol, Sendable {
    private var children: NodeChildren?
    private let document: Document?
    private let branch: JSONBranch?
    private var place = 0

    init(_ json: JSON) {
        document = json.source?.document
        children = json.source.map { $0.document.children(of: $0.node) }
        branch = json.branch
    }

    /// The next value.
    public mutating func next() -> JSON? {
        if let document { return children?.next().map { JSON(.node(document, $0)) } }
        guard let branch, place < branch.values.count else { return nil }
        defer { place += 1 }
        return branch.values[place]
    }
}
