/// Asks a content delivery network, and the target's own server if the network fails.
struct CDNCall {
    let transport: any Transport
    let base: CDNBase

    /// Returns the response of the network or the server.
    ///
    /// Its `request` is always the one to the target's own server, so that both are cached under one key;
    /// `finalURL` says which responded.
    func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        guard let first = base.request(for: request) else {
            return try await transport.send(request, progress: progress)
        }
        let result: Result<Response, ApusError>
        do throws(ApusError) {
            var response = try await transport.send(first, progress: progress)
            response.request = request
            result = .success(response)
        } catch {
            result = .failure(error)
        }
        guard CDNFallback.asksOrigin(after: result, of: request), !Task.isCancelled else {
            return try result.get()
        }
        return try await transport.send(request, progress: progress)
    }
}

extension Transport {
    /// Sends a request, through a content delivery network if it has one.
    func carry(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        // Most requests have no rare options, so this is a single comparison.
        guard let base = request.options.shared?.value.cdn else {
            return try await send(request, progress: progress)
        }
        return try await CDNCall(transport: self, base: base).send(request, progress: progress)
    }
}
