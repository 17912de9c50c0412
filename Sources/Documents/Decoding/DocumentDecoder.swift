public import FoundationEssentials

/// Makes `Decodable` values straight from the nodes of a document.
///
/// It behaves as Foundation's `JSONDecoder` and has its strategies. Three things differ: of equal
/// keys the last counts, integers are exact however they are written, and every error says where
/// in the text it happened: `DecodingError`'s context ends with a `DecodingLocation`.
///
/// A value: change it freely, use it from any thread. What it decodes never nests deeper than
/// `maximumDepth`, so a hostile text cannot exhaust the stack.
public struct DocumentDecoder: Sendable {
    /// How a `Date` is written.
    public var dateDecodingStrategy = DateDecodingStrategy.deferredToDate
    /// How a `Data` is written.
    public var dataDecodingStrategy = DataDecodingStrategy.base64
    /// How the names of members are written.
    public var keyDecodingStrategy = KeyDecodingStrategy.useDefaultKeys
    /// How infinity and not-a-number are written.
    public var nonConformingFloatDecodingStrategy = NonConformingFloatDecodingStrategy.throw
    /// What the types that are decoded find in `Decoder.userInfo`.
    public var userInfo: [CodingUserInfoKey: any Sendable] = [:]
    /// How deeply values may be decoded inside others; only recursive types come near.
    ///
    /// The default leaves room on a thread with a stack of 512 KiB.
    public var maximumDepth = 512
    /// What `decodeLeniently` forgives beyond coercions.
    public var lenience = Lenience()

    /// Makes a decoder with the strategies of a new `JSONDecoder`.
    public init() {}

    // MARK: - Whole texts

    /// Decodes a JSON text.
    ///
    /// Throws `DecodingError.dataCorrupted` with the fault's place when the text is broken.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: [UInt8]) throws -> T {
        try decode(type, from: DocumentBytes(bytes))
    }

    /// Decodes a JSON text.
    public func decode<T: Decodable>(_ type: T.Type, from data: Data) throws -> T {
        try decode(type, from: data.withUnsafeBytes { DocumentBytes(copying: $0) })
    }

    /// Decodes a JSON text.
    public func decode<T: Decodable>(_ type: T.Type, from text: String) throws -> T {
        var text = text
        let bytes = text.withUTF8 { DocumentBytes(copying: UnsafeRawBufferPointer($0)) }
        return try decode(type, from: bytes)
    }

    /// Decodes a JSON text.
    public func decode<T: Decodable>(_ type: T.Type, from bytes: DocumentBytes) throws -> T {
        try decode(type, from: Document.parse(bytes))
    }

    // MARK: - Documents

    /// Decodes a value of a document.
    ///
    /// The document must be finished and without a fault.
    public func decode<T: Decodable>(
        _ type: T.Type,
        from document: Document,
        at node: NodeIndex = .root
    ) throws -> T {
        try context(document, node).rootValue(type)
    }

    /// Decodes the value at a path of a document, such as `users[3].name`.
    ///
    /// The path is one of `JSONPath(parsing:)`; of a query that finds several values the first is
    /// decoded. Throws `DecodingError.keyNotFound` or `valueNotFound` that names the part that is
    /// missing.
    public func decode<T: Decodable>(
        _ type: T.Type,
        from document: Document,
        at path: String
    ) throws -> T {
        try decode(type, from: document, at: context(document, .root).node(at: path))
    }

    /// What one decode works with; throws when the document is broken or not finished.
    func context(
        _ document: Document,
        _ root: NodeIndex,
        isLenient: Bool = false
    ) throws -> DecodingContext {
        let context = DecodingContext(document, root: root.rawValue, self, isLenient: isLenient)
        if let fault = document.fault { throw context.broken(fault) }
        guard document.isFinished else { throw context.unfinished() }
        return context
    }
}
