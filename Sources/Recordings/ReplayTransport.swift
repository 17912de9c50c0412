public import Apus
import Synchronization

/// Answers requests from a session instead of a server.
///
/// Equal requests get the recorded answers in their order, and then the last of
/// them again. Credentials do not count: a recording has none.
public final class ReplayTransport: Transport {
    private let session: SessionReader
    private let given = Mutex<[CacheKey: Int]>([:])

    /// Answers from a session.
    public init(_ session: SessionReader) { self.session = session }

    /// The recorded answer, its source `.replay`.
    public func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        let response = try await result(for: request).get()
        let count = response.body.count
        progress?(TransferProgress(bytesReceived: count, bytesToReceive: count))
        return response
    }

    private func result(
        for request: PreparedRequest
    ) async throws(ApusError) -> Result<Response, ApusError> {
        let key = SessionReader.key(for: request)
        do throws(RecordingError) {
            let ids = try await session.exchanges(withKey: key)
            let turn = given.withLock { given in
                given[key, default: 0] += 1
                return given[key, default: 1]
            }
            if !ids.isEmpty,
                let result = try await session.result(
                    of: ids[min(turn, ids.count) - 1],
                    for: request
                )
            {
                return result
            }
        } catch {
            throw ApusError(
                .transport(code: 0, detail: error.description),
                request: request.recordedLine
            )
        }
        throw ApusError(
            .transport(
                code: 0,
                detail: "the session \(session.path) has no answer to this request"
            ),
            request: request.recordedLine
        )
    }
}
