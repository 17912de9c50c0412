/// A type whose properties are constants, or that cannot be made without some of them.
///
///     struct User: ImmutableMappable {
///         let name: String
///         let age: Int?
///
///         init(map: Map) throws {
///             name = try map.value("name")
///             age = try map.value("age")
///         }
///
///         func mapping(map: Map) {
///             name >>> map["name"]
///             age >>> map["age"]
///         }
///     }
public protocol ImmutableMappable: JSONMapped {
    /// Makes a value; throws when something is missing.
    init(map: Map) throws

    /// Writes each property to its place.
    func mapping(map: Map)
}

extension ImmutableMappable {
    /// Makes a value from an object; throws the first thing that is wrong in it.
    public static func mapped(
        from json: JSON,
        in scope: MappingScope
    ) throws(MappingError) -> Self {
        let map = try Map.reading(json, in: scope, as: Self.self)
        do {
            return try Self(map: map)
        } catch let error as MappingError {
            throw error
        } catch {
            throw MappingError(.refused(by: "\(error)"), at: json)
        }
    }

    /// An object.
    public func json(in scope: MappingScope) -> JSON {
        guard !scope.isTooDeep else { return .null }
        let map = Map(writingIn: scope.deeper)
        mapping(map: map)
        return map.json
    }

    /// Does nothing: the type is only read.
    public func mapping(map: Map) {}
}
