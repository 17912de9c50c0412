/// Ways into a value. What is not there is a missing value, which has missing values in turn.
///
/// Setting a member that is not there adds it; `null` and what is missing become an object or an
/// array for it. An element can be set up to and including the place behind the last one. Setting a
/// missing value removes a member and makes an element `null`. A change that has no place, such as
/// one in a string, changes nothing.
extension JSON {
    /// The member of an object; of several of one name the last.
    public subscript(_ name: String) -> JSON {
        get { value(named: name) }
        _modify {
            if var slot = open(.name(name)) {
                defer { close(&slot) }
                yield &slot.value
            } else {
                var absent = value(named: name)
                yield &absent
            }
        }
    }

    /// The element of an array, from 0.
    public subscript(_ index: Int) -> JSON {
        get { value(at: index) }
        _modify {
            if var slot = open(.index(index)) {
                defer { close(&slot) }
                yield &slot.value
            } else {
                var absent = value(at: index)
                yield &absent
            }
        }
    }

    /// What several steps lead to: `json["users", 0, "name"]`.
    public subscript(_ first: PathStep, _ second: PathStep, _ more: PathStep...) -> JSON {
        get { self[path: [first, second] + more] }
        set { self[path: [first, second] + more] = newValue }
    }

    /// What a list of steps leads to; the value itself for none.
    public subscript(path steps: [PathStep]) -> JSON {
        get {
            var value = self
            for (place, step) in steps.enumerated() {
                value = value.value(step)
                guard case .missing(let missing) = value.storage else { continue }
                let whole = steps[(place + 1)...].reduce(missing) { $0.going($1) }
                // From a built value the path begins where it was asked.
                return JSON(.missing(isMissing ? whole : whole.behind(Array(steps[..<place]))))
            }
            return value
        }
        set {
            // Without recursion: a path may have a million steps.
            var slots: [JSONSlot] = []
            var current = self
            storage = .null
            var isPlaced = true
            for step in steps {
                guard var slot = current.open(step) else {
                    isPlaced = false
                    break
                }
                let next = slot.value
                slot.value = .null
                slots.append(slot)
                current = next
            }
            if isPlaced { current = newValue }
            while var slot = slots.popLast() {
                slot.value = current
                current = .null
                current.close(&slot)
            }
            self = current
        }
    }

    // MARK: - Reading

    func value(_ step: PathStep) -> JSON {
        switch step {
        case .name(let name): value(named: name)
        case .index(let index): value(at: index)
        }
    }

    private func value(named name: String) -> JSON {
        switch storage {
        case .node(let document, let node):
            guard let member = document.member(name, of: node) else {
                let isObject = document.kind(of: node) == .object
                return absent(isObject ? .noSuchMember : .notAnObject, .name(name))
            }
            return JSON(.node(document, member))
        case .object(let branch):
            return branch.place(of: name).map { branch.values[$0] }
                ?? absent(.noSuchMember, .name(name))
        case .missing(let missing): return JSON(.missing(missing.going(.name(name))))
        default: return absent(.notAnObject, .name(name))
        }
    }

    private func value(at index: Int) -> JSON {
        switch storage {
        case .node(let document, let node):
            guard document.kind(of: node) == .array else {
                return absent(.notAnArray, .index(index))
            }
            guard let element = document.child(at: index, of: node) else {
                return absent(.indexOutOfRange, .index(index))
            }
            return JSON(.node(document, element))
        case .array(let branch):
            guard branch.values.indices.contains(index) else {
                return absent(.indexOutOfRange, .index(index))
            }
            return branch.values[index]
        case .missing(let missing): return JSON(.missing(missing.going(.index(index))))
        default: return absent(.notAnArray, .index(index))
        }
    }

    private func absent(_ reason: JSONAbsence.Reason, _ step: PathStep) -> JSON {
        JSON(.missing(JSONMissing(reason, origin: source, steps: [step])))
    }
}
