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
