/// What lies in arrays and objects.
extension JSON {
    /// How many elements or members there are; 0 for anything else.
    public var count: Int {
        switch storage {
        case .node(let document, let node): document.childCount(of: node)
        case .array(let branch), .object(let branch): branch.values.count
        default: 0
        }
    }

    /// The elements of an array or the values of an object, in order; none for anything else.
    public var elements: JSONElements { JSONElements(self) }

    /// The members of an object in order, equal names too; none for anything else.
    public var members: JSONMembers { JSONMembers(self) }

    /// The elements of an array; nil for anything else.
    public var array: [JSON]? { kind == .array ? Array(elements) : nil }

    /// The elements of an array; none for anything else.
    public var arrayValue: [JSON] { array ?? [] }

    /// The members of an object; nil for anything else.
    ///
    /// Of several of one name it has the last.
    public var dictionary: [String: JSON]? {
        guard kind == .object else { return nil }
        return Dictionary(members.map { ($0.key, $0.value) }) { _, last in last }
    }

    /// The members of an object; none for anything else.
    public var dictionaryValue: [String: JSON] { dictionary ?? [:] }
}

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
