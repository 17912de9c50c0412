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
        let serializer = MappableSerializer(type, at: path, context: context)
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

extension Provider {
    /// The values of the answers to a target: with `.cacheAndServer` the cache's and the server's.
    public func values<S: ResponseSerializer>(
        using serializer: S,
        for target: Target,
        from source: DataSource = .server
    ) -> MappedValues<S> {
        MappedValues(events(for: target, from: source), serializer)
    }

    /// The answers to a target with their values; failures are elements too.
    public func mappedResponses<S: ResponseSerializer>(
        using serializer: S,
        for target: Target,
        from source: DataSource = .server
    ) -> MappedResponses<S> {
        MappedResponses(events(for: target, from: source), serializer)
    }
}

extension Provider {
    /// Sends a target and calls back with values.
    ///
    /// Values are read off the executor, in order.
    ///
    /// - Parameters:
    ///   - target: what is asked.
    ///   - serializer: what reads each answer.
    ///   - source: where answers come from.
    ///   - executor: where the callbacks are called, one after the other.
    ///   - progress: hears of the transfer's progress.
    ///   - completion: gets each answer with its value once, so two from `.cacheAndServer`, and a
    ///     failure once if the exchange ends with one.
    /// - Returns: what cancels it.
    @discardableResult
    public func request<S: ResponseSerializer>(
        _ target: Target,
        using serializer: S,
        from source: DataSource = .server,
        on executor: CallbackExecutor = .pool,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        completion: @escaping @Sendable (MappedResponse<S.Value>) -> Void
    ) -> RequestToken where S.Value: Sendable {
        let token = RequestToken()
        let events = events(for: target, from: source)
        token.own(
            Task {
                for await event in events {
                    let mapped = await Self.mapped(event, serializer)
                    executor.run {
                        Self.tell(event, mapped, token, progress: progress, completion: completion)
                    }
                }
            }
        )
        return token
    }

    private static func mapped<S: ResponseSerializer>(
        _ event: ExchangeEvent,
        _ serializer: S
    ) async -> MappedResponse<S.Value>? where S.Value: Sendable {
        switch event {
        case .response(let response): await serializer.mappedConcurrently(response)
        case .finished(let summary): summary.result.failure.map { .failed($0) }
        default: nil
        }
    }

    private static func tell<Value>(
        _ event: ExchangeEvent,
        _ mapped: MappedResponse<Value>?,
        _ token: RequestToken,
        progress: (@Sendable (TransferProgress) -> Void)?,
        completion: (MappedResponse<Value>) -> Void
    ) {
        var isLast = false
        switch event {
        case .willSend(let request, _): token.note(request)
        case .progress(let step): if !token.isCancelled { progress?(step) }
        case .finished: isLast = true
        default: break
        }
        guard mapped != nil || isLast else { return }
        let verdict = token.admit(isLast: isLast)
        // An end without a failure has nothing to tell.
        guard let mapped else { return }
        switch verdict {
        case .pass: completion(mapped)
        case .cancelled: completion(.failed(ApusError(.cancelled)))
        case .drop: break
        }
    }
}

extension MappedResponse {
    /// No value, with what there is of an answer.
    static func failed(_ error: ApusError) -> MappedResponse {
        MappedResponse(response: error.response, result: .failure(error))
    }
}

extension Result {
    /// Why there is no success.
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}

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
        let serializer = MappableSerializer(type, at: path, context: context)
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
