/// Asks a content delivery network, and the target's own server when the
/// network does not do its work.
struct CDNCall {
    let transport: any Transport
    let base: CDNBase

    /// The answer of one or the other.
    ///
    /// Its `request` is the one to the target's own server in both cases, so that
    /// both are kept under one key; its `finalURL` says who answered.
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
        // Most requests have no uncommon option at all: one comparison.
        guard let base = request.options.shared?.values.cdn else {
            return try await send(request, progress: progress)
        }
        return try await CDNCall(transport: self, base: base).send(request, progress: progress)
    }
}
