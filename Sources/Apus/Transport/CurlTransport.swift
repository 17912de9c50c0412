import FoundationEssentials
public import HTTPTypes

/// The transport over libcurl: HTTP/1.1 and HTTP/2, TLS, proxies, all phases timed.
///
/// All transfers of a transport run on one thread of its own. Nothing is loaded
/// and no thread is begun before the first request; when the transport goes
/// away, its transfers end with `.cancelled`.
///
/// From the first request on the process ignores `SIGPIPE`, unless it has a
/// handler for it.
public final class CurlTransport: Transport {
    /// What holds for all requests of a transport.
    public struct Configuration: Sendable, Hashable {
        /// How many connections there are at most; further requests wait.
        public var maximumConnections: Int
        /// How many connections there are to one host at most.
        public var connectionsPerHost: Int
        /// The folder for bodies over a request's memory limit; nil for
        /// `apus/spool` in the user's cache folder.
        public var spoolDirectory: String?
        /// `User-Agent` of requests that have none of their own.
        public var userAgent: String
        /// Whether requests are sent with just the fields that they have: no `User-Agent`, `Accept`
        /// or `Expect` of the transport's.
        ///
        /// `Host`, and the body's length, are always sent.
        public var sendsOnlyGivenFields: Bool
        /// How many bytes all headers and trailers of a transfer may have, those of redirects and
        /// interim answers among them.
        ///
        /// Default 1 MiB. libcurl itself takes no line of more than 100 KiB.
        public var maximumHeaderSize: Int
        /// How many lines they may have.
        ///
        /// Default 10,000.
        public var maximumHeaderLines: Int
        /// What a body that is decoded may take.
        var decodingLimits = DecodingLimits()
        /// How many connections descriptors are there for; nil for what the process has left.
        var connectionsByDescriptors: Int?

        /// Makes a configuration; what is not given has its default.
        public init(
            maximumConnections: Int = 256,
            connectionsPerHost: Int = 128,
            spoolDirectory: String? = nil,
            userAgent: String = "apus/0.1.0",
            sendsOnlyGivenFields: Bool = false,
            maximumHeaderSize: Int = 1 << 20,
            maximumHeaderLines: Int = 10_000
        ) {
            self.maximumConnections = maximumConnections
            self.connectionsPerHost = connectionsPerHost
            self.spoolDirectory = spoolDirectory
            self.userAgent = userAgent
            self.sendsOnlyGivenFields = sendsOnlyGivenFields
            self.maximumHeaderSize = maximumHeaderSize
            self.maximumHeaderLines = maximumHeaderLines
        }
    }

    private let engine: CurlEngine
    private let spool: SpoolFolder

    /// Makes a transport that has opened nothing yet.
    public init(_ configuration: Configuration = Configuration()) {
        engine = CurlEngine(configuration)
        spool = SpoolFolder.at(configuration.spoolDirectory)
    }

    deinit { engine.stop() }

    /// Runs tasks on the transport's own thread, for load runs: no thread is
    /// changed between a request and what sends the next one, which saves
    /// processor time, most of it when few requests are under way.
    ///
    /// ```swift
    /// await withTaskExecutorPreference(transport.executor) { … }
    /// ```
    /// Nothing that computes for long or blocks may run there: all transfers of
    /// the transport wait for it.
    public var executor: any TaskExecutor { engine }

    /// A quarter of the connections, at most 8: a server that does not answer keeps them busy.
    public var backgroundLimit: Int {
        let configuration = engine.configuration
        return min(8, min(configuration.maximumConnections, configuration.connectionsPerHost) / 4)
    }

    /// `Host`, `User-Agent`, `Accept`, `Accept-Encoding` and the body's length, where the request does not
    /// say them itself.
    ///
    /// Not what libcurl makes while it sends: cookies of a jar, answers to challenges, what an HTTP
    /// version needs of its own.
    public func addedFields(to request: PreparedRequest) -> HTTPFields {
        engine.configuration.addedFields(to: request)
    }

    /// Ends the thread.
    ///
    /// Transfers in flight, and all later ones, end with the
    /// reason `.cancelled`. It does not wait.
    public func shutdown() { engine.stop() }

