public import Documents

/// One call from a target to a value; each throws what the exchange ends with, or an `ApusError`
/// with the reason `.mapping`. The value is read off the calling actor.
extension Provider {
    /// What a serializer reads from the last answer to a target.
    public func value<S: ResponseSerializer>(
        using serializer: S,
        for target: Target,
        from source: DataSource = .server
    ) async throws(ApusError) -> S.Value where S.Value: Sendable {
        try await serializer.serializeConcurrently(response(for: target, from: source))
    }

    /// The same, never throwing, with the answer beside the value.
    public func mappedResponse<S: ResponseSerializer>(
        using serializer: S,
        for target: Target,
        from source: DataSource = .server
    ) async -> MappedResponse<S.Value> where S.Value: Sendable {
        let response: Response
        do throws(ApusError) {
            response = try await self.response(for: target, from: source)
        } catch {
            return MappedResponse(response: error.response, result: .failure(error))
        }
        return await serializer.mappedConcurrently(response)
    }

    /// The body as text, or the string, number or boolean at a path.
    public func string(
        for target: Target,
        from source: DataSource = .server,
        at path: String? = nil
    ) async throws(ApusError) -> String {
        try await value(using: StringSerializer(at: path), for: target, from: source)
    }

    /// The body as JSON, or the value at a path.
    public func json(
        for target: Target,
        from source: DataSource = .server,
        at path: String? = nil,
        failsOnEmpty: Bool = true
    ) async throws(ApusError) -> JSON {
        let serializer = JSONSerializer(at: path, failsOnEmpty: failsOnEmpty)
        return try await value(using: serializer, for: target, from: source)
    }

    /// The body, or the value at a path, as a `Decodable` type.
    public func decoded<T: Decodable & Sendable>(
        _ type: T.Type = T.self,
        for target: Target,
        from source: DataSource = .server,
        at path: String? = nil,
        decoder: DocumentDecoder = DocumentDecoder(),
        failsOnEmpty: Bool = true
    ) async throws(ApusError) -> T {
        let serializer = DecodableSerializer(
            type,
            at: path,
            decoder: decoder,
            failsOnEmpty: failsOnEmpty
        )
        return try await value(using: serializer, for: target, from: source)
    }

    /// The same, forgiving what servers get wrong, with a note of each.
    public func decodedLeniently<T: Decodable & Sendable>(
        _ type: T.Type = T.self,
        for target: Target,
        from source: DataSource = .server,
        at path: String? = nil,
        decoder: DocumentDecoder = .forgiving
    ) async throws(ApusError) -> LenientResult<T> {
        let serializer = LenientSerializer(type, at: path, decoder: decoder)
        return try await value(using: serializer, for: target, from: source)
    }

    /// The body, or the value at a path, as a `Mappable` type or an array of it.
    public func mapped<T: JSONMapped & Sendable>(
        _ type: T.Type = T.self,
        for target: Target,
        from source: DataSource = .server,
        at path: String? = nil,
        context: (any MapContext)? = nil
    ) async throws(ApusError) -> T {
        let serializer = MappedSerializer(type, at: path, context: context)
        return try await value(using: serializer, for: target, from: source)
    }

    /// The body as an image.
    public func image(
        for target: Target,
        from source: DataSource = .server,
        decodesPixels: Bool = true,
        maximumPixels: Int = ImageSerializer.defaultMaximumPixels
    ) async throws(ApusError) -> ResponseImage {
        let serializer = ImageSerializer(
            decodesPixels: decodesPixels,
            maximumPixels: maximumPixels
        )
        return try await value(using: serializer, for: target, from: source)
    }

    /// The body as a tree of XML.
    public func xml(
        for target: Target,
        from source: DataSource = .server
    ) async throws(ApusError) -> FormattedDocument {
        try await value(using: DocumentSerializer(as: .xml), for: target, from: source)
    }

    /// The body as a tree; without a format, of the one that the Content-Type or the body tells.
    public func document(
        as format: DocumentFormat? = nil,
        for target: Target,
        from source: DataSource = .server
    ) async throws(ApusError) -> FormattedDocument {
        try await value(using: DocumentSerializer(as: format), for: target, from: source)
    }
}
