/// A type that names the path of each of its properties once, for reading and writing.
///
///     struct User: Mappable {
///         var name = ""
///         var city: String?
///
///         init?(map: ObjectMap) {}
///
///         mutating func mapping(map: ObjectMap) {
///             name <- map["name"]
///             city <- map["address.city"]
///         }
///     }
///
/// A property keeps its value if the JSON has none for it, or one of another kind. An optional becomes nil if
/// the JSON has `null` or a value of another kind.
public protocol Mappable: JSONMapped {
    /// Makes an empty value; nil rejects the object.
    init?(map: ObjectMap)

    /// Names the path of each property, by `<-`.
    mutating func mapping(map: ObjectMap)
}

extension Mappable {
    /// Makes a value from an object.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> Self {
        let map = try ObjectMap.reading(json, in: scope, as: Self.self)
        guard var object = Self.empty(for: map) else {
            throw MappingError(.refused(by: "\(Self.self)"), at: json)
        }
        object.mapping(map: map)
        return object
    }

    /// The value as an object.
    public func json(in scope: MappingScope) -> JSON {
        guard !scope.isTooDeep else { return .null }
        let map = ObjectMap(writingIn: scope.deeper)
        // A copy, because reading and writing share one mutating function; a class writes only to its map here.
        var object = self
        object.mapping(map: map)
        return map.json
    }

    private static func empty(for map: ObjectMap) -> Self? {
        if let family = Self.self as? any ClusterMappable.Type,
            let object = family.objectForMapping(map: map) as? Self
        {
            return object
        }
        return Self(map: map)
    }
}

/// A type whose properties are constants, or that cannot be made without some of them.
///
///     struct User: ImmutableMappable {
///         let name: String
///         let age: Int?
///
///         init(map: ObjectMap) throws {
///             name = try map.value("name")
///             age = try map.value("age")
///         }
///
///         func mapping(map: ObjectMap) {
///             name >>> map["name"]
///             age >>> map["age"]
///         }
///     }
public protocol ImmutableMappable: JSONMapped {
    /// Makes a value; throws when something is missing.
    init(map: ObjectMap) throws

    /// Writes each property to its path.
    func mapping(map: ObjectMap)
}

extension ImmutableMappable {
    /// Makes a value from an object; throws the first error in it.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> Self {
        let map = try ObjectMap.reading(json, in: scope, as: Self.self)
        do {
            return try Self(map: map)
        } catch let error as MappingError {
            throw error
        } catch {
            throw MappingError(.refused(by: "\(error)"), at: json)
        }
    }

    /// The value as an object.
    public func json(in scope: MappingScope) -> JSON {
        guard !scope.isTooDeep else { return .null }
        let map = ObjectMap(writingIn: scope.deeper)
        mapping(map: map)
        return map.json
    }

    /// Does nothing, for types that are only read.
    public func mapping(map: ObjectMap) {}
}

/// A family of types; the object to map decides which one it becomes.
public protocol ClusterMappable: Mappable {
    /// An empty value of the type that fits; nil for this type itself.
    static func objectForMapping(map: ObjectMap) -> (any Mappable)?
}

/// What a caller passes to every `mapping(map:)`, such as a base address or a locale.
public protocol MapContext: Sendable {}
