public import Documents

/// Reads a `Decodable` value and forgives what servers get wrong, with a note of each.
///
/// A broken text is an error as ever. What else is forgiven is `decoder.lenience`.
public struct LenientSerializer<Model: Decodable>: JSONValueSerializer {
    /// The value, and what was forgiven.
    public typealias Value = LenientResult<Model>

    /// Which value; nil for the whole body.
    public var path: String?
    /// The strategies, and what is forgiven beyond coercions.
    public var decoder: DocumentDecoder

    /// Makes a serializer.
    public init(
        _ type: Model.Type = Model.self,
        at path: String? = nil,
        decoder: DocumentDecoder = .forgiving
    ) {
        self.path = path
        self.decoder = decoder
    }

    /// The value at the path, or the value itself, and what was forgiven.
    ///
    /// - Throws: `ApusError` with the reason `.mapping`, kind `.object`, `.json` or `.path`.
    public func value(
        from json: JSON,
        of response: Response
    ) throws(ApusError) -> LenientResult<Model> {
        let found = try response.value(at: path, in: json, for: .object)
        // A missing value is the decoder's to forgive.
        let isForgiven = !found.exists && decoder.lenience.missingValues == .typeDefault
        let node = try JSONNode(
            isForgiven ? .null : found,
            at: nil,
            for: Model.self,
            of: response
        )
        do {
            return try decoder.decodeLeniently(Model.self, from: node.document, at: node.index)
        } catch {
            throw response.failure(.init(decoding: error))
        }
    }
}

extension DocumentDecoder {
    /// A decoder that, asked to decode leniently, takes a type's default for what is missing and
    /// leaves out elements that cannot be decoded.
    public static var forgiving: DocumentDecoder {
        var decoder = DocumentDecoder()
        decoder.lenience = Lenience(missingValues: .typeDefault, undecodableElements: .skip)
        return decoder
    }
}

extension ResponseSerializer {
    /// A `Decodable` value, read leniently.
    public static func lenientDecodable<T: Decodable>(
        _ type: T.Type = T.self,
        at path: String? = nil,
        decoder: DocumentDecoder = .forgiving
    ) -> Self where Self == LenientSerializer<T> {
        LenientSerializer(type, at: path, decoder: decoder)
    }
}
