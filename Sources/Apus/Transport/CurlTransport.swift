import Documents
import FoundationEssentials
public import HTTPTypes

/// The transport based on libcurl: HTTP/1.1 and HTTP/2, TLS, proxies, with the times of all phases.
///
/// All transfers of a transport run on one thread of its own. Nothing is loaded and no thread is started
/// before the first request. When the transport is deallocated, its transfers end with `.cancelled`.
///
/// From the first request on, the process ignores `SIGPIPE` unless it has a handler for it.
public final class CurlTransport: Transport {
    /// Settings for all requests of a transport.
    public struct Configuration: Sendable, Hashable {
        /// The most open connections; further requests wait.
        public var maximumConnections: Int
        /// The most open connections to one host.
        public var connectionsPerHost: Int
        /// The folder for bodies that exceed a request's memory limit; nil for `apus/spool` in the user's
        /// cache folder.
        public var spoolDirectory: String?
        /// The `User-Agent` of requests that do not set it.
        ///
        /// The default is the name of the executable and the version of Apus: `shop apus/0.1.0`.
        public var userAgent: String
        /// Whether requests are sent only with their own fields, without the transport's `User-Agent`,
        /// `Accept` and `Expect`.
        ///
        /// `Host` and the body's length are always sent.
        public var sendsOnlyGivenFields: Bool
        /// The most bytes that all headers and trailers of a transfer may have, including redirects and
        /// interim responses.
        ///
        /// Default 1 MiB. libcurl itself rejects a line of more than 100 KiB.
        public var maximumHeaderSize: Int
        /// The most lines that they may have.
        ///
        /// Default 10,000.
        public var maximumHeaderLines: Int
        /// The limits for decoding bodies.
        var decodingLimits = DecodingLimits()
        /// The most connections that the available file descriptors allow; nil to compute it from the
        /// process's limit.
        var connectionsByDescriptors: Int?

        /// Makes a configuration; omitted values have their defaults.
        public init(
            maximumConnections: Int = 256,
            connectionsPerHost: Int = 128,
            spoolDirectory: String? = nil,
            userAgent: String? = nil,
            sendsOnlyGivenFields: Bool = false,
            maximumHeaderSize: Int = 1 << 20,
            maximumHeaderLines: Int = 10_000
        ) {
            self.maximumConnections = maximumConnections
            self.connectionsPerHost = connectionsPerHost
            self.spoolDirectory = spoolDirectory
            self.userAgent = userAgent ?? RunningProgram.userAgent
            self.sendsOnlyGivenFields = sendsOnlyGivenFields
            self.maximumHeaderSize = maximumHeaderSize
            self.maximumHeaderLines = maximumHeaderLines
        }
    }

    private let engine: CurlEngine
    private let spool: SpoolFolder

    /// Makes a transport; nothing is opened yet.
    public init(_ configuration: Configuration = Configuration()) {
        engine = CurlEngine(configuration)
        spool = SpoolFolder.at(configuration.spoolDirectory)
    }

    deinit { engine.stop() }

    /// An executor that runs tasks on the transport's own thread, for load tests.
    ///
    /// There is no thread switch between a response and the next request, which saves processor time, most
    /// of all when few requests are running.
    ///
    /// ```swift
    /// await withTaskExecutorPreference(transport.executor) { … }
    /// ```
    /// Nothing that computes for long or blocks may run there, because all transfers of the transport wait
    /// for it.
    public var executor: any TaskExecutor { engine }

    /// A quarter of the connections, at most 8, because a server that does not respond keeps them occupied.
    public var backgroundLimit: Int {
        let configuration = engine.configuration
        return min(8, min(configuration.maximumConnections, configuration.connectionsPerHost) / 4)
    }

    /// `Host`, `User-Agent`, `Accept`, `Accept-Encoding` and the body's length, unless the request sets
    /// them itself.
    ///
    /// Fields that libcurl adds while sending are not included: cookies of a jar, responses to challenges,
    /// and whatever an HTTP version itself needs.
    public func addedFields(to request: PreparedRequest) -> HTTPFields {
        engine.configuration.addedFields(to: request)
    }

