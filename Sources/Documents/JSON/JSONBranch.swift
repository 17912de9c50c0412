/// The members or elements of a value that was built or changed.
///
/// What lies in it and was not changed is a reference to a document's node.
///
/// @unchecked Sendable because it is only changed by an owner who has just seen that nobody else
/// refers to it, as with a copy-on-write array.
final class JSONBranch: @unchecked Sendable {
    /// A member's key.
    enum Name: Sendable {
        /// As `source` writes it at this member.
        case written(NodeIndex)
        case text(String)
    }

    /// The document of written names.
    let source: Document?
    /// Empty for an array.
    var names: [Name]
    var values: [JSON]

    init(source: Document? = nil, names: [Name] = [], values: [JSON] = []) {
        self.source = source
        self.names = names
        self.values = values
    }

    /// The children of a document's container as references.
    convenience init(_ document: Document, _ node: NodeIndex) {
        var names: [Name] = []
        var values: [JSON] = []
        values.reserveCapacity(document.childCount(of: node))
        let isObject = document.kind(of: node) == .object
        for child in document.children(of: node) {
            values.append(JSON(document: document, node: child))
            if isObject { names.append(.written(child)) }
        }
        self.init(source: document, names: names, values: values)
    }

    // A chain of a million branches would end in as many nested deinits.
    deinit {
        var pending: [JSON] = []
        Self.moveBranches(&values, to: &pending)
        while let value = pending.popLast() {
            guard var branch = value.branch else { continue }
            // The value goes before the question.
            _ = consume value
            if isKnownUniquelyReferenced(&branch) {
                Self.moveBranches(&branch.values, to: &pending)
            }
        }
    }

    private static func moveBranches(_ values: inout [JSON], to pending: inout [JSON]) {
        guard values.contains(where: { $0.branch != nil }) else { return }
        for value in values where value.branch != nil { pending.append(value) }
        values = []
    }

    func copy() -> JSONBranch { JSONBranch(source: source, names: names, values: values) }

    /// The last member of a name.
    func place(of name: String) -> Int? { names.lastIndex { isName($0, name) } }

    func isName(_ candidate: Name, _ name: String) -> Bool {
        switch candidate {
        case .written(let node): source?.isNamed(node, name) ?? false
        // By code points: a Swift string equals its other normalisations too.
        case .text(let text): text.utf8.elementsEqual(name.utf8)
        }
    }

    func name(at place: Int) -> String {
        switch names[place] {
        case .written(let node): source?.key(of: node) ?? ""
        case .text(let text): text
        }
    }

    func remove(at place: Int) {
        values.remove(at: place)
        if !names.isEmpty { names.remove(at: place) }
    }
}
