/// A child taken out of its container to be changed, and the way back.
struct JSONSlot {
    /// The child; in its place is `null` meanwhile, so that nobody else refers to it.
    var value: JSON
    /// The container's children, referred to by nobody else.
    let branch: JSONBranch
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
