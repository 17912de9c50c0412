public import Apus
import Secrets
import Synchronization

/// A transport that answers requests from a history instead of sending them to a server.
///
/// Equal requests get the recorded responses in order, and after that the last one again. Credentials are
/// not compared, because a recording has none.
public final class ReplayTransport: Transport {
    /// What happens to a request that was not recorded.
    public enum Unmatched: Sendable {
        /// It fails with an error that says so.
        case fail
        /// It is sent.
        case send(through: any Transport = CurlTransport())
        /// It is sent and recorded.
        case sendAndRecord(through: any Transport = CurlTransport())
    }

    private let history: History
    private let session: RecordedSession.ID?
    private let unmatched: Unmatched
    private let index: ReplayIndex
    /// Whether the history's own keys suffice, because all of a request is compared.
    private let isByKey: Bool
    private let given = Mutex<[String: Int]>([:])

    /// Makes a transport that answers from a session of a history, or from all of it if `session` is nil.
    public init(
        _ history: History,
        session: RecordedSession.ID? = nil,
        matching: Matching = .request,
        unmatched: Unmatched = .fail
    ) {
        self.history = history
        self.session = session
        self.unmatched = unmatched
        index = ReplayIndex(history, session: session, matching: matching)
        isByKey = matching.comparesHost && !matching.hasRules
    }

    /// Returns the recorded response, with the source `.replay`.
    public func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        if var response = try await recorded(request) {
            response.request = request
            let count = response.body.count
            progress?(TransferProgress(bytesReceived: count, bytesToReceive: count))
            return response
        }
        return try await sendUnmatched(request, progress: progress)
    }

    /// Handles a request that was not recorded, as `unmatched` says.
    package func sendUnmatched(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(ApusError) -> Response {
        switch unmatched {
        case .fail:
            throw ApusError(
                .recorded(code: 0, detail: await reasonUnmatched(request)),
                request: request.line
            )
        case .send(let transport): return try await transport.send(request, progress: progress)
        case .sendAndRecord(let transport):
            let (started, clock) = (history.date, ContinuousClock.now)
            let result: Result<Response, ApusError>
            do throws(ApusError) {
                result = .success(try await transport.send(request, progress: progress))
            } catch {
                result = .failure(error)
            }
            await history.record(
                ExchangeRecord(
                    started: started,
                    request: request,
                    result: result,
                    duration: clock.duration(to: .now)
                ),
                in: session
            )
            // So that the next equal request is answered. `failure` reports it if nothing can be written.
            try? await history.flush()
            return try result.get()
        }
    }

    private func recorded(_ request: PreparedRequest) async throws(ApusError) -> Response? {
        let whole: ExchangeDetails?
        do throws(RecordingError) {
            guard let id = try await exchange(answering: request) else { return nil }
            whole = try await history.fetchedExchange(id)
            if let damage = whole?.damage.first {
                throw RecordingError(.read, path: history.path, detail: damage)
            }
        } catch {
            throw ApusError(.recorded(code: 0, detail: error.description), request: request.line)
        }
        return try whole?.result.get()
    }

    /// The exchange that answers a request this time; nil if the request was not recorded.
    package func exchange(
        answering request: PreparedRequest
    ) async throws(RecordingError) -> RecordedExchange.ID? {
        guard isByKey else { return try await index.answer(to: request) }
        // A request whose body cannot be read matches nothing.
        guard
            let key = try? ExchangeRow.key(
                of: request,
                mask: history.mask,
                bodyLimit: history.limits.bodySize
            )
        else { return nil }
        let ids = try await history.exchanges(withKey: key, in: session)
        guard !ids.isEmpty else { return nil }
        let turn = given.withLock { given in
            given[key, default: 0] += 1
            return given[key, default: 1]
        }
        return ids[min(turn, ids.count) - 1]
    }

    /// The recorded request that differs least from an unmatched one; nil if nothing is recorded.
    package func nearest(
        to request: PreparedRequest
    ) async throws(RecordingError) -> NearestRequest? {
        try await index.nearest(to: request)
    }

    /// Says that a request was not recorded, and how the nearest one that was differs, without secrets.
    private func reasonUnmatched(_ request: PreparedRequest) async -> String {
        let text = "the recording \(history.path) has no such request"
        var shown = history.mask.masking(request)
        if case .bytes(let bytes) = shown.body, !request.hasForm {
            shown.body = .bytes(CredentialMask.maskingMembers(of: bytes, with: history.mask))
        }
        // If the history cannot be read, that it has no response is all that is known.
        guard let nearest = try? await nearest(to: shown) else { return text }
        let differences = nearest.differences.prefix(Self.shownDifferences)
        let rest = nearest.differences.count - differences.count
        return """
            \(text); the nearest is \(nearest.exchange), \(nearest.request): \
            \(differences.joined(separator: "; "))\(rest > 0 ? "; and \(rest) more" : "")
            """
    }

    private static let shownDifferences = 5
}

extension Transport where Self == ReplayTransport {
    /// Answers from a session of a history instead of a server, or from all of it if `session` is nil.
    public static func replaying(
        _ history: History,
        session: RecordedSession.ID? = nil,
        matching: ReplayTransport.Matching = .request,
        unmatched: ReplayTransport.Unmatched = .fail
    ) -> ReplayTransport {
        ReplayTransport(history, session: session, matching: matching, unmatched: unmatched)
    }
}
