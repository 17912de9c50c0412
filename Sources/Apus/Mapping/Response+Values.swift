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
        try MappableSerializer(type, at: path, context: context).serialize(self)
    }

    /// The same, with a note of what was passed over instead of an error.
    public func mappedNoting<T: JSONMapped>(
        _ type: T.Type = T.self,
        at path: String? = nil,
        context: (any MapContext)? = nil
    ) throws(ApusError) -> Noted<T> {
        try LenientMappableSerializer(type, at: path, context: context).serialize(self)
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

/// What comes out of a batch or a chain, read as a value.
extension Result where Success == Response, Failure == ApusError {
    /// What a serializer reads, with the answer beside it.
    public func mapped<S: ResponseSerializer>(using serializer: S) -> MappedResponse<S.Value> {
        MappedResponse(self, using: serializer)
    }

    /// A `Decodable` value, or the one at a path, with the answer beside it.
    public func decoded<T: Decodable>(
        as type: T.Type = T.self,
        at path: String? = nil,
        decoder: DocumentDecoder = DocumentDecoder()
    ) -> MappedResponse<T> {
        mapped(using: DecodableSerializer(type, at: path, decoder: decoder))
    }
}

/// What the data of an envelope can be read as.
///
/// `map…` throws the reason `.envelope` if the server refused; `map…Result` returns that as a value.
/// Each reads strictly and throws the reason `.mapping` with the place of what is wrong;
/// `…Leniently` forgives it with a note. A path leads on from the data.
extension Response {
    /// What the envelope says: success, code, message, data.
    public func mapResult(in envelope: ResponseEnvelope) throws(ApusError) -> EnvelopeResult {
        try envelope.read(self)
    }

    /// What a serializer reads from the data.
    public func mapValue<S: JSONValueSerializer>(
        using serializer: S,
        in envelope: ResponseEnvelope
    ) throws(ApusError) -> S.Value {
        try serializer.enveloped(in: envelope).serialize(self)
    }

    /// What a serializer reads from the data, with what the envelope says.
    public func mapValueResult<S: JSONValueSerializer>(
        using serializer: S,
        in envelope: ResponseEnvelope
    ) throws(ApusError) -> Enveloped<S.Value> {
        try serializer.envelopedResult(in: envelope).serialize(self)
    }

    /// The data as JSON.
    public func mapJSON(
        in envelope: ResponseEnvelope,
        at path: String? = nil
    ) throws(ApusError) -> JSON {
        try mapValue(using: JSONSerializer(at: path), in: envelope)
    }

    /// The data, or a value in it, as text.
    public func mapString(
        in envelope: ResponseEnvelope,
        at path: String? = nil
    ) throws(ApusError) -> String {
        try mapValue(using: StringSerializer(at: path), in: envelope)
    }

    /// The data as a `Decodable` type.
    public func mapObject<T: Decodable>(
        _ type: T.Type = T.self,
        in envelope: ResponseEnvelope,
        at path: String? = nil,
        decoder: DocumentDecoder = DocumentDecoder()
    ) throws(ApusError) -> T {
        let serializer = DecodableSerializer(type, at: path, decoder: decoder)
        return try mapValue(using: serializer, in: envelope)
    }

    /// The data as a `Decodable` type, with what the envelope says.
    public func mapObjectResult<T: Decodable>(
        _ type: T.Type = T.self,
        in envelope: ResponseEnvelope,
        at path: String? = nil,
        decoder: DocumentDecoder = DocumentDecoder()
    ) throws(ApusError) -> Enveloped<T> {
        let serializer = DecodableSerializer(type, at: path, decoder: decoder)
        return try mapValueResult(using: serializer, in: envelope)
    }

    /// The data as a `Decodable` type; what is wrong in it is forgiven and noted.
    public func mapObjectLeniently<T: Decodable>(
        _ type: T.Type = T.self,
        in envelope: ResponseEnvelope,
        at path: String? = nil,
        decoder: DocumentDecoder = .forgiving
    ) throws(ApusError) -> LenientResult<T> {
        let serializer = LenientSerializer(type, at: path, decoder: decoder)
        return try mapValue(using: serializer, in: envelope)
    }

    /// The data as an array of a `Decodable` type.
    public func mapArray<T: Decodable>(
        _ type: T.Type = T.self,
        in envelope: ResponseEnvelope,
        at path: String? = nil,
        decoder: DocumentDecoder = DocumentDecoder()
    ) throws(ApusError) -> [T] {
        try mapObject([T].self, in: envelope, at: path, decoder: decoder)
    }

    /// The data as an array of a `Decodable` type, with what the envelope says.
    public func mapArrayResult<T: Decodable>(
        _ type: T.Type = T.self,
        in envelope: ResponseEnvelope,
        at path: String? = nil,
        decoder: DocumentDecoder = DocumentDecoder()
    ) throws(ApusError) -> Enveloped<[T]> {
        try mapObjectResult([T].self, in: envelope, at: path, decoder: decoder)
    }

    /// The data as an array of a `Decodable` type; elements that cannot be read are left out and
    /// noted.
    public func mapArrayLeniently<T: Decodable>(
        _ type: T.Type = T.self,
        in envelope: ResponseEnvelope,
        at path: String? = nil,
        decoder: DocumentDecoder = .forgiving
    ) throws(ApusError) -> LenientResult<[T]> {
        try mapObjectLeniently([T].self, in: envelope, at: path, decoder: decoder)
    }

    /// The data as a `Mappable` type or an array of it.
    public func mapMapped<T: JSONMapped>(
        _ type: T.Type = T.self,
        in envelope: ResponseEnvelope,
        at path: String? = nil,
        context: (any MapContext)? = nil
    ) throws(ApusError) -> T {
        let serializer = MappableSerializer(type, at: path, context: context)
        return try mapValue(using: serializer, in: envelope)
    }
}
