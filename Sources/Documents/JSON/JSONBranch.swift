/// The members or elements of a value that was built or changed.
///
/// Unchanged values in it are references to a document's nodes.
///
/// Safe as `@unchecked Sendable`, because an owner changes it only after checking that it holds the only
/// reference, as with a copy-on-write array.
final class JSONBranch: @unchecked Sendable {
    /// A member's key.
    enum Name: Sendable {
        /// The key of this member in `source`.
        case written(NodeIndex)
        case text(String)
    }

    /// The document of the `written` names.
    let source: Document?
    /// Empty for an array.
    var names: [Name]
    var values: [JSON]

    init(source: Document? = nil, names: [Name] = [], values: [JSON] = []) {
        self.source = source
        self.names = names
        self.values = values
    }

    /// The children of a document's container, as references.
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

    // Frees nested branches in a loop: a chain of a million would nest as many deinits.
    deinit {
        var pending: [JSON] = []
        Self.moveBranches(&values, to: &pending)
        while let value = pending.popLast() {
            guard var branch = value.branch else { continue }
            // Released first, so that it does not count as a reference to the branch.
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

    /// The index of the last member with a name; nil if there is none.
    func place(of name: String) -> Int? { names.lastIndex { isName($0, name) } }

    func isName(_ candidate: Name, _ name: String) -> Bool {
        switch candidate {
        case .written(let node): source?.isNamed(node, name) ?? false
        // By code points: Swift strings equal their other normalization forms too.
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

/// A child that was taken out of its container to be changed, and where to put it back.
struct JSONSlot {
    /// The child; the container has `null` instead meanwhile, so that this is the only reference.
    var value: JSON
    /// The container's children; the only reference to them.
    let branch: JSONBranch
    let step: PathStep
    /// The child's index in `branch`; nil for a new child.
    let place: Int?
    /// What the value was if it was `null` or missing before; nil if it was a container.
    let original: JSON.Storage?
}

extension JSON {
    /// Takes a child out, and leaves the value itself `null` until `close`; nil if the value cannot have such a
    /// child.
    mutating func open(_ step: PathStep) -> JSONSlot? {
        guard hasPlace(for: step) else { return nil }
        let original = isMissing || isNull ? storage : nil
        let branch = takeBranch()
        let place =
            switch step {
            case .name(let name): branch.place(of: name)
            case .index(let index): index < branch.values.count ? index : nil
            }
        let value: JSON
        if let place {
            value = branch.values[place]
            branch.values[place] = .null
        } else {
            value = JSON(.missing(JSONMissing(.noSuchMember, steps: [step])))
        }
        return JSONSlot(value: value, branch: branch, step: step, place: place, original: original)
    }

    /// Puts a child back; the value is a container again.
    mutating func close(_ slot: inout JSONSlot) {
        var value = JSON.null
        swap(&value, &slot.value)
        let branch = slot.branch
        switch (slot.step, slot.place) {
        case (.name, let place?) where value.isMissing: branch.remove(at: place)
        case (_, let place?): branch.values[place] = value.orNull
        case (_, nil) where value.isMissing:
            if let original = slot.original {
                storage = original
                return
            }
        case (.name(let name), nil):
            branch.names.append(.text(name))
            branch.values.append(value)
        case (.index, nil): branch.values.append(value)
        }
        if case .name = slot.step { storage = .object(branch) } else { storage = .array(branch) }
    }

    private func hasPlace(for step: PathStep) -> Bool {
        switch (step, kind) {
        case (.name, .object), (.name, .null), (.name, nil): true
        case (.index(let index), .array): index >= 0 && index <= count
        case (.index(let index), .null), (.index(let index), nil): index == 0
        default: false
        }
    }

    /// Takes out the children as the only reference to them, and leaves the value itself `null`.
    mutating func takeBranch() -> JSONBranch {
        let taken = storage
        storage = .null
        switch consume taken {
        case .node(let document, let node) where document.kind(of: node).isContainer:
            return JSONBranch(document, node)
        case .array(var branch), .object(var branch):
            return isKnownUniquelyReferenced(&branch) ? branch : branch.copy()
        default: return JSONBranch()
        }
    }
}
