public import Documents

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
        let serializer = MappedSerializer(type, at: path, context: context)
        return try mapValue(using: serializer, in: envelope)
    }
}
