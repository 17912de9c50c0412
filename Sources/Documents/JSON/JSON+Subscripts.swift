/// Access by name, index and path; what is not there gives a missing value, whose members are missing too.
///
/// Setting a member that is missing adds it; `null` and a missing value become an object or an array for that.
/// An element can be set up to and including the index after the last one. Setting a missing value removes a
/// member, and makes an element `null`. A change that is not possible, such as one inside a string, has no
/// effect.
extension JSON {
    /// The member of an object; the last of several with the same name.
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

    /// The value at the end of several steps: `json["users", 0, "name"]`.
    public subscript(_ first: PathStep, _ second: PathStep, _ more: PathStep...) -> JSON {
        get { self[path: [first, second] + more] }
        set { self[path: [first, second] + more] = newValue }
    }

    /// The value at the end of a list of steps; the value itself if there are none.
    public subscript(path steps: [PathStep]) -> JSON {
        get {
            var value = self
            for (place, step) in steps.enumerated() {
                value = value.value(step)
                guard case .missing(let missing) = value.storage else { continue }
                let whole = steps[(place + 1)...].reduce(missing) { $0.going($1) }
                // For a built value, the path begins at the value that this was called on.
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

extension JSON {
    /// The first value that a path finds, or a missing value.
    ///
    /// The path is a short one such as `users[0].name` or `users>0>name`, or a query of RFC 9535 such as
    /// `$..name`; `$` is this value. A path of names and indexes works like the subscripts: it takes the last
    /// of several members with the same name. Any other query runs on the document; a value that was built or
    /// changed is written and parsed again for it, in time and memory that grow with its size. A query is given
    /// up if it takes far longer than usual, at least 5 seconds of CPU time, or if its task is cancelled.
    public func at(path: String) throws(JSONPathError) -> JSON {
        at(try JSONPath(parsing: path), writtenAs: path)
    }

    /// The first value that a query finds, or a missing value, as `at(path:)` does.
    public func at(_ query: JSONPath) -> JSON { at(query, writtenAs: query.description) }

    private func at(_ query: JSONPath, writtenAs path: @autoclosure () -> String) -> JSON {
        if query.isSingular {
            return self[path: steps(of: query)]
        }
        if case .missing = storage { return self }
        guard let (document, node) = source ?? copy() else {
            return unmatched(path(), .nothingMatches)
        }
        var found = BoundedQuery(query, in: document, from: node)
        do throws(QueryInterruption) {
            return try found.next().map { JSON(document: document, node: $0) }
                ?? unmatched(path(), .nothingMatches)
        } catch {
            return unmatched(path(), .queryGivenUp)
        }
    }

    /// A singular query as steps; digits are an index in an array and a name elsewhere.
    private func steps(of query: JSONPath) -> [PathStep] {
        var steps: [PathStep] = []
        var value = self
        for segment in query.segments {
            let isArray = value.kind == .array
            let step = segment.selectors.lazy.compactMap { selector -> PathStep? in
                switch selector {
                case .name(let name): segment.isPlace && isArray ? nil : .name(name.text)
                case .index(let index): .index(index < 0 && isArray ? value.count + index : index)
                case .wildcard, .slice, .filter: nil
                }
            }.first
            guard let step else { break }
            steps.append(step)
            value = value.value(step)
        }
        return steps
    }

    /// The value as a document of its own; nil if it cannot be written.
    private func copy() -> (document: Document, node: NodeIndex)? {
        // A value with an incomplete container has no text, so that nothing matches.
        guard let bytes = try? bytes() else { return nil }
        return (Document.parse(DocumentBytes(bytes)), .root)
    }

    private func unmatched(_ path: String, _ reason: JSONAbsence.Reason) -> JSON {
        JSON(.missing(JSONMissing(reason, origin: source, steps: [.name(path)])))
    }
}

/// A member of type `JSON` in a decoded type refers to the document and copies nothing.
extension JSON: NodeDecodable {}

/// A step from a value to one directly in it.
public enum PathStep: Sendable, Hashable {
    /// To the member of an object.
    case name(String)
    /// To the element of an array, from 0.
    case index(Int)

    /// The step in a normalized path of RFC 9535.
    var text: String {
        switch self {
        case .name(let name): Document.normalised(name)
        case .index(let index): "[\(index)]"
        }
    }
}

extension PathStep: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// A member's name.
    public init(stringLiteral name: String) { self = .name(name) }

    /// An element's index.
    public init(integerLiteral index: Int) { self = .index(index) }
}
