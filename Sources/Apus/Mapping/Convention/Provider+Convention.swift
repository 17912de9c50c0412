public import Documents

extension Provider {
    /// The value of the last answer to a target, by a convention with its server.
    public func value<S: ResponseSerializer, F: ResponseSerializer>(
        by convention: ServerConvention<S, F>,
        for target: Target,
        from source: DataSource = .server
    ) async throws(ServerFailure<F.Value>) -> S.Value where S.Value: Sendable {
        let response: Response
        do throws(ApusError) {
            response = try await self.response(for: target, from: source)
        } catch {
            throw convention.meaning(of: error)
        }
        return try await convention.concurrentValue(of: response)
    }

    /// A `Decodable` value of the last answer, or the one in which the server says why there is
    /// none.
    public func decoded<T: Decodable & Sendable, E: Decodable & Sendable>(
        _ type: T.Type = T.self,
        failure: E.Type,
        for target: Target,
        from source: DataSource = .server,
        at path: String? = nil,
        decoder: DocumentDecoder = DocumentDecoder()
    ) async throws(ServerFailure<E>) -> T {
        let convention = ServerConvention(
            success: DecodableSerializer(type, at: path, decoder: decoder),
            failure: DecodableSerializer(failure, decoder: decoder)
        )
        return try await value(by: convention, for: target, from: source)
    }
}

extension ServerConvention where Success.Value: Sendable {
    @concurrent func concurrentValue(
        of response: Response
    ) async throws(ServerFailure<Failure.Value>) -> Success.Value {
        try value(of: response)
    }
}
