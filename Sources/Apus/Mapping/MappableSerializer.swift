public import Documents

/// Reads a `Mappable` value, or an array or dictionary of such values, strictly.
///
/// Throws for the first property of another kind and the first element that cannot be made.
/// ``LenientMappableSerializer`` skips and notes them.
public struct MappableSerializer<Value: JSONMapped>: JSONValueSerializer {
    let path: String?
    let context: (any MapContext)?

    /// Maps the value at the path, or the JSON itself if there is no path.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`, kind `.object`, `.json` or `.path`.
    public func value(from json: JSON, of response: Response) throws(ApusError) -> Value {
        let noted = try LenientMappableSerializer<Value>(path: path, context: context)
            .value(from: json, of: response)
        if let problem = noted.problems.first { throw response.failure(.init(problem, in: json)) }
        return noted.value
    }
}

extension ResponseSerializer {
    /// A `Mappable` value, or an array or dictionary of such values, read strictly.
    ///
    /// - Parameters:
    ///   - type: the type to read.
    ///   - path: where the value is; nil for the whole body.
    ///   - context: is passed to every `mapping(map:)`.
    /// - Returns: the serializer.
    public static func mappable<T: JSONMapped>(
        _ type: T.Type = T.self,
        at path: String? = nil,
        context: (any MapContext)? = nil
    ) -> Self where Self == MappableSerializer<T> {
        MappableSerializer(path: path, context: context)
    }
}

/// Reads a `Mappable` value, or an array or dictionary of such values, and notes what it skips: properties of
/// another kind and elements that cannot be made.
public struct LenientMappableSerializer<Model: JSONMapped>: JSONValueSerializer {
    /// The value, and what was skipped.
    public typealias Value = NotedValue<Model>

    let path: String?
    let context: (any MapContext)?

    /// Maps the value at the path, or the JSON itself if there is no path, and notes what was skipped.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`, kind `.object`, `.json` or `.path`.
    public func value(from json: JSON, of response: Response) throws(ApusError) -> NotedValue<Model>
    {
        let found = try response.value(at: path, in: json, for: .object)
        if Model.self is any ExpressibleByNilLiteral.Type == false {
            _ = try response.present(found, for: .object)
        }
        do throws(MappingError) {
            let noted = try Mapper<Model>(context: context).mapLeniently(found)
            return NotedValue(value: noted.value, problems: noted.problems)
        } catch {
            throw response.failure(.init(error, in: json))
        }
    }
}

/// A mapped value, and what was skipped.
public struct NotedValue<Value> {
    /// The mapped value, without what could not be mapped.
    public let value: Value
    /// What could not be mapped, in order.
    public let problems: [MappingError]
}

extension NotedValue: Sendable where Value: Sendable {}

extension ResponseSerializer {
    /// Reads a `Mappable` value, or an array or dictionary of such values, and notes what it skips.
    ///
    /// - Parameters:
    ///   - type: the type to read.
    ///   - path: where the value is; nil for the whole body.
    ///   - context: is passed to every `mapping(map:)`.
    /// - Returns: the serializer.
    public static func lenientMappable<T: JSONMapped>(
        _ type: T.Type = T.self,
        at path: String? = nil,
        context: (any MapContext)? = nil
    ) -> Self where Self == LenientMappableSerializer<T> {
        LenientMappableSerializer(path: path, context: context)
    }
}
