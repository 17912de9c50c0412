/// The contents of arrays and objects.
extension JSON {
    /// The number of elements or members; 0 for anything else.
    public var count: Int {
        switch storage {
        case .node(let document, let node): document.childCount(of: node)
        case .array(let branch), .object(let branch): branch.values.count
        default: 0
        }
    }

    /// The elements of an array or the values of an object, in order; none for anything else.
    public var elements: JSONElements { JSONElements(self) }

    /// The members of an object in order, including equal names; none for anything else.
    public var members: JSONMembers { JSONMembers(self) }

    /// The elements of an array; nil for anything else.
    public var array: [JSON]? { kind == .array ? Array(elements) : nil }

    /// The elements of an array; none for anything else.
    public var arrayValue: [JSON] { array ?? [] }

    /// The members of an object; nil for anything else.
    ///
    /// Of several members with the same name, it has the last.
    public var dictionary: [String: JSON]? {
        guard kind == .object else { return nil }
        return Dictionary(members.map { ($0.key, $0.value) }) { _, last in last }
    }

    /// The members of an object; none for anything else.
    public var dictionaryValue: [String: JSON] { dictionary ?? [:] }
}

/// Changing arrays and objects.
extension JSON {
    /// Appends an element to an array; `null` and a missing value become an array, anything else stays.
    public mutating func append(_ element: JSON) {
        self[count] = element.orNull
    }

    /// Removes every member with a name.
    public mutating func remove(_ name: String) {
        guard kind == .object else { return }
        let branch = takeBranch()
        while let place = branch.place(of: name) { branch.remove(at: place) }
        storage = .object(branch)
    }

    /// Removes an element, if there is one.
    public mutating func remove(at index: Int) {
        guard kind == .array, index >= 0, index < count else { return }
        let branch = takeBranch()
        branch.remove(at: index)
        storage = .array(branch)
    }

    /// Sorts the members of an object by the code points of their names; equal names keep their order.
    public mutating func sortMembers() {
        guard kind == .object else { return }
        let branch = takeBranch()
        let names = branch.names.indices.map { Array(branch.name(at: $0).utf8) }
        let places = names.indices.sorted { names[$0].lexicographicallyPrecedes(names[$1]) }
        branch.names = places.map { branch.names[$0] }
        branch.values = places.map { branch.values[$0] }
        storage = .object(branch)
    }
}

/// The values in a container, made one at a time.
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

    /// The next value, or nil after the last one.
    public mutating func next() -> JSON? {
        if let document { return children?.next().map { JSON(.node(document, $0)) } }
        guard let branch, place < branch.values.count else { return nil }
        defer { place += 1 }
        return branch.values[place]
    }
}

/// The members of an object, made one at a time.
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

    /// The next member in the order of the text, or nil after the last one.
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
