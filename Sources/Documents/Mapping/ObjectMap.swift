/// One object that is read from JSON or written as JSON; `map["path"]` is a field of it.
public final class ObjectMap {
    /// The direction of a mapping.
    public enum Direction: Sendable {
        /// Properties are set from JSON.
        case fromJSON
        /// JSON is made from properties.
        case toJSON
    }

    /// The direction of the mapping.
    public let direction: Direction
    /// The object that is read, or what was written so far.
    public internal(set) var json: JSON
    let scope: MappingScope

    private init(_ direction: Direction, _ json: JSON, _ scope: MappingScope) {
        self.direction = direction
        self.json = json
        self.scope = scope
    }

    convenience init(writingIn scope: MappingScope) {
        self.init(.toJSON, JSON(members: []), scope)
    }

    static func reading(
        _ json: JSON,
        in scope: MappingScope,
        as type: (some Any).Type
    ) throws(MappingError) -> ObjectMap {
        guard json.kind == .object else { throw .unfit(json, for: type) }
        guard !scope.isTooDeep else { throw MappingError(.tooDeep, at: json) }
        return ObjectMap(.fromJSON, json, scope.deeper)
    }

    /// The context that the caller passed.
    public var context: (any MapContext)? { scope.context }

    /// The field at a path in the object.
    ///
    /// Steps are the names of members and the indexes of elements, with delimiters in between: `list.0.id`. If
    /// it is not `nested`, the whole text is one name. In writing, a `0` where there is no value begins an
    /// array, and the index of the next element extends it. A number where there is no array is a name.
    public subscript(
        _ path: String,
        nested isNested: Bool = true,
        delimiter delimiter: String = "."
    ) -> MappedField {
        let steps = isNested ? MappedField.steps(path, delimiter) : [path]
        return MappedField(map: self, steps: steps)
    }

    /// The value at a path; the error says where and why there is none.
    ///
    /// An optional is nil if the value is `null` or missing.
    public func value<T: JSONMapped>(
        _ path: String,
        nested isNested: Bool = true,
        delimiter: String = ".",
        as type: T.Type = T.self
    ) throws(MappingError) -> T {
        let json = self[path, nested: isNested, delimiter: delimiter].json
        return try T.mapped(from: json, in: scope.strict)
    }

    /// The value that a transform makes of the JSON at a path; the error says where and why there is none.
    public func value<T: ValueTransform>(
        _ path: String,
        nested isNested: Bool = true,
        delimiter: String = ".",
        using transform: T
    ) throws(MappingError) -> T.Value {
        let json = self[path, nested: isNested, delimiter: delimiter].json
        guard json.exists else { throw MappingError(.missing, at: json) }
        guard let value = transform.value(from: json) else {
            throw MappingError(.refused(by: "\(T.self)"), at: json)
        }
        return value
    }
}

/// A field of an object that is mapped, named by its path.
public struct MappedField {
    /// The mapping that it belongs to.
    public let map: ObjectMap
    let steps: [String]

    /// The field's JSON; in writing, what was written there so far.
    public var json: JSON { map.json[path: resolved()] }

    /// Whether there is a value to read, even if it is `null`.
    public var isPresent: Bool { json.exists }

    /// The field's value; nil if there is none, or one of another kind.
    public func value<T: JSONMapped>(as type: T.Type = T.self) -> T? {
        try? T.mapped(from: json, in: map.scope)
    }

    // MARK: - Both directions

    /// Reads a property with one function, or writes what the other makes of it.
    func exchange<T>(
        _ value: inout T,
        read: (JSON) throws(MappingError) -> T,
        write: (T) -> JSON
    ) {
        guard map.direction == .fromJSON else { return put(write(value)) }
        if let new = reading(read) { value = new }
    }

    /// Reads or writes an optional, which becomes nil if its value cannot be read.
    func exchange<T>(
        optional value: inout T?,
        read: (JSON) throws(MappingError) -> T,
        write: (T) -> JSON
    ) {
        guard map.direction == .fromJSON else { return put(optional: value.map(write)) }
        let json = json
        guard json.exists else { return }
        value = json.isNull ? nil : reading(read)
    }

    private func reading<T>(_ read: (JSON) throws(MappingError) -> T) -> T? {
        let json = json
        guard json.exists && !json.isNull else { return nil }
        do {
            return try read(json)
        } catch {
            map.scope.log?.problems.append(error)
            return nil
        }
    }

    func put(optional json: JSON?) {
        if let json { put(json) } else if map.scope.writesNil { put(.null) }
    }

    func put(_ json: JSON) { map.json[path: resolved()] = json }

    // MARK: - Steps

