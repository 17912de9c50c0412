import Workspaces

/// The edits of a target's request, and what the catalog made of them.
struct EditedRequest {
    /// The target as the catalog has it.
    var base: CatalogTarget
    var edits: RequestEdits
    /// The environment of the inherited rows.
    var environment: Int
    /// The target with the edits; nil while the catalog works on them, and if it failed.
    var applied: CatalogTarget?
    /// Why it failed.
    var problem: CatalogError?
    /// Identifies the newest work on it; results of older work are ignored.
    var ticket = 0
    /// What to do when that work is done.
    var then: Then?

    enum Then { case send, save }

    /// Whether the catalog is still working on the newest edits.
    var isApplying: Bool { edits.isEdited && applied == nil && problem == nil }

    init(base: CatalogTarget, _ draft: TargetDraft, environment: Int) {
        self.base = base
        self.environment = environment
        edits = RequestEdits(draft)
    }
}

/// All edited and pasted requests.
struct EditedRequests {
    /// The group of pasted requests.
    static let newGroup = "New"

    /// A pasted request that is in no file yet.
    struct Pasted {
        var name: String
        var draft: TargetDraft
        var target: CatalogTarget
        /// Whether the program was started with it, so that nothing is lost if it is not saved.
        var isGiven = false
    }

    /// A pasted text that is being read.
    struct Pasting {
        /// Whether to send it as soon as it is read.
        var isSent = false
        /// Whether its method and URL were typed here, so that it is sent as it is, or opened to be edited.
        var isTyped = false
    }

    /// A body that is open in the user's editor.
    struct Scratch: Equatable {
        var item: CatalogID
        var path: String
    }

    var requests: [CatalogID: EditedRequest] = [:]
    var pasted: [Pasted] = []
    var pasting: Pasting?
    var scratch: Scratch?
    /// The target to select as soon as the catalog has it.
    var awaited: CatalogID?
    /// The input line of the change that is being made.
    var changing: LinePrompt?
    /// The input line of the file that is being imported.
    var importing: LinePrompt?
    /// The name of the file that is being made.
    var namedFile: String?
    /// The file to open in the editor as soon as it is read.
    var openedFile: String?
    /// Whether q quits although there are edits.
    var mayLeave = false
    private var lastTicket = 0

    subscript(id: CatalogID) -> EditedRequest? {
        get { requests[id] }
        set { requests[id] = newValue }
    }

    mutating func nextTicket() -> Int {
        lastTicket += 1
        return lastTicket
    }

    /// Whether a target differs from the catalog's.
    func isEdited(_ id: CatalogID) -> Bool { requests[id]?.edits.isEdited ?? false }

    /// Whether a target was pasted and is in no file.
    func isNew(_ id: CatalogID) -> Bool { pasted.contains { $0.target.id == id } }

    /// The number of requests that would be lost if the program ended; pasted ones only if they could be saved.
    func unsavedCount(isSavable: Bool) -> Int {
        let new = isSavable ? pasted.filter { !$0.isGiven }.map(\.target.id) : []
        return Set(requests.filter { $0.value.edits.isEdited }.keys).union(new).count
    }
}

extension Catalog {
    /// Replaces the target with the same identity; returns false if there is none.
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

    /// Adds a pasted target to its group, or replaces the one with its identity.
    mutating func addNew(_ target: CatalogTarget) {
        if !replace(target) { self = adding(target, to: EditedRequests.newGroup) }
    }

    /// Removes a pasted target, and its group if that is then empty.
    mutating func removeNew(_ id: CatalogID) {
        nodes = nodes.compactMap { node in
            guard case .group(EditedRequests.newGroup, let children) = node else { return node }
            let left = children.filter {
                if case .target(let target) = $0 { target.id != id } else { true }
            }
            return left.isEmpty ? nil : .group(name: EditedRequests.newGroup, left)
        }
    }
}
