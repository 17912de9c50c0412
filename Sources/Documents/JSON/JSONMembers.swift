/// The members of an object, made one after the other.
public struct JSONMembers: Sequence, IteratorProtocol, Sendable {
    private var elements: JSONElements
    private let branch: JSONBranch?
    private var place = 0

    init(_ json: JSON) {
        // An array has elements, but no members.
        let object = json.kind == .object ? json : .null
        elements = JSONElements(object)
        branch = object.branch
    }

    /// The next member.
    public mutating func next() -> (key: String, value: JSON)? {
        guard let value = elements.next() else { return nil }
        defer { place += 1 }
        if let branch { return (branch.name(at: place), value) }
        guard let source = value.source, let key = source.document.key(of: source.node) else {
            return nil
        }
        return (key, value)
    }
}
