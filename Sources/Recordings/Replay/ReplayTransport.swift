public import Apus
import Glibc
import HTTPTypes
import Synchronization

/// Answers requests from a history instead of a server.
///
/// Equal requests get the recorded answers in their order, then the last one again. Credentials are not
/// compared, since a recording has none.
public final class ReplayTransport: Transport {
    /// What becomes of a request that was not recorded.
    public enum Unmatched: Sendable {
        /// It fails, and the error says so.
        case fail
        /// It is sent.
        case send(through: any Transport = CurlTransport())
        /// It is sent, and recorded.
        case sendAndRecord(through: any Transport = CurlTransport())
    }

    /// Which recorded requests answer a request.
    public enum Matching: Sendable {
        /// Those of the same method, URL and body, whose `Accept` and `Accept-Language` are the same.
        case request
        /// Those of the same method, path, query and body, to whatever host.
        ///
        /// A 304 answers only a request with a condition, a 206 one with the same `Range`; where a
        /// recorded request has a mask for a secret, anything is equal in its place.
        case path
    }

    private let history: History
    private let session: RecordedSession.ID?
    private let unmatched: Unmatched
    /// Nil for `.request`, whose keys the history has.
    private let index: ReplayIndex?
    private let given = Mutex<[String: Int]>([:])

    /// Answers from a session of a history; nil for all of it.
    public init(
        _ history: History,
        session: RecordedSession.ID? = nil,
        matching: Matching = .request,
        unmatched: Unmatched = .fail
    ) {
        self.history = history
        self.session = session
        self.unmatched = unmatched
        index = matching == .path ? ReplayIndex(history, session: session) : nil
    }

    /// The recorded answer, its source `.replay`.
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

    /// Fails or sends a request that was not recorded, as `unmatched` says.
    package func sendUnmatched(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)? = nil
    ) async throws(ApusError) -> Response {
        switch unmatched {
        case .fail:
            throw ApusError(
                .recorded(code: 0, detail: "the recording \(history.path) has no such request"),
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
            // So that an equal request after it is answered; `failure` tells what cannot be written.
            try? await history.flush()
            return try result.get()
        }
    }

    private func recorded(_ request: PreparedRequest) async throws(ApusError) -> Response? {
        let whole: RecordedWhole?
        do throws(RecordingError) {
            guard let id = try await exchange(answering: request) else { return nil }
            whole = try await history.exchange(id)
        } catch {
            throw ApusError(.recorded(code: 0, detail: error.description), request: request.line)
        }
        return try whole?.result.get()
    }

    /// The exchange whose answer a request gets this time; nil if it was not recorded.
    package func exchange(
        answering request: PreparedRequest
    ) async throws(RecordingError) -> RecordedExchange.ID? {
        if let index { return try await index.answer(to: request) }
        // A request whose body cannot be read matches none.
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

    /// The recorded request that differs least from one that was not recorded; nil if there is none, or
    /// requests are matched with their hosts.
    package func nearest(
        to request: PreparedRequest
    ) async throws(RecordingError) -> NearestRequest? {
        try await index?.nearest(to: request)
    }
}

extension Transport where Self == ReplayTransport {
    /// Answers from a session of a history instead of a server; without a session, from all of it.
    public static func replaying(
        _ history: History,
        session: RecordedSession.ID? = nil,
        matching: ReplayTransport.Matching = .request,
        unmatched: ReplayTransport.Unmatched = .fail
    ) -> ReplayTransport {
        ReplayTransport(history, session: session, matching: matching, unmatched: unmatched)
    }
}

/// The key that replay finds a request's exchanges by.
enum ReplayKey {
    /// The digest of a masked request, with all masks alike: it tells nothing about a secret, and an imported
    /// request has the same.
    static func digest(
        ofMasked request: Apus.PreparedRequest,
        _ body: BodyStore.Content?,
        _ mask: CredentialMask
    ) throws -> String {
        var request = request
        // Secret parameters are masked already.
        request.options = TransportOptions()
        // The user is not part of the key. To set a part of a head copies all of them.
        if let authority = request.head.authority, authority.utf8.contains(UInt8(ascii: "@")) {
            request.head.authority = authority.split(separator: "@").last.map { String($0) }
        }
        if let path = request.head.path, case let plain = NumberedMask.unnumbered(path),
            plain != path
        {
            request.head.path = plain
        }
        switch (request.body, body) {
        case (.multipart(var form), _):
            // A boundary differs each time, so a form with a secret is compared by its outline.
            form.boundary = "apus"
            var shown = request
            shown.body = .multipart(form)
            let bodies = try BodyMask(shown, nil, mask: mask, limit: .max, digests: [:])
            if case .bytes(let masked) = bodies.contents(by: mask).request, masked != form.outline {
                request.body = .bytes(NumberedMask.unnumbered(masked))
            }
        case (.bytes, .unkept(let digest, _)): request.body = .bytes(Array(digest.utf8))
        case (_, .bytes(let bytes)):
            request.body = bytes.isEmpty ? .none : .bytes(NumberedMask.unnumbered(bytes))
        default: break
        }
        return digest(of: request)
    }

    /// The digest of a request's key.
    ///
    /// The `standard` header fields do not count: a recording answers on a machine of another
    /// language, too.
    static func digest(
        of request: Apus.PreparedRequest,
        standard: HTTPFields = .standard
    ) -> String {
        var request = request
        let fields = request.head.headerFields
        let uncounted = standard.filter { fields[$0.name] == $0.value }.map(\.name)
        if !uncounted.isEmpty {
            request.head.headerFields = HTTPFields(fields.filter { !uncounted.contains($0.name) })
        }
        // Large files are not read: that would hold up the program's end.
        switch request.body {
        case .file(let path) where isLarge(path): request.body = .bytes(Array(path.utf8))
        case .multipart(let form):
            let hasLarge = form.parts.contains { part in
                if case .file(let path) = part.content { isLarge(path) } else { false }
            }
            if hasLarge { request.body = .bytes(form.outline) }
        case .none, .bytes, .file, .stream: break
        }
        return CacheKey.replayDigest(of: request)
    }

    private static func isLarge(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_size > 32 << 20
    }
}
