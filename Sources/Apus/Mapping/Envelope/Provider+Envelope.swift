public import Documents

/// One call from a target to the data of an envelope.
///
/// The envelope is the call's, else the target's, else the provider's; without any the call fails
/// with the reason `.mapping`, kind `.envelope`, before anything is sent. `map…` throws the reason
/// `.envelope` if the server refused; `map…Result` returns that as a value.
extension Provider {
    /// What the envelope says: success, code, message, data.
    public func mapResult(
        for target: Target,
        from source: DataSource = .server,
        in envelope: ResponseEnvelope? = nil
    ) async throws(ApusError) -> EnvelopeResult {
        let envelope = try self.envelope(envelope, for: target)
        return try await value(using: EnvelopeReader(envelope: envelope), for: target, from: source)
    }

    /// What a serializer reads from the data.
    public func mapValue<S: JSONValueSerializer>(
        using serializer: S,
        for target: Target,
        from source: DataSource = .server,
        in envelope: ResponseEnvelope? = nil
    ) async throws(ApusError) -> S.Value where S.Value: Sendable {
        let enveloped = serializer.enveloped(in: try self.envelope(envelope, for: target))
        return try await value(using: enveloped, for: target, from: source)
    }

    /// What a serializer reads from the data, with what the envelope says.
    public func mapValueResult<S: JSONValueSerializer>(
        using serializer: S,
        for target: Target,
        from source: DataSource = .server,
        in envelope: ResponseEnvelope? = nil
    ) async throws(ApusError) -> Enveloped<S.Value> where S.Value: Sendable {
        let enveloped = serializer.envelopedResult(in: try self.envelope(envelope, for: target))
        return try await value(using: enveloped, for: target, from: source)
    }

    /// The data as JSON.
    public func mapJSON(
        for target: Target,
        from source: DataSource = .server,
        in envelope: ResponseEnvelope? = nil,
        at path: String? = nil
    ) async throws(ApusError) -> JSON {
        try await mapValue(
            using: JSONSerializer(at: path),
            for: target,
            from: source,
            in: envelope
        )
    }

    /// The data, or a value in it, as text.
    public func mapString(
        for target: Target,
        from source: DataSource = .server,
        in envelope: ResponseEnvelope? = nil,
        at path: String? = nil
    ) async throws(ApusError) -> String {
        try await mapValue(
            using: StringSerializer(at: path),
            for: target,
            from: source,
            in: envelope
        )
    }

    /// The data as a `Decodable` type.
    public func mapObject<T: Decodable & Sendable>(
        _ type: T.Type = T.self,
        for target: Target,
        from source: DataSource = .server,
        in envelope: ResponseEnvelope? = nil,
        at path: String? = nil,
        decoder: DocumentDecoder = DocumentDecoder()
    ) async throws(ApusError) -> T {
        let serializer = DecodableSerializer(type, at: path, decoder: decoder)
        return try await mapValue(using: serializer, for: target, from: source, in: envelope)
    }

    /// The data as a `Decodable` type, with what the envelope says.
    public func mapObjectResult<T: Decodable & Sendable>(
        _ type: T.Type = T.self,
        for target: Target,
        from source: DataSource = .server,
        in envelope: ResponseEnvelope? = nil,
        at path: String? = nil,
        decoder: DocumentDecoder = DocumentDecoder()
    ) async throws(ApusError) -> Enveloped<T> {
        let serializer = DecodableSerializer(type, at: path, decoder: decoder)
        return try await mapValueResult(using: serializer, for: target, from: source, in: envelope)
    }

    /// The data as a `Decodable` type; what is wrong in it is forgiven and noted.
    public func mapObjectLeniently<T: Decodable & Sendable>(
        _ type: T.Type = T.self,
        for target: Target,
        from source: DataSource = .server,
        in envelope: ResponseEnvelope? = nil,
        at path: String? = nil,
        decoder: DocumentDecoder = .forgiving
    ) async throws(ApusError) -> LenientResult<T> {
        let serializer = LenientSerializer(type, at: path, decoder: decoder)
        return try await mapValue(using: serializer, for: target, from: source, in: envelope)
    }

    /// The data as an array of a `Decodable` type.
    public func mapArray<T: Decodable & Sendable>(
        _ type: T.Type = T.self,
        for target: Target,
        from source: DataSource = .server,
        in envelope: ResponseEnvelope? = nil,
        at path: String? = nil,
        decoder: DocumentDecoder = DocumentDecoder()
    ) async throws(ApusError) -> [T] {
        let serializer = DecodableSerializer([T].self, at: path, decoder: decoder)
        return try await mapValue(using: serializer, for: target, from: source, in: envelope)
    }

    /// The data as an array of a `Decodable` type, with what the envelope says.
    public func mapArrayResult<T: Decodable & Sendable>(
        _ type: T.Type = T.self,
        for target: Target,
        from source: DataSource = .server,
        in envelope: ResponseEnvelope? = nil,
        at path: String? = nil,
        decoder: DocumentDecoder = DocumentDecoder()
    ) async throws(ApusError) -> Enveloped<[T]> {
        let serializer = DecodableSerializer([T].self, at: path, decoder: decoder)
        return try await mapValueResult(using: serializer, for: target, from: source, in: envelope)
    }

    /// The data as an array of a `Decodable` type; elements that cannot be read are left out and
    /// noted.
    public func mapArrayLeniently<T: Decodable & Sendable>(
        _ type: T.Type = T.self,
        for target: Target,
        from source: DataSource = .server,
        in envelope: ResponseEnvelope? = nil,
        at path: String? = nil,
        decoder: DocumentDecoder = .forgiving
    ) async throws(ApusError) -> LenientResult<[T]> {
        let serializer = LenientSerializer([T].self, at: path, decoder: decoder)
        return try await mapValue(using: serializer, for: target, from: source, in: envelope)
    }

    /// The data as a `Mappable` type or an array of it.
    public func mapMapped<T: JSONMapped & Sendable>(
        _ type: T.Type = T.self,
        for target: Target,
        from source: DataSource = .server,
        in envelope: ResponseEnvelope? = nil,
        at path: String? = nil,
        context: (any MapContext)? = nil
    ) async throws(ApusError) -> T {
        let serializer = MappedSerializer(type, at: path, context: context)
        return try await mapValue(using: serializer, for: target, from: source, in: envelope)
    }

    private func envelope(
        _ given: ResponseEnvelope?,
        for target: Target
    ) throws(ApusError) -> ResponseEnvelope {
        let inner = MultiTarget.unwrapped(target)
        if let envelope = given ?? inner.envelope ?? self.envelope { return envelope }
        throw ApusError(.mapping(.init(.envelope, detail: MappingMessages.noEnvelope)))
    }
}
