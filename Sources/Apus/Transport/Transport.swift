/// What carries a request to a server and its answer back.
///
/// Cancelling the task that waits in `send` or reads a stream ends the transfer.
public protocol Transport: Sendable {
    /// Sends a request and waits for the whole answer.
    ///
    /// A body of more than `options.memoryLimit` bytes is in a file.
    ///
    /// - Parameters:
    ///   - request: what to send.
    ///   - progress: called on the transport's own thread, at most some tens of
    ///     times a second and once at the end; it must not block.
    /// - Returns: the answer, whole.
    /// - Throws: `ApusError`; what was received before the fault is attached.
    func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response

    /// Sends a request and returns when the answer's header is there; the body
    /// comes in chunks as it is read, and the server waits when nobody reads.
    ///
    /// - Throws: `ApusError` if there is no answer.
    func stream(_ request: PreparedRequest) async throws(ApusError) -> StreamedResponse
}
