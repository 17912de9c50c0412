public import FoundationEssentials

/// Decoding that forgives what servers get wrong.
///
/// A scalar of another kind is read as the declared type when nothing is lost: `"12"` as an
/// integer, `12` as a string, `1`, `"yes"`, `"true"` and `"on"` as true. `lenience` allows more.
/// Everything that was forgiven is reported. What decodes strictly decodes to the same value.
extension DocumentDecoder {
    /// Decodes a JSON text leniently; a broken text is an error as ever.
    public func decodeLeniently<T: Decodable>(
        _ type: T.Type,
        from bytes: [UInt8]
    ) throws -> LenientResult<T> {
        try decodeLeniently(type, from: DocumentBytes(bytes))
    }

    /// Decodes a JSON text leniently.
    public func decodeLeniently<T: Decodable>(
        _ type: T.Type,
        from data: Data
    ) throws -> LenientResult<T> {
        try decodeLeniently(type, from: data.withUnsafeBytes { DocumentBytes(copying: $0) })
    }

    /// Decodes a JSON text leniently.
    public func decodeLeniently<T: Decodable>(
        _ type: T.Type,
        from text: String
    ) throws -> LenientResult<T> {
        try decodeLeniently(type, from: Array(text.utf8))
    }

    /// Decodes a JSON text leniently.
    public func decodeLeniently<T: Decodable>(
        _ type: T.Type,
        from bytes: DocumentBytes
    ) throws -> LenientResult<T> {
        try decodeLeniently(type, from: Document.parse(bytes))
    }

    /// Decodes a value of a document leniently.
    public func decodeLeniently<T: Decodable>(
        _ type: T.Type,
        from document: Document,
        at node: NodeIndex = .root
    ) throws -> LenientResult<T> {
        // Strictly first: a type that tries one form after the other must not be answered by a
        // coercion to its first form when the text has its second.
        let strict = try context(document, node)
        strict.isReporting = true
        if let value = try? strict.rootValue(type) {
            return LenientResult(value: value, coercions: strict.coercions)
        }
        let lenient = try context(document, node, isLenient: true)
        let value = try lenient.rootValue(type)
        return LenientResult(value: value, coercions: lenient.coercions)
    }

    /// Decodes the value at a path of a document leniently.
    public func decodeLeniently<T: Decodable>(
        _ type: T.Type,
        from document: Document,
        at path: String
    ) throws -> LenientResult<T> {
        try decodeLeniently(
            type,
            from: document,
            at: context(document, .root).node(at: path)
        )
    }
}
