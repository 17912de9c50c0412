import Documents

/// A step from a YAML value to one inside it.
enum YAMLStep: Hashable {
    case key(String)
    case index(Int)
}

/// Why a text is not changed, in words for people.
struct YAMLEditFault: Error, Hashable {
    let message: String
}

/// Changes values of a YAML text, and leaves every other byte as it is: comments, order, quotes, line ends.
///
///     headers:             # ours                headers:             # ours
///       Accept: "*/*"      # anything     ▶        Accept: "text/xml" # anything
///       X-A: 1                                     X-A: 1
///                                                  X-B: new
///
/// The places of values come from libyaml's events. After each change the text is read again, and must differ
/// from the old one in that change only, even where the value of an anchor is used elsewhere. A value that
/// comes from an alias or a merge key is written in its own place.
struct YAMLEditor {
    private(set) var scalars: [Unicode.Scalar]
    /// The text's value, with aliases and merge keys resolved.
    private(set) var model: Value
    private var root: YAMLValue

    /// Nil if the text is not YAML, or is empty.
    init?(_ text: String) {
        guard let (root, model) = Self.read(text) else { return nil }
        scalars = Array(text.unicodeScalars)
        self.root = root
        self.model = model
    }

    /// The text as it is now.
    var text: String { Self.text(scalars[...]) }

    /// The value at a path; nil if there is none.
    func value(at path: [YAMLStep]) -> Value? { model.value(at: path[...]) }

    /// Sets a value; a missing entry is added at the end of its mapping.
    ///
    /// Mappings that are missing on the path have a line for each entry if `opensMappings`.
    mutating func set(
        _ value: Value,
        at path: [YAMLStep],
        opensMappings: Bool = false
    ) throws(YAMLEditFault) {
        try change(path, .set(value), opensMappings: opensMappings)
    }

    /// Removes an entry or an element, with the comment at the end of its line.
    mutating func remove(at path: [YAMLStep]) throws(YAMLEditFault) {
        try change(path, .remove)
    }

    /// Inserts an entry after the one at the path, or an element at the path's index.
    mutating func insert(
        _ value: Value,
        named name: String? = nil,
        at path: [YAMLStep]
    ) throws(YAMLEditFault) {
        try change(path, .insert(name, value))
    }

    /// Adds an entry to a mapping behind another one, or as the first; at the end where that is not possible.
    mutating func add(
        _ value: Value,
        named name: String,
        behind other: String?,
        at path: [YAMLStep]
    ) throws(YAMLEditFault) {
        do throws(YAMLEditFault) {
            guard let other else { return try change(path, .prepend(name, value)) }
            try insert(value, named: name, at: path + [.key(other)])
        } catch {
            try set(value, at: path + [.key(name)])
        }
    }

    /// Puts a scalar, as it is written, into a new mapping as its only entry.
    mutating func wrap(at path: [YAMLStep], in key: String) throws(YAMLEditFault) {
        try change(path, .wrap(key))
    }

    /// Changes only what differs between two values.
    mutating func change(
        at path: [YAMLStep],
        from old: Value?,
        to new: Value
    ) throws(YAMLEditFault) {
        switch (old, new) {
        case (new, _): return
        case (.object(let old), .object(let new))
        where !new.isEmpty && !old.isEmpty && Value.hasDistinctNames(new)
            && Value.hasDistinctNames(old):
            // Added first, because a block mapping cannot be empty.
            var last: String?
            for member in new {
                if let before = old.first(where: { $0.name == member.name })?.value {
                    try change(at: path + [.key(member.name)], from: before, to: member.value)
                } else {
                    try add(member.value, named: member.name, behind: last, at: path)
                }
                last = member.name
            }
            for member in old where !new.contains(where: { $0.name == member.name }) {
                try remove(at: path + [.key(member.name)])
            }
        case (.array(let old), .array(let new)) where !new.isEmpty && !old.isEmpty:
            try change(at: path, from: old, to: new)
        default: try set(new, at: path)
        }
    }

    private mutating func change(
        at path: [YAMLStep],
        from old: [Value],
        to new: [Value]
    ) throws(YAMLEditFault) {
        let head = zip(old, new).prefix { $0 == $1 }.count
        let tail = zip(old.reversed(), new.reversed()).prefix { $0 == $1 }
            .prefix(min(old.count, new.count) - head).count
        let (oldEnd, newEnd) = (old.count - tail, new.count - tail)
        let same = min(oldEnd, newEnd)
        for index in head..<max(head, same) {
            try change(at: path + [.index(index)], from: old[index], to: new[index])
        }
        for index in stride(from: max(same, head), to: newEnd, by: 1) {
            try insert(new[index], at: path + [.index(index)])
        }
        for index in stride(from: oldEnd - 1, through: max(same, head), by: -1) {
            try remove(at: path + [.index(index)])
        }
    }
}

// MARK: - One change

extension YAMLEditor {
    /// A change to make at a path.
    enum Change {
        case set(Value)
        case remove
        case insert(String?, Value)
        /// Adds an entry before all others of a mapping.
        case prepend(String, Value)
        case wrap(String)
    }

    private static let refusal =
        "this cannot be written to the file without changing something else in it"

