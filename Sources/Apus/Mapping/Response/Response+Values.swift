public import Documents

/// What an answer can be read as; each throws an `ApusError` with the reason `.mapping`, the place
/// of what was wrong, and this response attached.
extension Response {
    /// What a serializer reads.
    public func value<S: ResponseSerializer>(using serializer: S) throws(ApusError) -> S.Value {
        try serializer.serialize(self)
    }

    /// The body as text, or the string, number or boolean at a path.
    public func string(
        at path: String? = nil,
        charset: String? = nil
    ) throws(ApusError) -> String {
        try StringSerializer(at: path, charset: charset).serialize(self)
    }

    /// The body as JSON, or the value at a path.
    public func json(
        at path: String? = nil,
        failsOnEmpty: Bool = true
    ) throws(ApusError) -> JSON {
        try JSONSerializer(at: path, failsOnEmpty: failsOnEmpty).serialize(self)
    }

    /// The body, or the value at a path, as a `Decodable` type.
    public func decoded<T: Decodable>(
        _ type: T.Type = T.self,
        at path: String? = nil,
        decoder: DocumentDecoder = DocumentDecoder(),
        failsOnEmpty: Bool = true
    ) throws(ApusError) -> T {
        try DecodableSerializer(type, at: path, decoder: decoder, failsOnEmpty: failsOnEmpty)
            .serialize(self)
    }

    /// The same, forgiving what servers get wrong, with a note of each.
    public func decodedLeniently<T: Decodable>(
        _ type: T.Type = T.self,
        at path: String? = nil,
        decoder: DocumentDecoder = .forgiving
    ) throws(ApusError) -> LenientResult<T> {
        try LenientSerializer(type, at: path, decoder: decoder).serialize(self)
    }

    /// The body, or the value at a path, as a `Mappable` type or an array of it.
    public func mapped<T: JSONMapped>(
        _ type: T.Type = T.self,
        at path: String? = nil,
        context: (any MapContext)? = nil
    ) throws(ApusError) -> T {
        try MappedSerializer(type, at: path, context: context).serialize(self)
    }

    /// The same, with a note of what was passed over instead of an error.
    public func mappedNoting<T: JSONMapped>(
        _ type: T.Type = T.self,
        at path: String? = nil,
        context: (any MapContext)? = nil
    ) throws(ApusError) -> Noted<T> {
        try NotedSerializer(type, at: path, context: context).serialize(self)
    }

    /// The body as an image.
    public func image(
        decodesPixels: Bool = true,
        maximumPixels: Int = ImageSerializer.defaultMaximumPixels
    ) throws(ApusError) -> ResponseImage {
        try ImageSerializer(decodesPixels: decodesPixels, maximumPixels: maximumPixels)
            .serialize(self)
    }

    /// The body as a tree of XML.
    public func xml() throws(ApusError) -> FormattedDocument {
        try DocumentSerializer(as: .xml).serialize(self)
    }

    /// The body as a tree; without a format, of the one that the Content-Type or the body tells.
    public func document(
        as format: DocumentFormat? = nil
    ) throws(ApusError) -> FormattedDocument {
        try DocumentSerializer(as: format).serialize(self)
    }

    /// The body's bytes.
    public func bytes() throws(ApusError) -> [UInt8] { try BytesSerializer().serialize(self) }
}