    static func steps(_ path: String, _ delimiter: String) -> [String] {
        guard !delimiter.isEmpty else { return [path] }
        var steps: [String] = []
        var rest = path[...]
        while let range = rest.firstRange(of: delimiter) {
            steps.append(String(rest[..<range.lowerBound]))
            rest = rest[range.upperBound...]
        }
        return steps + [String(rest)]
    }

    /// The steps as names or indexes, depending on the values they lead through.
    private func resolved() -> [PathStep] {
        var current = map.json
        var path: [PathStep] = []
        for step in steps {
            let mayBegin = map.direction == .toJSON && !path.isEmpty
            let next = Self.step(step, in: current, mayBegin: mayBegin)
            path.append(next)
            current = current.value(next)
        }
        return path
    }

    private static func step(_ text: String, in current: JSON, mayBegin: Bool) -> PathStep {
        guard let index = Int(text), String(index) == text else { return .name(text) }
        let begins = mayBegin && index == 0 && !current.exists
        return current.kind == .array || begins ? .index(index) : .name(text)
    }
}

infix operator <-
infix operator >>>

// MARK: - Both directions

/// Reads a property from its field or writes it there, depending on the mapping's direction.
public func <- <T: JSONMapped>(value: inout T, field: MappedField) {
    let scope = field.map.scope
    field.exchange(&value) { json throws(MappingError) in
        try T.mapped(from: json, in: scope)
    } write: {
        $0.json(in: scope)
    }
}

/// Reads a property from its field or writes it there, depending on the mapping's direction.
public func <- <T: JSONMapped>(value: inout T?, field: MappedField) {
    let scope = field.map.scope
    field.exchange(optional: &value) { json throws(MappingError) in
        try T.mapped(from: json, in: scope)
    } write: {
        $0.json(in: scope)
    }
}

/// Reads an enum by its raw value or writes it, depending on the mapping's direction.
@_disfavoredOverload
public func <- <T: RawRepresentable>(value: inout T, field: MappedField)
where T.RawValue: JSONMapped {
    value <- (field, RawValueTransform<T>())
}

/// Reads an enum by its raw value or writes it, depending on the mapping's direction.
@_disfavoredOverload
public func <- <T: RawRepresentable>(value: inout T?, field: MappedField)
where T.RawValue: JSONMapped {
    value <- (field, RawValueTransform<T>())
}

/// Reads a property through a transform or writes it, depending on the mapping's direction.
public func <- <T: ValueTransform>(value: inout T.Value, place: (MappedField, T)) {
    let (field, transform) = place
    field.exchange(&value, read: transform.reading, write: transform.writing)
}

/// Reads a property through a transform or writes it, depending on the mapping's direction.
public func <- <T: ValueTransform>(value: inout T.Value?, place: (MappedField, T)) {
    let (field, transform) = place
    field.exchange(optional: &value, read: transform.reading, write: transform.writing)
}

/// Reads an array through a transform of its elements or writes it, depending on the mapping's direction.
public func <- <T: ValueTransform>(value: inout [T.Value], place: (MappedField, T)) {
    value <- (place.0, ElementTransform(place.1))
}

/// Reads an array through a transform of its elements or writes it, depending on the mapping's direction.
public func <- <T: ValueTransform>(value: inout [T.Value]?, place: (MappedField, T)) {
    value <- (place.0, ElementTransform(place.1))
}

/// Reads a dictionary through a transform of its values or writes it, depending on the mapping's direction.
public func <- <T: ValueTransform>(value: inout [String: T.Value], place: (MappedField, T)) {
    value <- (place.0, MemberTransform(place.1))
}

// MARK: - To JSON only

/// Writes a constant to a field; does nothing in reading.
public func >>> <T: JSONMapped>(value: T, field: MappedField) {
    guard field.map.direction == .toJSON else { return }
    field.put(value.json(in: field.map.scope))
}

/// Writes a constant to a field unless it is nil; does nothing in reading.
public func >>> <T: JSONMapped>(value: T?, field: MappedField) {
    guard field.map.direction == .toJSON else { return }
    field.put(optional: value?.json(in: field.map.scope))
}

/// Writes an enum by its raw value.
@_disfavoredOverload
public func >>> <T: RawRepresentable>(value: T?, field: MappedField)
where T.RawValue: JSONMapped {
    guard field.map.direction == .toJSON else { return }
    field.put(optional: value?.rawValue.json(in: field.map.scope))
}

/// Writes a constant through a transform.
public func >>> <T: ValueTransform>(value: T.Value?, place: (MappedField, T)) {
    guard place.0.map.direction == .toJSON else { return }
    place.0.put(optional: value.map(place.1.writing))
}