    /// Sends a request and waits for the whole answer, as `Transport` has it.
    public func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        guard !Self.changesProxies(request) else {
            return try await sendHops(of: request, progress)
        }
        let live = LiveBody.isWanted ? LiveBody() : nil
        let sink = CollectingSink(
            memoryLimit: request.options.memoryLimit,
            spool: spool,
            live: live
        )
        let transfer = CurlTransfer(
            request,
            sink: sink,
            progress: progress.map { progress in
                guard let live else { return progress }
                return { moved in
                    var moved = moved
                    moved.live = live
                    progress(moved)
                }
            }
        )
        let result: Result<Response, ApusError> = await withTaskCancellationHandler {
            // Unchecked, for a transfer ends exactly once, and this runs for each.
            await withUnsafeContinuation { continuation in
                sink.waiter = continuation
                engine.post(.start(transfer))
            }
        } onCancel: {
            // Before the start too: a transfer that knows it does not begin.
            engine.post(.cancel(transfer))
        }
        return try result.get()
    }

    /// Sends a request and returns when the answer's header is there.
    ///
    /// The body may be read by one iterator; `destination` and `memoryLimit` do
    /// not count here. Dropping the iterator, or the answer unread, ends the transfer.
    public func stream(_ request: PreparedRequest) async throws(ApusError) -> StreamedResponse {
        guard !Self.changesProxies(request) else { return try await streamHops(of: request) }
        let window = BodyBuffer()
        let sink = StreamingSink(window: window)
        let transfer = CurlTransfer(request, sink: sink)
        let result: Result<HTTPResponse, ApusError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                sink.waiter = continuation
                engine.post(.start(transfer))
            }
        } onCancel: {
            engine.post(.cancel(transfer))
        }
        return StreamedResponse(
            head: try result.get(),
            body: BodyChunks(lease: .init(transfer, window, engine))
        ) { window.metrics }
    }
}

extension CurlTransport.Configuration {
    fileprivate func addedFields(to request: PreparedRequest) -> HTTPFields {
        let given = request.head.headerFields
        var fields = HTTPFields()
        func add(_ name: HTTPField.Name, _ value: String?) {
            if let value, !given.contains(name) { fields[name] = value }
        }
        if let host = HTTPField.Name("Host") { add(host, request.hostField) }
        if !sendsOnlyGivenFields {
            add(.userAgent, userAgent)
            add(.accept, "*/*")
        }
        if request.decodesBody { add(.acceptEncoding, BodyDecoder.Coding.accepted) }
        // A body whose file is gone fails when it is sent.
        if given[.transferEncoding]?.lowercased() != "chunked",
            let body = try? UploadSource(request.body),
            body.count >= 0,
            request.body != .none || [.post, .put, .patch].contains(request.head.method)
        {
            add(.contentLength, "\(body.count)")
        }
        return fields
    }
}

extension PreparedRequest {
    /// The host without the user and without the scheme's own port.
    fileprivate var hostField: String {
        let authority = head.authority ?? ""
        let host =
            authority.unicodeScalars.lastIndex(of: "@")
            .map { authority[authority.unicodeScalars.index(after: $0)...] } ?? authority[...]
        let port = head.scheme == "https" ? ":443" : ":80"
        return String(host.hasSuffix(port) ? host.dropLast(port.count) : host)
    }
}

// MARK: Redirects between proxies

// libcurl 7.88 shows the user and password of the proxy of a transfer's first hop to the proxy of the
// next one, too, which the environment may name for another scheme. With a handle for each hop it
// has none to show.
extension CurlTransport {
    /// Whether a redirect may lead from a proxy with a password to another proxy.
    private static func changesProxies(_ request: PreparedRequest) -> Bool {
        ProxyEnvironment.current.hasCredentials && request.options.maximumRedirects > 0
            && request.options.proxy == nil
    }

    private func sendHops(
        of request: PreparedRequest,
        _ progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        var follower = RedirectFollower(request)
        let deadline = CurlTransfer.deadline(of: request)
        while true {
            let response = try await send(follower.hop(until: deadline), progress: progress)
            guard try !follower.follow(response) else { continue }
            var last = follower.finished(response)
            last.request = request
            return last
        }
    }

    private func streamHops(
        of request: PreparedRequest
    ) async throws(ApusError) -> StreamedResponse {
        var follower = RedirectFollower(request)
        let deadline = CurlTransfer.deadline(of: request)
        while true {
            let answer = try await stream(follower.hop(until: deadline))
            let response = Response(
                request: follower.next,
                head: answer.head,
                body: .bytes([]),
                source: .server,
                received: Date()
            )
            guard try follower.follow(response) else { return answer }
        }
    }
}

extension RedirectFollower {
    /// The next hop's own request, which has the time that all hops have together.
    fileprivate func hop(until deadline: ContinuousClock.Instant?) -> PreparedRequest {
        var hop = next.asHop
        hop.options.rare = hop.options.rare.with { $0.deadline = deadline }
        return hop
    }
}
