public import Documents

/// Reads a `Decodable` value strictly, from the whole body or at a path; scalars work too.
public struct DecodableSerializer<Value: Decodable>: JSONValueSerializer {
    let path: String?
    /// Nil for the provider's, or else a new one.
    let ownDecoder: DocumentDecoder?
    let failsOnEmpty: Bool

    private var decoder: DocumentDecoder { ownDecoder ?? DocumentDecoder() }

    /// Decodes the value at the path, or the whole body if there is no path.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`, kind `.object`, `.json`, `.empty` or
    ///   `.path`.
    public func serialize(_ response: Response) throws(ApusError) -> Value {
        if !failsOnEmpty && response.body.isEmpty { return try emptyValue(of: response) }
        return try value(from: JSON(document: response.openedJSON(for: .json)), of: response)
    }

    /// Decodes the value at the path, or the JSON itself if there is no path; a missing optional is nil.
    public func value(from json: JSON, of response: Response) throws(ApusError) -> Value {
        let node = try JSONNode(json, at: path, for: Value.self, of: response)
        do {
            return try decoder.decode(Value.self, from: node.document, at: node.index)
        } catch {
            throw response.failure(.init(decoding: error))
        }
    }

    /// A copy that decodes with `decoder`, unless it has one of its own.
    public func resolvingDecoder(_ decoder: DocumentDecoder) -> Self {
        Self(path: path, ownDecoder: ownDecoder ?? decoder, failsOnEmpty: failsOnEmpty)
    }

    private func emptyValue(of response: Response) throws(ApusError) -> Value {
        // If the type does not decode from `{}`, try an array with one empty object.
        if let value = try? decoder.decode(Value.self, from: "{}") { return value }
        do {
            return try decoder.decode(Value.self, from: "[{}]")
        } catch {
            throw response.failure(.init(.empty, detail: MappingMessages.empty))
        }
    }
}

extension ResponseSerializer {
    /// Reads a `Decodable` value strictly: an object, an array (`.decodable([User].self)`) or a scalar.
    ///
    /// - Parameters:
    ///   - type: the type to read.
    ///   - path: where the value is, such as `data>users` or `$..users[0]`; nil for the whole body.
    ///   - decoder: decodes the value; holds the strategies. Nil for the provider's, or else a new one.
    ///   - failsOnEmpty: true to throw for an empty body; false to read it as `{}` or, failing that, as
    ///     `[{}]`.
    /// - Returns: the serializer.
    public static func decodable<T: Decodable>(
        _ type: T.Type = T.self,
        at path: String? = nil,
        decoder: DocumentDecoder? = nil,
        failsOnEmpty: Bool = true
    ) -> Self where Self == DecodableSerializer<T> {
        DecodableSerializer(path: path, ownDecoder: decoder, failsOnEmpty: failsOnEmpty)
    }
}

/// Reads a `Decodable` value, tolerates what servers often get wrong, and notes each case.
///
/// Malformed text is still an error. `decoder.lenience` says what is tolerated beyond coercions.
public struct LenientSerializer<Model: Decodable>: JSONValueSerializer {
    /// The value, and the notes on what was tolerated.
    public typealias Value = LenientResult<Model>

    let path: String?
    /// Nil for the strategies of the provider's, with the lenience of a forgiving one.
    let ownDecoder: DocumentDecoder?

    private var decoder: DocumentDecoder { ownDecoder ?? .forgiving }

    /// A copy with the strategies of `decoder`, unless it has a decoder of its own.
    public func resolvingDecoder(_ decoder: DocumentDecoder) -> Self {
        guard ownDecoder == nil else { return self }
        var decoder = decoder
        decoder.lenience = DocumentDecoder.forgiving.lenience
        return Self(path: path, ownDecoder: decoder)
    }

    /// Decodes the value at the path, or the JSON itself if there is no path.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`, kind `.object`, `.json` or `.path`.
    public func value(
        from json: JSON,
        of response: Response
    ) throws(ApusError) -> LenientResult<Model> {
        let found = try response.value(at: path, in: json, for: .object)
        // The decoder replaces a missing value by the type's default.
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
    /// A decoder whose lenient decoding uses a type's default for a missing value and leaves out elements
    /// that cannot be decoded.
    public static var forgiving: DocumentDecoder {
        var decoder = DocumentDecoder()
        decoder.lenience = Lenience(missingValues: .typeDefault, undecodableElements: .skip)
        return decoder
    }
}

extension ResponseSerializer {
    /// Reads a `Decodable` value leniently, with notes on what was tolerated.
    ///
    /// - Parameters:
    ///   - type: the type to read.
    ///   - path: where the value is; nil for the whole body.
    ///   - decoder: decodes the value; its `lenience` says what is tolerated beyond coercions. Nil for
    ///     `.forgiving`, with the strategies of the provider's.
    /// - Returns: the serializer.
    public static func lenient<T: Decodable>(
        _ type: T.Type = T.self,
        at path: String? = nil,
        decoder: DocumentDecoder? = nil
    ) -> Self where Self == LenientSerializer<T> {
        LenientSerializer(path: path, ownDecoder: decoder)
    }
}

/// The node of a document that a value is decoded from.
struct JSONNode {
    let document: Document
    let index: NodeIndex

    /// Finds the value at a path; for an optional type a missing value becomes `null`.
    init(
        _ json: JSON,
        at path: String?,
        for type: Any.Type,
        of response: Response
    ) throws(ApusError) {
        var found = try response.value(at: path, in: json, for: .object)
        if !found.exists, type is any ExpressibleByNilLiteral.Type { found = .null }
        found = try response.present(found, for: .object)
        if let (document, node) = found.source {
            self.document = document
            index = node
            return
        }
        // JSON that was built or changed in memory has no document yet.
        do throws(DocumentWritingError) {
            document = Document.parse(DocumentBytes(try found.bytes()))
            index = .root
        } catch {
            throw response.failure(.init(.json, detail: "\(error)"))
        }
    }
}
