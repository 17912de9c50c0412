import Documents

/// A step from a YAML value to one inside it.
enum YAMLStep: Hashable {
    case key(String)
    case index(Int)
}

/// Why a value is not changed, in words for people.
struct YAMLEditError: Error, Hashable {
    let message: String
}

/// A change to make at a path.
enum ValueChange {
    case set(Value)
    case remove
    case insert(String?, Value)
    /// Adds an entry before all others of a mapping.
    case prepend(String, Value)
    /// Adds entries after all others of a mapping that has some.
    case append([Value.Member])
    case wrap(String)
    /// Gives an entry of a mapping another key.
    case rename(String)
}

/// What values can be changed in: a text, which keeps everything else of it, or a value alone.
protocol ValueEditing {
    /// The value at a path; nil if there is none.
    func value(at path: [YAMLStep]) -> Value?
    /// Makes one change; throws if that is not possible.
    mutating func apply(_ change: ValueChange, at path: [YAMLStep]) throws(YAMLEditError)
}

extension ValueEditing {
    /// Sets a value; a missing entry is added at the end of its mapping.
    mutating func set(_ value: Value, at path: [YAMLStep]) throws(YAMLEditError) {
        try apply(.set(value), at: path)
    }

    /// Removes an entry or an element, with the comment at the end of its line.
    mutating func remove(at path: [YAMLStep]) throws(YAMLEditError) {
        try apply(.remove, at: path)
    }

    /// Inserts an entry after the one at the path, or an element at the path's index.
    mutating func insert(
        _ value: Value,
        named name: String? = nil,
        at path: [YAMLStep]
    ) throws(YAMLEditError) {
        try apply(.insert(name, value), at: path)
    }

    /// Adds an entry to a mapping after another one, or as the first; at the end where that is not possible.
    mutating func add(
        _ value: Value,
        named name: String,
        behind other: String?,
        at path: [YAMLStep]
    ) throws(YAMLEditError) {
        do throws(YAMLEditError) {
            guard let other else { return try apply(.prepend(name, value), at: path) }
            try insert(value, named: name, at: path + [.key(other)])
        } catch {
            try set(value, at: path + [.key(name)])
        }
    }

    /// Puts a scalar, as it is written, into a new mapping as its only entry.
    mutating func wrap(at path: [YAMLStep], in key: String) throws(YAMLEditError) {
        try apply(.wrap(key), at: path)
    }

    /// Gives an entry of a mapping another key.
    mutating func rename(at path: [YAMLStep], to name: String) throws(YAMLEditError) {
        try apply(.rename(name), at: path)
    }

    /// Removes an entry; a mapping that would have none left becomes `{}`, because a block cannot be empty.
    mutating func removeEntry(at path: [YAMLStep]) throws(YAMLEditError) {
        let parent = Array(path.dropLast())
        guard case .object(let members)? = value(at: parent), members.count == 1, !parent.isEmpty
        else { return try remove(at: path) }
        try set(.object([]), at: parent)
    }

    /// Changes only what differs between two values.
    mutating func change(
        at path: [YAMLStep],
        from old: Value?,
        to new: Value
    ) throws(YAMLEditError) {
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
    ) throws(YAMLEditError) {
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

extension Value: ValueEditing {
    func value(at path: [YAMLStep]) -> Value? { value(at: path[...]) }

    mutating func apply(_ change: ValueChange, at path: [YAMLStep]) throws(YAMLEditError) {
        guard let changed = applying(change, at: path[...]) else {
            throw YAMLEditError(message: "the request cannot be changed like this")
        }
        self = changed
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
    var sorted: Value {
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
    func applying(_ change: ValueChange, at path: ArraySlice<YAMLStep>) -> Value? {
        guard let step = path.first else {
            switch change {
            case .set(let value): return value
            case .wrap(let key): return .object([Member(key, self)])
            case .prepend(let name, let value):
                guard case .object(let members) = self, !members.isEmpty,
                    !members.contains(where: { $0.name == name })
                else { return nil }
                return .object([Member(name, value)] + members)
            case .append(let new):
                guard case .object(let members) = self, !members.isEmpty,
                    Self.hasDistinctNames(members + new)
                else { return nil }
                return .object(members + new)
            case .remove, .insert, .rename: return nil
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
        _ change: ValueChange,
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
        case .rename(let new) where rest.isEmpty:
            guard let place, !members.contains(where: { $0.name == new }) else { return false }
            members[place] = Member(new, members[place].value)
            return true
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
        _ change: ValueChange,
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
