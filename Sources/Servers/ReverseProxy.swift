package import Apus
import FoundationEssentials
package import HTTPServing
import HTTPTypes
package import Recordings

/// A reverse proxy that records: it passes requests on and responses back unchanged, as they arrive.
///
/// It does not add a `Via` field, although RFC 9110, section 7.6.3, requires one of a gateway. Servers behave
/// differently if there is one (nginx does not compress), and this proxy is for observing how they behave.
package final class ReverseProxy: Sendable {
    /// Bodies of idempotent requests up to this many bytes are read before they are sent, so that they can be
    /// sent again if a reused connection turns out to be closed.
    private static let earlyLimit = 64 << 10
    /// Of bodies larger than this, only the size is kept.
    private static let bodyLimit = History.Limits().bodySize

    private static let proofs = ["Proxy-Authorization", "DPoP"].compactMap { HTTPField.Name($0) }

    /// The server behind the proxy.
    package let base: UpstreamBase
    private let options: TransportOptions
    private let transport: any Transport
    private let gateway: CachingGateway?
    private let record: @Sendable (ExchangeRecord) async -> String?
    private let log: @Sendable (ServedRequest) -> Void

    /// Makes a proxy for the server at a URL.
    ///
    /// - Parameters:
    ///   - url: `http://HOST` or `https://HOST`, without a path.
    ///   - cache: stores what HTTP allows a private cache to store; nil for no cache.
    ///   - options: the transport options. Those that would change requests or responses are overridden.
    ///   - transport: the transport for requests to the server.
    ///   - record: called with each exchange when it has ended.
    ///   - log: called with each request after that.
    /// - Throws: `ServerError` if it is not the URL of a server.
    package convenience init(
        _ url: String,
        cache: ResponseCache? = nil,
        options: TransportOptions = TransportOptions(),
        through transport: any Transport = ReverseProxy.transport,
        record: @escaping @Sendable (ExchangeRecord) async -> Void,
        log: @escaping @Sendable (ServedRequest) -> Void = { _ in }
    ) throws {
        try self.init(
            url,
            cache: cache,
            options: options,
            through: transport,
            recordingPath: { exchange in
                await record(exchange)
                return nil
            },
            log: log
        )
    }

    /// Makes a proxy whose `recordingPath` records an exchange and returns its path for the log, without the
    /// secrets that only the rest of the exchange gives away; nil leaves the path as it is.
    package init(
        _ url: String,
        cache: ResponseCache? = nil,
        options: TransportOptions = TransportOptions(),
        through transport: any Transport = ReverseProxy.transport,
        recordingPath record: @escaping @Sendable (ExchangeRecord) async -> String?,
        log: @escaping @Sendable (ServedRequest) -> Void = { _ in }
    ) throws {
        base = try UpstreamBase(url)
        self.transport = transport
        gateway = cache.map { CachingGateway($0, transport: transport) }
        self.record = record
        self.log = log
        self.options = options.with {
            // A response may take hours, for example a stream of events.
            $0.timeout = nil
            $0.maximumRedirects = 0
            $0.decodesContent = false
            // HTTP/2 has no reason phrases and makes field names lowercase.
            $0.requestedVersion = .http1
        }
    }

    /// A transport that adds nothing to requests, for many clients at once.
    package static var transport: CurlTransport {
        CurlTransport(
            .init(maximumConnections: 4096, connectionsPerHost: 4096, sendsOnlyGivenFields: true)
        )
    }

    /// Answers a request.
    package func answer(_ request: IncomingRequest, _ writer: ResponseWriter) async throws {
        // Any other upgrade, such as to HTTP/2, is an offer that can be ignored (RFC 9110, section 7.8).
        guard !request.head.headerFields.members(of: .upgrade).contains("websocket") else {
            throw HTTPError(501, "apus proxy: WebSockets are not supported.")
        }
        let (method, length) = (request.head.method, request.body.length)
        guard length == 0 || method != .head && method != .trace else {
            throw HTTPError(
                501,
                "apus proxy: a \(method.rawValue) request with a body is not supported."
            )
        }
        let started = Date()
        let clock = ContinuousClock.now
        let upload = BodyCopy(limit: Self.bodyLimit)
        var sent = PreparedRequest(head: base.head(request.head), options: options)
        sent.head.headerFields.removeHopByHop(keepsTrailers: true)
        // Only a chunked body can have trailers.
        if length != nil { sent.head.headerFields[.trailer] = nil }
        // If a reused connection ends without a response, libcurl sends a request again that has no body or one
        // that it can read again, whatever its method. A new connection prevents that.
        sent.options.beginsConnection = length == 0 && !method.isIdempotent
        let result: Result<Response, ApusError>
        do throws(ApusError) {
            sent.body = try await body(of: request, upload.reading(request.body))
            result = .success(try await answer(to: sent, writer))
        } catch {
            let isGone = Task.isCancelled || upload.isCut
            let reason = isGone ? .cancelled : error.reason
            var failure = ApusError(reason, request: error.request, response: error.response)
            failure.refusedConnection = error.refusedConnection
            result = .failure(failure)
        }
        var exchange = ExchangeRecord(
            started: started,
            request: sent,
            result: result,
            duration: clock.duration(to: .now)
        )
        if case .stream = sent.body { exchange.add(upload) }
        decode(&exchange)
        var shown = request.head
        if let path = await record(exchange) { shown.path = path }
        switch result {
        case .success(let response): log(ServedRequest(shown, response))
        case .failure(let error):
            let begun = writer.isBegun ? error.response?.status : nil
            guard error.reason != .cancelled else {
                log(ServedRequest(shown, begun, "the client went away"))
                throw error
            }
            let (status, text) = (UpstreamFailure.status(of: error), UpstreamFailure.text(error))
            let fault = upload.fault ?? HTTPError(status, text)
            log(ServedRequest(shown, begun ?? fault.status, error.reason.shortName))
            throw fault
        }
    }

    private func body(
        of request: IncomingRequest,
        _ upload: IncomingBody
    ) async throws(ApusError) -> PreparedRequest.Body {
        if upload.length == 0 { return .none }
        guard let length = upload.length else {
            return .stream(BodyStream(once: upload, trailers: upload.trailers))
        }
        guard length <= Self.earlyLimit, !request.expectsContinue,
            request.head.method.isIdempotent
        else {
            return .stream(BodyStream(count: length, once: upload))
        }
        do {
            return .bytes(try await upload.collect(upTo: length))
        } catch {
            throw ApusError(.bodySource(detail: "\(error)"))
        }
    }

    // MARK: The response

    private func answer(
        to request: PreparedRequest,
        _ writer: ResponseWriter
    ) async throws(ApusError) -> Response {
        guard let gateway else { return try await pass(request, to: writer) { _ in true } }
        var request = request
        // Elsewhere these fields do not identify an account, because they may change with each request.
        let proofs = Self.proofs.compactMap { request.head.headerFields[$0] }
        if !proofs.isEmpty { request.options.account = proofs.joined(separator: "\n") }
        let response = try await gateway.answer(request) { hop, isDelivered throws(ApusError) in
            try await self.pass(hop, to: writer, if: isDelivered)
        }
        if !writer.isBegun { try await send(response, writer) }
        return response
    }

    /// Sends a request, and passes its response on as it arrives if `isWanted` returns true for its head.
    ///
    /// - Returns: the response with the copy of its body.
    private func pass(
        _ request: PreparedRequest,
        to writer: ResponseWriter,
        if isWanted: (HTTPResponse) -> Bool
    ) async throws(ApusError) -> Response {
        let answer = try await transport.stream(request)
        guard answer.head.status.code >= 200 else {
            // The request's `Upgrade` field was not passed on.
            let detail = "it switches to another protocol, which was not requested"
            throw ApusError(.protocolViolation(detail: detail), request: request.line)
        }
        let passes = isWanted(answer.head)
        // A stored response will replace this error, so do not wait for its body, which may be endless.
        let isNeeded = passes || answer.head.status.code < 500
        let limit = passes ? Self.bodyLimit : TransportOptions.standardMaximumBodySize
        let copy = BodyCopy(limit: limit)
        var failure: (any Error)?
        do {
            if passes { try await writer.begin(answer.head.passedOn) }
            if isNeeded {
                for try await piece in answer.body {
                    copy.append(piece)
                    if passes { try await writer.write(piece) }
                    if !passes, !copy.isKept { throw ApusError(.bodyTooLarge(limit: limit)) }
                }
            }
            if passes { try await writer.end(trailers: answer.metrics?.trailers ?? []) }
        } catch {
            failure = error
        }
        var response = Response(
            request: request,
            head: answer.head,
            body: copy.body(),
            source: .server,
            isComplete: failure == nil && isNeeded,
            received: Date(),
            metrics: answer.metrics
        )
        // The cache must not store a body that was not kept.
        if gateway != nil, !copy.isKept { response.isComplete = false }
        guard let failure else { return response }
        // Any other error comes from the client's connection.
        let reason = (failure as? ApusError)?.reason ?? .cancelled
        throw ApusError(reason, request: request.line, response: response)
    }

    /// Sends a response that comes from the cache, or that the cache had to read to its end first.
    private func send(_ response: Response, _ writer: ResponseWriter) async throws(ApusError) {
        var head = response.head.passedOn
        if let hit = response.source.cacheHit {
            // RFC 9111, section 5.1.
            let age = head.headerFields[.age].flatMap { Int($0) } ?? 0
            let stay = max(0, hit.read.timeIntervalSince(hit.stored))
            head.headerFields[.age] = "\(age + Int(stay))"
        }
        let body = response.body
        do {
            try await writer.begin(head)
            for start in stride(from: 0, to: body.count, by: 256 << 10) {
                try await writer.write(body.load(start..<min(start + 256 << 10, body.count)))
            }
            try await writer.end()
        } catch {
            let reason = (error as? ApusError)?.reason ?? .cancelled
            throw ApusError(reason, request: response.request.line, response: response)
        }
    }

    // MARK: The recording

    /// Decodes the response body of an exchange, so that its text can be searched and masked.
    ///
    /// Of a body that cannot be decoded, because it was cut off, only the size is kept.
    private func decode(_ exchange: inout ExchangeRecord) {
        func decoded(_ response: Response) -> Response {
            var response = response
            let fields = response.head.headerFields
            guard fields.contains(.contentEncoding), response.body.count <= Self.bodyLimit else {
                return response
            }
            if let body = response.body.decoded(fields, limit: Self.bodyLimit) {
                response.body = body
            } else if let bytes = try? response.body.load(), !bytes.isEmpty,
                String(validating: bytes, as: UTF8.self) == nil || bytes.contains(0)
            {
                // Not text. A text body was not coded, or by a coding of the server's own, and is kept.
                exchange.imported.unkeptSize = bytes.count
                response.body = .bytes([])
            }
            return response
        }
        switch exchange.result {
        case .success(var response):
            response = decoded(response)
            response.isComplete = true
            exchange.result = .success(response)
        case .failure(let error):
            guard let response = error.response else { return }
            exchange.result = .failure(
                ApusError(error.reason, request: error.request, response: decoded(response))
            )
        }
    }
}

extension ExchangeRecord {
    /// Replaces the stream of the request's body with the copy of it; large bodies stay in files.
    fileprivate mutating func add(_ upload: BodyCopy) {
        let nothing = BodyStream(count: upload.count, once: AsyncStream { $0.finish() })
        request.body = .stream(nothing)
        guard upload.isKept else { return }
        switch upload.body() {
        case .bytes(let bytes): request.body = .bytes(bytes)
        case .file(let file):
            request.body = .file(path: file.path)
            bodyFile = file
        }
    }
}

extension HTTPResponse {
    /// The head that is passed on to the client.
    fileprivate var passedOn: HTTPResponse {
        var head = self
        head.headerFields.removeHopByHop(keepsChunks: true)
        return head
    }
}

extension ServedRequest {
    fileprivate init(_ head: HTTPRequest, _ response: Response) {
        let source =
            switch response.source {
            case .memory, .disk, .shared: "cache"
            case .gateway: "gateway"
            case .server, .stub, .replay, .synthetic: "server"
            }
        self.init(head, response.status, source)
    }
}
