public import Documents

/// Reads a `Mappable` value, or an array or dictionary of such values, strictly.
///
/// The first property of another kind, and the first element that cannot be made, is an error.
/// `notedMapped` passes them over and notes them.
public struct MappableSerializer<Value: JSONMapped>: JSONValueSerializer {
    /// Which value; nil for the whole body.
    public var path: String?
    /// What every `mapping(map:)` gets.
    public var context: (any MapContext)?

    /// Makes a serializer.
    public init(
        _ type: Value.Type = Value.self,
        at path: String? = nil,
        context: (any MapContext)? = nil
    ) {
        self.path = path
        self.context = context
    }

    /// The value at the path, or the value itself.
    ///
    /// - Throws: `ApusError` with the reason `.mapping`, kind `.object`, `.json` or `.path`.
    public func value(from json: JSON, of response: Response) throws(ApusError) -> Value {
        let noted = try LenientMappableSerializer(Value.self, at: path, context: context)
            .value(from: json, of: response)
        if let problem = noted.problems.first { throw response.failure(.init(problem, in: json)) }
        return noted.value
    }
}

extension ResponseSerializer {
    /// A `Mappable` value, read strictly.
    public static func mapped<T: JSONMapped>(
        _ type: T.Type = T.self,
        at path: String? = nil,
        context: (any MapContext)? = nil
    ) -> Self where Self == MappableSerializer<T> {
        MappableSerializer(type, at: path, context: context)
    }
}

/// Reads a `Mappable` value, or an array or dictionary of such values, and notes what it passes
/// over: properties of another kind, elements that cannot be made.
public struct LenientMappableSerializer<Model: JSONMapped>: JSONValueSerializer {
    /// The value, and what was passed over.
    public typealias Value = Noted<Model>

    /// Which value; nil for the whole body.
    public var path: String?
    /// What every `mapping(map:)` gets.
    public var context: (any MapContext)?

    /// Makes a serializer.
    public init(
        _ type: Model.Type = Model.self,
        at path: String? = nil,
        context: (any MapContext)? = nil
    ) {
        self.path = path
        self.context = context
    }

    /// The value at the path, or the value itself, and what was passed over.
    ///
    /// - Throws: `ApusError` with the reason `.mapping`, kind `.object`, `.json` or `.path`.
    public func value(from json: JSON, of response: Response) throws(ApusError) -> Noted<Model> {
        let found = try response.value(at: path, in: json, for: .object)
        if Model.self is any ExpressibleByNilLiteral.Type == false {
            _ = try response.present(found, for: .object)
        }
        do throws(MappingError) {
            let noted = try Mapper<Model>(context: context).mapNoting(found)
            return Noted(value: noted.value, problems: noted.problems)
        } catch {
            throw response.failure(.init(error, in: json))
        }
    }
}

/// A value that was mapped, and what was passed over.
public struct Noted<Value> {
    /// The value.
    public let value: Value
    /// What could not be mapped, in order.
    public let problems: [MappingError]
}

extension Noted: Sendable where Value: Sendable {}

extension ResponseSerializer {
    /// A `Mappable` value, and what was passed over.
    public static func notedMapped<T: JSONMapped>(
        _ type: T.Type = T.self,
        at path: String? = nil,
        context: (any MapContext)? = nil
    ) -> Self where Self == LenientMappableSerializer<T> {
        LenientMappableSerializer(type, at: path, context: context)
    }
}
