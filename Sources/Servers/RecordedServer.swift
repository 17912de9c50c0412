package import Apus
import FoundationEssentials
package import HTTPServing
import HTTPTypes
package import Recordings
import Secrets
import Synchronization

/// Answers requests as a recorded server did.
///
/// A request that was not recorded gets a 404 that names the most similar recorded one, or is sent to another
/// server, whose response is recorded.
package final class RecordedServer: Sendable {
    /// The server that gets the requests that were not recorded.
    package struct Fallback: Sendable {
        /// The base URL of the server.
        package let base: UpstreamBase
        fileprivate let options: TransportOptions

        /// Makes a fallback to the server at a URL.
        ///
        /// - Throws: `ServerError` if it is not the URL of a server.
        package init(url: String, options: TransportOptions = TransportOptions()) throws {
            base = try UpstreamBase(url)
            self.options = options
        }

        /// The request to send there.
        ///
        /// The engine asks for compressed bodies and decodes them, so that a search of the recording finds their
        /// text.
        fileprivate func request(_ request: PreparedRequest) -> PreparedRequest {
            var request = request
            request.head = base.head(request.head)
            request.head.headerFields[.acceptEncoding] = nil
            request.head.headerFields.removeHopByHop()
            request.options = options
            request.options.maximumRedirects = 0
            return request
        }
    }

    /// The largest request body, in bytes, that is not refused.
    private static let requestLimit = 64 << 20
    /// Request bodies that take at most this many bytes of memory are always read.
    private static let smallRequest = 64 << 10
    /// How many bytes of response bodies are held in memory.
    private static let memoryLimit = 64 << 20

    private let history: History
    private let replay: ReplayTransport
    private let fallback: Fallback?
    private let keepsDelay: Bool
    private let memory: Int
    private let log: @Sendable (ServedRequest) -> Void
    /// How many bytes of memory request bodies take now.
    private let held = Mutex(0)
    private let answers = Mutex((byID: [RecordedExchange.ID: Answer](), size: 0))

    /// Makes a server that answers from a session of a history.
    ///
    /// - Parameters:
    ///   - history: the history with the session.
    ///   - session: the recorded session.
    ///   - fallback: the server for requests that were not recorded; nil to answer them with a 404.
    ///   - transport: the transport for the fallback.
    ///   - keepsDelay: whether a response takes at least as long as when it was recorded.
    ///   - memory: how many bytes all request bodies may take together. Above this, large ones are refused.
    ///   - log: called with each request, just before its response is written.
    package init(
        _ history: History,
        session: RecordedSession.ID,
        fallback: Fallback? = nil,
        through transport: any Transport = CurlTransport(.init(sendsOnlyGivenFields: true)),
        keepsDelay: Bool = false,
        memory: Int = 256 << 20,
        log: @escaping @Sendable (ServedRequest) -> Void = { _ in }
    ) {
        self.history = history
        self.fallback = fallback
        self.keepsDelay = keepsDelay
        self.memory = memory
        self.log = log
        replay = ReplayTransport(
            history,
            session: session,
            matching: .path,
            unmatched: fallback == nil ? .fail : .sendAndRecord(through: transport)
        )
    }

    /// Answers a request.
    package func answer(_ request: IncomingRequest, _ writer: ResponseWriter) async throws {
        let start = ContinuousClock.now
        let answer = try await answer(to: request)
        if keepsDelay { try await Task.sleep(until: start + answer.duration) }
        log(ServedRequest(request.head, answer.head?.status.code, answer.source))
        // Where the recorded server cut the connection, it is cut.
        guard var head = answer.head else { throw ConnectionError.cut }
        CrossOrigin.allow(request.head, in: &head)
        guard answer.isWhole else {
            try await writer.begin(head)
            try await writer.write(answer.body)
            throw ConnectionError.cut
        }
        guard !answer.trailers.isEmpty else { return try await writer.send(head, answer.body) }
        // Only a body in chunks can have trailers (RFC 9112, section 7.1.2).
        head.headerFields[.contentLength] = nil
        try await writer.begin(head)
        try await writer.write(answer.body)
        try await writer.end(trailers: answer.trailers)
    }

    private func answer(to request: IncomingRequest) async throws -> Answer {
        var reserved = 0
        defer { held.withLock { $0 -= reserved } }
        let body = try await request.body.collect(upTo: Self.requestLimit) { size in
            let hasRoom = held.withLock { held in
                guard reserved + size <= Self.smallRequest || held + size <= memory else {
                    return false
                }
                held += size
                return true
            }
            guard hasRoom else {
                throw HTTPError(503, "apus serve: too many large requests at once.")
            }
            reserved += size
        }
        return try await answer(
            to: PreparedRequest(head: request.head, body: body.isEmpty ? .none : .bytes(body))
        )
    }

    private func answer(to asked: PreparedRequest) async throws -> Answer {
        if let answer = try await recorded(asked) { return answer }
        if asked.head.method == .head {
            var got = asked
            got.head.method = .get
            if let answer = try await recorded(got) { return answer }
        }
        if let preflight = CrossOrigin.preflight(asked.head) { return preflight }
        guard let fallback else { return try await unknown(asked) }
        let sent = fallback.request(asked)
        do throws(ApusError) {
            return try Answer(try await replay.sendUnmatched(sent), isKept: true, "fallback")
        } catch {
            return Answer.text(
                UpstreamFailure.status(of: error),
                UpstreamFailure.text(error),
                "fallback"
            )
        }
    }

    private func recorded(_ asked: PreparedRequest) async throws -> Answer? {
        guard let id = try await replay.exchange(answering: asked) else { return nil }
        if let answer = answers.withLock({ $0.byID[id] }) { return answer }
        guard let whole = try await history.fetchedExchange(id) else { return nil }
        let answer = try Answer(whole)
        // A body that cannot be fetched now may be later.
        guard whole.remoteBody == nil else { return answer }
        return answers.withLock { answers in
            // Another request may have read it meanwhile. Hold it only once.
            if let answer = answers.byID[id] { return answer }
            if answers.size + answer.body.count > Self.memoryLimit { answers = ([:], 0) }
            answers.byID[id] = answer
            answers.size += answer.body.count
            return answer
        }
    }

    private func unknown(_ asked: PreparedRequest) async throws -> Answer {
        let line = asked.head.path.map { "\(asked.head.method.rawValue) \($0)" } ?? ""
        var text = "apus serve: the recording has no response to\n  \(line)\n"
        if let nearest = try await replay.nearest(to: asked) {
            text += "\nThe most similar recorded request is exchange \(nearest.exchange):\n"
            text += "  \(nearest.request)\nIt differs in:\n"
            text += nearest.differences.map { "  \($0)\n" }.joined()
        } else {
            text += "\nThe session is empty.\n"
        }
        return Answer.text(404, String(text.dropLast()), "not recorded")
    }
}

