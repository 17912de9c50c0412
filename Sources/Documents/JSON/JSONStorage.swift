/// The members or elements of a value that was built or changed.
///
/// What lies in it and was not changed is a reference to a document's node.
///
/// @unchecked Sendable because it is only changed by an owner who has just seen that nobody else
/// refers to it, as with a copy-on-write array.
final class JSONStorage: @unchecked Sendable {
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

    func copy() -> JSONStorage { JSONStorage(source: source, names: names, values: values) }

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

/// A child taken out of its container to be changed, and the way back.
struct JSONSlot {
    /// The child; in its place is `null` meanwhile, so that nobody else refers to it.
    var value: JSON
    /// The container's children, referred to by nobody else.
    let branch: JSONStorage
    let step: PathStep
    /// Where it belongs; nil for a new one.
    let place: Int?
    /// What the container was when there was none.
    let original: JSON.Storage?
}

extension JSON {
    /// Takes a child out, while the value itself is `null`; nil when there is no place for it.
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

    /// The children, referred to by nobody else; the value itself is `null` afterwards.
    mutating func takeBranch() -> JSONStorage {
        let taken = storage
        storage = .null
        switch consume taken {
        case .node(let document, let node) where document.kind(of: node).isContainer:
            return JSONStorage(document, node)
        case .array(var branch), .object(var branch):
            return isKnownUniquelyReferenced(&branch) ? branch : branch.copy()
        default: return JSONStorage()
        }
    }
}