    /// Ends the thread.
    ///
    /// Transfers in flight and all later ones end with the reason `.cancelled`. Does not wait for the thread.
    public func shutdown() { engine.stop() }

    /// Sends a request and waits for the whole response.
    public func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        let began = ContinuousClock.now
        guard !Self.changesProxies(request) else {
            return try await sendHops(of: request, since: began, progress)
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
            },
            observer: ObservedResponses.observer
        )
        let result: Result<Response, ApusError> = await withTaskCancellationHandler {
            // Unchecked, because this runs for every transfer, and each ends exactly once.
            await withUnsafeContinuation { continuation in
                sink.waiter = continuation
                engine.post(.start(transfer))
            }
        } onCancel: {
            // This may run before the start; a cancelled transfer does not start.
            engine.post(.cancel(transfer))
        }
        guard let diversion = transfer.diversion else { return try result.get() }
        return try await sendHops(of: request, after: diversion, since: began, progress)
    }

    /// Sends a request and returns when the response's header has arrived.
    ///
    /// The body may be read by one iterator; the request's `destination` and `memoryLimit` are ignored.
    /// Dropping the iterator or the unread response ends the transfer.
    public func stream(_ request: PreparedRequest) async throws(ApusError) -> StreamedResponse {
        let began = ContinuousClock.now
        guard !Self.changesProxies(request) else {
            return try await streamHops(of: request, since: began)
        }
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
        if let diversion = transfer.diversion {
            return try await streamHops(of: request, after: diversion, since: began)
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
            if let value, !given.contains(name), !request.omits(name) { fields[name] = value }
        }
        if let host = HTTPField.Name("Host") { add(host, request.head.hostField) }
        if !sendsOnlyGivenFields {
            add(.userAgent, userAgent)
            add(.accept, "*/*")
        }
        if request.decodesBody { add(.acceptEncoding, BodyDecoder.Coding.accepted) }
        // If the body's file is missing, the request fails when it is sent.
        if given[.transferEncoding]?.asciiLowercased != "chunked",
            let body = try? UploadSource(request.body),
            body.count >= 0,
            request.body != .none || [.post, .put, .patch].contains(request.head.method)
        {
            add(.contentLength, "\(body.count)")
        }
        return fields
    }
}

// MARK: Redirects that libcurl does not follow

// libcurl 7.88 sends the user and password of the first hop's proxy to the proxies of later hops too, and
// the environment may name a different proxy for another scheme. With a handle of its own, each hop has no
// other proxy's password. It also resolves some locations differently (`CurlTransfer.diverts`).
extension CurlTransport {
    /// Whether a redirect may lead from a proxy with a password to another proxy.
    private static func changesProxies(_ request: PreparedRequest) -> Bool {
        ProxyEnvironment.current.hasCredentials && request.options.maximumRedirects > 0
            && request.options.proxy == nil
    }

    private func sendHops(
        of request: PreparedRequest,
        after diversion: RedirectDiversion? = nil,
        since began: ContinuousClock.Instant,
        _ progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        var hops = try HopSequence(request, after: diversion, since: began)
        while true {
            let start = ContinuousClock.now
            let response: Response
            do throws(ApusError) {
                response = try await send(hops.next, progress: progress)
            } catch {
                throw hops.failure(error)
            }
            if let last = try hops.last(response, from: start) { return last }
        }
    }

    private func streamHops(
        of request: PreparedRequest,
        after diversion: RedirectDiversion? = nil,
        since began: ContinuousClock.Instant
    ) async throws(ApusError) -> StreamedResponse {
        var hops = try HopSequence(request, after: diversion, since: began)
        while true {
            let start = ContinuousClock.now
            let answer: StreamedResponse
            do throws(ApusError) {
                answer = try await stream(hops.next)
            } catch {
                throw hops.failure(error)
            }
            if try hops.last(hops.response(answer.head), from: start) != nil { return answer }
        }
    }
}