/// The outcome of a request, for a line of the log.
package struct ServedRequest: Sendable {
    /// The method as the client sent it.
    package let method: String
    /// The path and query, with secrets masked.
    package let path: String
    /// The status of the response; nil if the connection was cut without a response.
    package let status: Int?
    /// Where the response came from, or why there is none.
    package let source: String

    init(_ head: HTTPRequest, _ status: Int?, _ source: String) {
        method = head.method.rawValue
        path = CredentialMask().masking(url: head.path ?? "/")
        self.status = status
        self.source = source
    }
}

extension RecordedServer {
    /// A response to send.
    fileprivate struct Answer: Sendable {
        /// Nil if the recorded server did not respond.
        var head: HTTPResponse?
        var body: [UInt8] = []
        var isWhole = true
        /// The lines to send after the body.
        var trailers: [String] = []
        var duration = Duration.zero
        var source: String

        init(head: HTTPResponse?, source: String) {
            self.head = head
            self.source = source
        }

        /// Makes a response from a recorded exchange.
        init(_ whole: ExchangeDetails) throws {
            let source = "exchange \(whole.exchange.id)"
            if let damage = whole.damage.first, whole.unkeptSize != nil {
                self = .text(502, "apus serve: \(source): \(damage)", source)
                return
            }
            if let size = whole.unkeptSize {
                let text =
                    "apus serve: the response's body, \(size) bytes, was too large to be kept"
                self = .text(502, text, source)
                return
            }
            if let response = whole.response {
                try self.init(response, isKept: whole.exchange.errorCode == nil, source)
            } else {
                self.init(head: nil, source: "\(source): \(whole.errorText ?? "no response")")
            }
            duration = whole.exchange.duration
        }

        /// Makes a response from a server's one, with its header fields changed to fit the decoded body.
        init(_ response: Response, isKept: Bool, _ source: String) throws(ApusError) {
            guard response.status >= 200 else {
                // A client would not accept an interim response as the response.
                let text =
                    "apus serve: the response was a \(response.status), which is only interim"
                self = .text(502, text, source)
                return
            }
            self.source = source
            body = try response.body.load()
            isWhole = isKept
            var head = response.head
            let length = head.headerFields[.contentLength]
            head.headerFields.removeHopByHop()
            let isCoded = response.body.decoded(head.headerFields, limit: .max) != nil
            // What is in an unknown coding was kept as it came.
            if !isCoded, !body.isEmpty, !head.headerFields.hasUnknownCoding {
                head.headerFields[.contentEncoding] = nil
            }
            // The length in a response to HEAD is that of a body that is not sent.
            let hasBody =
                ![204, 304].contains(head.status.code) && response.request.head.method != .head
            if isWhole { head.headerFields[.contentLength] = hasBody ? "\(body.count)" : length }
            if hasBody { trailers = Self.trailers(of: response) }
            self.head = head
        }

        /// The recorded trailers that may be sent: fields that do not frame the message (RFC 9110, section 6.5.1).
        ///
        /// The recording may come from elsewhere, so a line must be a field.
        private static func trailers(of response: Response) -> [String] {
            (response.metrics?.trailers ?? []).compactMap { HTTPField(line: $0) }
                .filter { !framing.contains($0.name) }
                .map { "\($0.name.rawName): \($0.value)" }
        }

        private static let framing: Set<HTTPField.Name> = [
            .contentLength, .transferEncoding, .contentEncoding, .contentType, .contentRange,
            .trailer, .connection, .upgrade, .setCookie,
        ]

        static func text(_ status: Int, _ text: String, _ source: String) -> Answer {
            let (head, body) = HTTPError.answer(status, text)
            var answer = Answer(head: head, source: source)
            answer.body = body
            return answer
        }
    }

