public import Documents

/// Reads a `Decodable` value strictly: out of the whole body or at a path, scalars too.
public struct DecodableSerializer<Value: Decodable>: JSONValueSerializer {
    /// Which value; nil for the whole body.
    public var path: String?
    /// The strategies.
    public var decoder: DocumentDecoder
    /// Whether an empty body is an error, or read as `{}` and, if that does not do, as `[{}]`.
    public var failsOnEmpty: Bool

    /// Makes a serializer.
    public init(
        _ type: Value.Type = Value.self,
        at path: String? = nil,
        decoder: DocumentDecoder = DocumentDecoder(),
        failsOnEmpty: Bool = true
    ) {
        self.path = path
        self.decoder = decoder
        self.failsOnEmpty = failsOnEmpty
    }

    /// The value.
    ///
    /// - Throws: `ApusError` with the reason `.mapping`, kind `.object`, `.json`, `.empty` or
    ///   `.path`.
    public func serialize(_ response: Response) throws(ApusError) -> Value {
        if !failsOnEmpty && response.body.isEmpty { return try emptyValue(of: response) }
        return try value(from: JSON(document: response.openedJSON(for: .json)), of: response)
    }

    /// The value at the path, or the value itself; an optional is nil for a missing one.
    public func value(from json: JSON, of response: Response) throws(ApusError) -> Value {
        let node = try JSONNode(json, at: path, for: Value.self, of: response)
        do {
            return try decoder.decode(Value.self, from: node.document, at: node.index)
        } catch {
            throw response.failure(.init(decoding: error))
        }
    }

    private func emptyValue(of response: Response) throws(ApusError) -> Value {
        // What does not decode as an object is tried as an array of one.
        if let value = try? decoder.decode(Value.self, from: "{}") { return value }
        do {
            return try decoder.decode(Value.self, from: "[{}]")
        } catch {
            throw response.failure(.init(.empty, detail: MappingMessages.empty))
        }
    }
}

extension ResponseSerializer {
    /// A `Decodable` value, read strictly.
    public static func decodable<T: Decodable>(
        _ type: T.Type = T.self,
        at path: String? = nil,
        decoder: DocumentDecoder = DocumentDecoder(),
        failsOnEmpty: Bool = true
    ) -> Self where Self == DecodableSerializer<T> {
        DecodableSerializer(type, at: path, decoder: decoder, failsOnEmpty: failsOnEmpty)
    }
}
