public import Documents

/// Reads a `Decodable` value strictly: out of the whole body or at a path, scalars too.
public struct DecodableSerializer<Value: Decodable>: JSONValueSerializer {
    let path: String?
    let decoder: DocumentDecoder
    let failsOnEmpty: Bool

    /// The value at the path, or of the whole body.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`, kind `.object`, `.json`, `.empty` or
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
    /// A `Decodable` value, read strictly: an object, an array (`.decodable([User].self)`), a scalar.
    ///
    /// - Parameters:
    ///   - type: what is read.
    ///   - path: where it stands, such as `data>users` or `$..users[0]`; nil for the whole body.
    ///   - decoder: the strategies.
    ///   - failsOnEmpty: whether an empty body is an error, or read as `{}` and, if that does not
    ///     do, as `[{}]`.
    /// - Returns: the serializer.
    public static func decodable<T: Decodable>(
        _ type: T.Type = T.self,
        at path: String? = nil,
        decoder: DocumentDecoder = DocumentDecoder(),
        failsOnEmpty: Bool = true
    ) -> Self where Self == DecodableSerializer<T> {
        DecodableSerializer(path: path, decoder: decoder, failsOnEmpty: failsOnEmpty)
    }
}

/// Reads a `Decodable` value and forgives what servers get wrong, with a note of each.
///
/// A broken text is an error as ever. What else is forgiven is `decoder.lenience`.
public struct LenientSerializer<Model: Decodable>: JSONValueSerializer {
    /// The value, and what was forgiven.
    public typealias Value = LenientResult<Model>

    let path: String?
    let decoder: DocumentDecoder

    /// The value at the path, or the value itself, and what was forgiven.
    ///
    /// - Throws: ``ApusError`` with the reason `.mapping`, kind `.object`, `.json` or `.path`.
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
    /// A `Decodable` value, read leniently, and what was forgiven.
    ///
    /// - Parameters:
    ///   - type: what is read.
    ///   - path: where it stands; nil for the whole body.
    ///   - decoder: the strategies, and what is forgiven beyond coercions.
    /// - Returns: the serializer.
    public static func lenient<T: Decodable>(
        _ type: T.Type = T.self,
        at path: String? = nil,
        decoder: DocumentDecoder = .forgiving
    ) -> Self where Self == LenientSerializer<T> {
        LenientSerializer(path: path, decoder: decoder)
    }
}

/// The node of a document that a value is decoded from.
struct JSONNode {
    let document: Document
    let index: NodeIndex

    /// The value at a path; for an optional type a missing one is `null`.
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
        // What was built or changed has no document yet.
        do throws(WriteFault) {
            document = Document.parse(DocumentBytes(try found.bytes()))
            index = .root
        } catch {
            throw response.failure(.init(.json, detail: "\(error)"))
        }
    }
}
