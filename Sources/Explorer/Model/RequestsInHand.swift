/// A target's request in hand: its edits, and what the catalog made of them.
struct RequestInHand {
    /// The target as the catalog has it.
    var base: CatalogTarget
    var edits: RequestEdits
    /// The environment that inherited rows are of.
    var environment: Int
    /// What the catalog made of the edits; nil while it is at it, and if it could not.
    var edit: CatalogEdit?
    /// Why it could not.
    var problem: CatalogProblem?
    /// The newest work on it; what an older one made is ignored.
    var ticket = 0
    /// What waits for that work.
    var then: Then?

    enum Then { case send, save }

    /// Whether the catalog is still at work on the newest edits.
    var isApplying: Bool { edits.isEdited && edit == nil && problem == nil }

    init(base: CatalogTarget, _ draft: TargetDraft, environment: Int) {
        self.base = base
        self.environment = environment
        edits = RequestEdits(draft)
    }
}

/// All requests that are edited, and those that were pasted.
struct RequestsInHand {
    /// The group of requests that were pasted.
    static let newGroup = "New"

    /// A request that was pasted, and is in no file yet.
    struct Pasted {
        var name: String
        var draft: TargetDraft
        var edit: CatalogEdit
    }

    /// A text that is being read.
    struct Pasting {
        /// Whether it is to be sent as soon as it is read.
        var isSent = false
    }

    /// A body in the editor of the user.
    struct Scratch: Equatable {
        var item: CatalogID
        var path: String
    }

    var requests: [CatalogID: RequestInHand] = [:]
    var pasted: [Pasted] = []
    var pasting: Pasting?
    var scratch: Scratch?
    /// The name of a target that is selected once the catalog has it.
    var awaitedName: String?
    /// Whether q leaves although there are edits.
    var mayLeave = false
    private var lastTicket = 0

    subscript(id: CatalogID) -> RequestInHand? {
        get { requests[id] }
        set { requests[id] = newValue }
    }

    mutating func nextTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    /// Whether a target differs from what the catalog has.
    func isEdited(_ id: CatalogID) -> Bool { requests[id]?.edits.isEdited ?? false }

    /// Whether a target was pasted, and is in no file.
    func isNew(_ id: CatalogID) -> Bool { pasted.contains { $0.edit.target.id == id } }

    /// The requests that are lost when the program ends.
    var unsavedCount: Int {
        Set(requests.filter { $0.value.edits.isEdited }.keys)
            .union(pasted.filter { $0.edit.save != nil }.map(\.edit.target.id)).count
    }
}

extension Catalog {
    /// Puts a target in the place of the one with its identity; false if there is none.
    @discardableResult
    mutating func replace(_ target: CatalogTarget) -> Bool { Self.replace(target, in: &nodes) }

    private static func replace(_ target: CatalogTarget, in nodes: inout [CatalogNode]) -> Bool {
        for index in nodes.indices {
            switch nodes[index] {
            case .group(let name, var children):
                if replace(target, in: &children) {
                    nodes[index] = .group(name: name, children)
                    return true
                }
            case .target(let old) where old.id == target.id:
                nodes[index] = .target(target)
                return true
            case .target, .batch, .chain: break
            }
        }
        return false
    }

    /// Takes a target that was pasted into the group of those.
    mutating func addNew(_ target: CatalogTarget) {
        guard !replace(target) else { return }
        let place = nodes.firstIndex {
            if case .group(RequestsInHand.newGroup, _) = $0 { true } else { false }
        }
        guard let place, case .group(let name, let children) = nodes[place] else {
            nodes.append(.group(name: RequestsInHand.newGroup, [.target(target)]))
            return
        }
        nodes[place] = .group(name: name, children + [.target(target)])
    }

    /// Takes a target out; a group of pasted ones that is empty then, too.
    mutating func removeNew(_ id: CatalogID) {
        nodes = nodes.compactMap { node in
            guard case .group(RequestsInHand.newGroup, let children) = node else { return node }
            let left = children.filter {
                if case .target(let target) = $0 { target.id != id } else { true }
            }
            return left.isEmpty ? nil : .group(name: RequestsInHand.newGroup, left)
        }
    }
}
