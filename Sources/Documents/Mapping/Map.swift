/// One object on its way from JSON or to JSON; `map["path"]` is a place in it.
public final class Map {
    /// Which way a mapping goes.
    public enum Direction: Sendable {
        /// Properties are set from JSON.
        case fromJSON
        /// JSON is made from properties.
        case toJSON
    }

    /// Which way it goes.
    public let direction: Direction
    /// What is read, or what was written so far.
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
    ) throws(MappingError) -> Map {
        guard json.kind == .object else { throw .unfit(json, for: type) }
        guard !scope.isTooDeep else { throw MappingError(.tooDeep, at: json) }
        return Map(.fromJSON, json, scope.deeper)
    }

    /// What the caller handed in.
    public var context: (any MapContext)? { scope.context }

    /// A place in the object.
    ///
    /// Steps are members' names, and places for arrays, between delimiters: `list.0.id`. When it is
    /// not `nested`, the whole text is one name. Written, a `0` that has no array yet begins one, and
    /// the number of the next element continues it; other numbers are names.
    public subscript(
        _ path: String,
        nested isNested: Bool = true,
        delimiter delimiter: String = "."
    ) -> MappedField {
        let steps = isNested ? MappedField.steps(path, delimiter) : [path]
        return MappedField(map: self, steps: steps)
    }

    /// The value at a place; throws where and why there is none.
    ///
    /// An optional is nil for `null` and for no value.
    public func value<T: JSONMapped>(
        _ path: String,
        nested isNested: Bool = true,
        delimiter: String = ".",
        as type: T.Type = T.self
    ) throws(MappingError) -> T {
        let json = self[path, nested: isNested, delimiter: delimiter].json
        return try T.mapped(from: json, in: scope.strict)
    }

    /// The value at a place as a transform makes it; throws where and why there is none.
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