    /// The fields that a browser needs to give responses to a page of another origin (WHATWG Fetch, "CORS
    /// protocol").
    ///
    /// Recorded fields are kept. If there are none, because the recorded request was not sent by a browser,
    /// everything is allowed.
    fileprivate enum CrossOrigin {
        static func allow(_ request: HTTPRequest, in head: inout HTTPResponse) {
            guard let origin = request.headerFields[.origin],
                !head.headerFields.contains(.accessControlAllowOrigin)
            else { return }
            head.headerFields[.accessControlAllowOrigin] = origin
            head.headerFields[.accessControlAllowCredentials] = "true"
            let names = Set(head.headerFields.map(\.name.canonicalName)).sorted()
            head.headerFields[.accessControlExposeHeaders] = names.joined(separator: ", ")
            head.headerFields.append(HTTPField(name: .vary, value: "Origin"))
        }

        /// The response to a browser's preflight request; nil for any other request.
        static func preflight(_ request: HTTPRequest) -> Answer? {
            guard request.method == .options, let origin = request.headerFields[.origin],
                let method = request.headerFields[.accessControlRequestMethod]
            else { return nil }
            var head = HTTPResponse(status: .noContent)
            head.headerFields[.accessControlAllowOrigin] = origin
            head.headerFields[.accessControlAllowMethods] = method
            head.headerFields[.accessControlAllowHeaders] =
                request.headerFields[.accessControlRequestHeaders]
            head.headerFields[.accessControlAllowCredentials] = "true"
            head.headerFields[.vary] = "Origin"
            return Answer(head: head, source: "preflight")
        }
    }
}