    /// Makes one change, and checks that nothing else changed.
    private mutating func change(
        _ path: [YAMLStep],
        _ change: Change,
        opensMappings: Bool = false
    ) throws(YAMLEditFault) {
        guard let wanted = model.applying(change, at: path[...]) else {
            throw YAMLEditFault(message: Self.refusal)
        }
        guard wanted != model else { return }
        var layout = YAMLLayout(scalars: scalars, root: root, model: model)
        layout.opensMappings = opensMappings
        guard layout.apply(change, at: path) else {
            throw YAMLEditFault(message: advice(at: path))
        }
        guard let (root, model) = Self.read(Self.text(layout.scalars[...])),
            model.sorted == wanted.sorted
        else { throw YAMLEditFault(message: advice(at: path)) }
        scalars = layout.scalars
        self.root = root
        self.model = model
    }

    /// Why a change is refused; mentions an anchor on the path, which is often the reason.
    private func advice(at path: [YAMLStep]) -> String {
        var value = root
        for step in path {
            if let anchor = value.anchor { return Self.refusal(anchor) }
            guard let next = YAMLLayout.child(step, of: value) else { break }
            value = next
        }
        return value.anchor.map(Self.refusal) ?? Self.refusal
    }

    private static func refusal(_ anchor: String) -> String {
        "\(refusal): it is used elsewhere as `*\(anchor)`"
    }

    /// Parses a text, with aliases and merge keys resolved and within a workspace's limits; nil for any fault.
    private static func read(_ text: String) -> (YAMLValue, Value)? {
        let log = ProblemLog()
        let source = SourceText(name: "", text: text)
        // The fault itself does not matter: the change is refused.
        guard let root = try? YAMLValue.parse(text),
            let node = YAMLReader(source: source, log: log).read(), log.problems.isEmpty
        else { return nil }
        return (root, Value(node))
    }

    static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }
}

extension Value {
    /// The value of a node, with templates as written.
    init(_ node: YAMLNode) {
        switch node.content {
        case .scalar(let text, let isPlain): self = isPlain ? Value(plain: text) : .string(text)
        case .sequence(let nodes): self = .array(nodes.map { Value($0) })
        case .mapping(let entries):
            self = .object(entries.map { Member($0.key, Value($0.value)) })
        }
    }

    /// The value with members sorted by name.
    fileprivate var sorted: Value {
        switch self {
        case .array(let elements): .array(elements.map(\.sorted))
        case .object(let members):
            .object(
                members.map { Member($0.name, $0.value.sorted) }
                    .sorted {
                        $0.name.unicodeScalars.lexicographicallyPrecedes($1.name.unicodeScalars)
                    }
            )
        default: self
        }
    }

    static func hasDistinctNames(_ members: [Member]) -> Bool {
        Set(members.map(\.name)).count == members.count
    }

    /// The value at a path; nil if there is none.
    func value(at path: ArraySlice<YAMLStep>) -> Value? {
        guard let step = path.first else { return self }
        switch (self, step) {
        case (.object(let members), .key(let name)):
            return members.first { $0.name == name }?.value.value(at: path.dropFirst())
        case (.array(let elements), .index(let index)) where elements.indices.contains(index):
            return elements[index].value(at: path.dropFirst())
        default: return nil
        }
    }

    /// The value after a change; nil if the change is not possible.
    func applying(_ change: YAMLEditor.Change, at path: ArraySlice<YAMLStep>) -> Value? {
        guard let step = path.first else {
            switch change {
            case .set(let value): return value
            case .wrap(let key): return .object([Member(key, self)])
            case .prepend(let name, let value):
                guard case .object(let members) = self, !members.isEmpty,
                    !members.contains(where: { $0.name == name })
                else { return nil }
                return .object([Member(name, value)] + members)
            case .remove, .insert: return nil
            }
        }
        switch (self, step) {
        case (.object(var members), .key(let name)):
            guard Self.apply(change, name, path.dropFirst(), to: &members) else { return nil }
            return .object(members)
        case (.array(var elements), .index(let index)):
            guard Self.apply(change, index, path.dropFirst(), to: &elements) else { return nil }
            return .array(elements)
        case (.null, .key): return Value.object([]).applying(change, at: path)
        default: return nil
        }
    }

    private static func apply(
        _ change: YAMLEditor.Change,
        _ name: String,
        _ rest: ArraySlice<YAMLStep>,
        to members: inout [Member]
    ) -> Bool {
        let place = members.firstIndex { $0.name == name }
        switch change {
        case .remove where rest.isEmpty:
            guard let place else { return false }
            members.remove(at: place)
            return true
        case .insert(let new?, let value) where rest.isEmpty:
            guard let place, !members.contains(where: { $0.name == new }) else { return false }
            members.insert(Member(new, value), at: place + 1)
            return true
        case .insert(nil, _) where rest.isEmpty: return false
        default:
            let old = place.map { members[$0].value } ?? .null
            guard let value = old.applying(change, at: rest) else { return false }
            if let place {
                members[place] = Member(name, value)
            } else {
                members.append(Member(name, value))
            }
            return true
        }
    }

    private static func apply(
        _ change: YAMLEditor.Change,
        _ index: Int,
        _ rest: ArraySlice<YAMLStep>,
        to elements: inout [Value]
    ) -> Bool {
        switch change {
        case .insert(nil, let value) where rest.isEmpty && (0...elements.count).contains(index):
            elements.insert(value, at: index)
            return true
        case .remove where rest.isEmpty && elements.indices.contains(index):
            elements.remove(at: index)
            return true
        default:
            guard elements.indices.contains(index),
                let value = elements[index].applying(change, at: rest)
            else { return false }
            elements[index] = value
            return true
        }
    }
}
