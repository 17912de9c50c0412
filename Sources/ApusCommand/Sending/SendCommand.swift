import Apus
import ArgumentParser
import FoundationEssentials
import Glibc
import HTTPTypes
import Recordings
import Secrets
import Synchronization
import Terminal
import Workspaces

/// `apus send TARGET|URL`: sends one request, and prints its response.
struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        _superCommandName: "apus",
        abstract: "Send a request: a workspace's target, a URL, or a curl command in quotes.",
        discussion: """
            The body goes to standard output byte for byte, as it arrives; on a terminal control \
            characters are shown as symbols, and JSON that ends within a second is indented. An \
            response without a length, such as an event stream, has no time limit after its head \
            unless --timeout sets one.

            Examples:
              apus send https://example.com/users -H 'Accept: application/json'
              apus send https://example.com/users --json-body '{"name": "Ada"}'
              apus send 'Users/Show user' --workspace demo.apus.yaml --set user=7 --json
              apus send https://example.com/file -o file --timeout 30
              apus send PUT https://example.com/users/7 -u ada:secret -d @user.json
              apus send "curl 'https://example.com/' -H 'X-A: 1'"

            A curl command is sent as it stands: it takes nothing from a workspace but the variables of \
            --workspace that it names. -F, -u, -b, -A, -G, -I, -k, -x and -d mean what they mean to curl, \
            except that -d keeps line ends.

            --json prints one object: version (1), request {method, url}, status, reason, headers \
            [[name, value], …], body or bodyBase64, source, url, redirected, timings (milliseconds), \
            and if there are any trailers, malformedHeaders, interim (1xx responses) and headersAsBytes \
            (the positions of values that are not UTF-8: their characters are bytes); \
            or version and error {code, reason, message}. Members may be added.

            Exit status: 0 a response, 1 its status is not accepted, 2 wrong usage or bad input, 20 \
            connection, 21 DNS, 22 TLS, 23 timeout, 24 not in the cache, 130 interrupted.
            """
    )

    @Argument(
        help: ArgumentHelp(
            """
            A target's name (Users/Show user), or a URL; without a scheme it is http, as in curl. Or a \
            curl command as one argument.
            """,
            valueName: "target-or-url"
        )
    )
    var request: String

    @Argument(
        help: ArgumentHelp(
            "After a method, the target or the URL: GET https://example.com/",
            valueName: "url"
        )
    )
    var second: String?

    @OptionGroup(title: "Workspace") var workspace: WorkspaceOptions
    @OptionGroup(title: "Request") var arguments: RequestArguments
    @OptionGroup(title: "Answer") var output: OutputArguments

    @Option(
        help: "Where the response comes from. Default: as the target says, or as --cache implies."
    )
    var source: SourceName?

    @Option(help: "What is cached. Default: nothing; for a target, its own policy.")
    var cache: SendCacheMode?

    @OptionGroup(title: "Cache") var policy: PolicyArguments
    @OptionGroup(title: "History") var history: HistoryOptions

    func run() throws {
        var (arguments, output) = (arguments, output)
        if arguments.curl.isHead { output.include = true }
        let subject = try RequestSubject(
            arguments.take(method: request, before: second),
            in: workspace
        )
        let sending = try SendRun(
            subject: subject,
            arguments: arguments,
            printer: ResponsePrinter(arguments: output),
            source: source?.source,
            cache: cache,
            policy: policy,
            recorder: history.recorder()
        )
        // Runs on the transport's thread: one request blocks no other, and starting Swift's threads takes 1 ms.
        try CommandRun.untilEnd(on: sending.transport.executor) { try await sending.run() }
    }
}

/// One run of `apus send`.
struct SendRun: Sendable {
    let target: OverridingTarget
    /// The origin that the history records.
    let origin: ExchangeOrigin
    let source: DataSource
    let printer: ResponsePrinter
    let retries: Int
    let recorder: HistoryRecorder
    let transport: CurlTransport
    private let attempts: AttemptLog
    /// Writes the body while it arrives; nil if it is printed when it is complete.
    private let stream: ResponseStream?

    /// Applies the arguments to the target or URL.
    init(
        subject: RequestSubject,
        arguments: RequestArguments,
        printer: ResponsePrinter,
        source: DataSource?,
        cache: SendCacheMode?,
        policy: PolicyArguments,
        recorder: HistoryRecorder
    ) throws {
        var target: OverridingTarget
        let standard: DataSource
        switch subject {
        case .url(let url):
            target = try arguments.applied(to: url, isOwn: false)
            standard = (cache ?? .none).source
            self.origin = ExchangeOrigin()
        case .target(let own, let origin):
            target = try arguments.applied(to: own, isOwn: true)
            self.origin = origin
            standard = cache?.source ?? own.source ?? .server
        }
        target.cachePolicy = policy.applied(to: cache?.policy ?? target.cachePolicy)
        target.options.tracesWire = printer.arguments.verbose
        self.target = target
        self.source = source ?? standard
        self.printer = printer
        retries = arguments.retry
        self.recorder = recorder
        transport = CurlTransport()
        stream = Self.stream(
            of: target,
            from: self.source,
            printer: printer,
            arguments: arguments,
            transport.executor
        )
        attempts = AttemptLog(stream)
    }

    /// The stream for the response; nil if it is printed only when it is complete: as JSON, or to a file.
    private static func stream(
        of target: OverridingTarget,
        from source: DataSource,
        printer: ResponsePrinter,
        arguments: RequestArguments,
        _ executor: any TaskExecutor
    ) -> ResponseStream? {
        // A content delivery network may be followed by the target's own server.
        guard !printer.arguments.json, !printer.arguments.writesFile, target.cdn == nil else {
            return nil
        }
        let mayBeReplaced = usesCache(target, source)
        let isDefault = target.options.timeout == TransportOptions.defaultTimeout
        return ResponseStream(
            printer: printer,
            hasOwnLimit: arguments.timeout != nil || !isDefault,
            executor: executor
        ) { response in
            let status = response.status
            if (300..<400).contains(status), target.options.maximumRedirects > 0,
                response.head.headerFields[.location] != nil
            {
                return false
            }
            if arguments.retry > 0, RetryPolicy.temporaryStatuses.contains(status) { return false }
            guard mayBeReplaced else { return true }
            return status != 304 && status < 500 && target.validation.accepts(response)
        }
    }

    /// Sends the request, prints the response, and returns the exit status.
    func run() async throws -> Int32 {
        let provider = Provider<MultiTarget>(
            transport: transport,
            cache: .forCommand(),
            headerFields: [:],
            interceptors: retries > 0 ? [RetryPolicy(limit: retries), attempts] : []
        )
        // Takes 5 ms, while the response is waited for.
        recorder.openAhead()
        let (started, start) = (Date(), ContinuousClock.now)
        let result: Result<Response, ApusError>
        do throws(ApusError) {
            result = .success(try await response(of: provider))
        } catch {
            result = .failure(attempts.broken ?? error)
        }
        let duration = ContinuousClock.now - start
        // Recorded only after printing, so that the response does not wait for the history.
        return try await recorder.closing {
            try await finish(provider.cache, result, duration)
        } recording: {
            await record(result, from: started, duration)
        }
    }

    private func response(of provider: Provider<MultiTarget>) async throws(ApusError) -> Response {
        let result: Result<Response, ApusError> =
            await ObservedResponses.$observer.withValue(stream) {
                do throws(ApusError) {
                    return .success(
                        try await provider.response(for: MultiTarget(target), from: source)
                    )
                } catch {
                    return .failure(error)
                }
            }
        return try result.get()
    }

    private func finish(
        _ cache: ResponseCache,
        _ result: Result<Response, ApusError>,
        _ duration: Duration
    ) async throws -> Int32 {
        // Closing needs another thread, so a request without the cache skips it.
        if Self.usesCache(target, source) { await cache.close() }
        if let failure = stream?.failure { throw failure }
        let written = try stream?.end() ?? ResponseStream.Written()
        guard !written.hasBody, case .file = Self.body(of: result) else {
            return try print(result, duration, after: written)
        }
        // Printing a file takes long, so it leaves the engine's thread, on which this runs.
        let hit = (try? result.get())?.source.cacheHit
        return try await withTaskExecutorPreference(globalConcurrentExecutor) {
            try await DamagedResponse.removing(hit?.key, from: cache) {
                try print(result, duration, after: written)
            }
        }
    }

    private func record(
        _ result: Result<Response, ApusError>,
        from started: Date,
        _ duration: Duration
    ) async {
        let answered: Response? =
            switch result {
            case .success(let response): response
            case .failure(let error): error.response
            }
        // If the target makes no request, nothing was sent.
        guard let request = answered?.request ?? (try? Endpoint(MultiTarget(target)).request) else {
            return
        }
        await recorder.begin()
        // Attempts that were retried are exchanges of their own.
        let attempts = attempts.records
        for attempt in attempts.dropLast() {
            await recorder.record(attempt, from: origin)
        }
        let last = attempts.count > 1 ? attempts.last : nil
        await recorder.record(
            ExchangeRecord(
                started: last?.started ?? started,
                request: request,
                result: result,
                duration: last?.duration ?? duration
            ),
            from: origin
        )
    }

    private static func body(of result: Result<Response, ApusError>) -> ResponseBody? {
        switch result {
        case .success(let response): response.body
        case .failure(let error): error.response?.body
        }
    }

    private func print(
        _ result: Result<Response, ApusError>,
        _ duration: Duration,
        after written: ResponseStream.Written
    ) throws -> Int32 {
        switch result {
        // What was written is the beginning of the server's response, not the stored one that replaces it.
        case .success(let response) where written.hasBody && response.serverFailure != nil:
            try print(response.serverFailure ?? ApusError(.cancelled), after: written)
        case .success(let response): try print(response, duration, after: written)
        case .failure(let error): try print(error, after: written)
        }
    }

    private static func usesCache(_ target: OverridingTarget, _ source: DataSource) -> Bool {
        if case .server = source { target.cachePolicy.storage != nil } else { true }
    }

    private func print(
        _ response: Response,
        _ duration: Duration,
        after written: ResponseStream.Written
    ) throws -> Int32 {
        // A 504 made by the cache must not end up in a file.
        let isRefused = response.source == .gateway && printer.arguments.writesFile
        let hasFailed = isRefused || printer.arguments.fail && response.status >= 400
        printer.printTrace(response, after: written.traceCount)
        if printer.arguments.json {
            try printer.printJSON(response, after: duration)
        } else {
            try printer.print(response, isAccepted: !hasFailed, after: written)
        }
        if let reason = response.undecodedReason {
            let shown = response.request.mask.masking(text: reason)
            StandardError.write("apus: the body is as it was received: \(shown)")
        }
        if let text = response.decision?.staleText { StandardError.write("apus: \(text)") }
        if let text = response.serverFailureText {
            StandardError.write("apus: the response is \(text)")
        }
        return hasFailed ? ExitStatus.negative : 0
    }

    /// Prints the response as far as it was received, and then the error.
    private func print(
        _ error: ApusError,
        after written: ResponseStream.Written
    ) throws -> Int32 {
        printer.printTrace(error.response, after: written.traceCount, error)
        if printer.arguments.json {
            try printer.printJSON(error)
        } else {
            if let response = error.response {
                try printer.print(response, isAccepted: false, after: written)
            }
            StandardError.write("apus: \(error.commandMessage)")
        }
        return ExitStatus.of(error)
    }
}

/// Collects the attempts of a request with their results.
private final class AttemptLog: Interceptor {
    private let log = Mutex<[ExchangeRecord]>([])
    private let stream: ResponseStream?

    /// Makes a log of attempts whose responses `stream` writes.
    init(_ stream: ResponseStream?) { self.stream = stream }

    var records: [ExchangeRecord] { log.withLock(\.self) }

    /// Why the last attempt failed after some of its body was written; nil if that did not happen.
    var broken: ApusError? {
        guard stream?.hasBody == true, case .failure(let error)? = records.last?.result else {
            return nil
        }
        return error
    }

    func intercept(
        _ request: PreparedRequest,
        in context: ExchangeContext,
        next: Next
    ) async throws -> Response {
        let (started, clock) = (Date(), ContinuousClock.now)
        let result: Result<Response, ApusError>
        do throws(ApusError) {
            result = .success(try await next(request))
        } catch {
            result = .failure(error)
        }
        let record = ExchangeRecord(
            started: started,
            request: request,
            result: result,
            duration: .now - clock
        )
        log.withLock { $0.append(record) }
        // Another attempt would write the body a second time; nothing cancelled is repeated.
        if broken != nil { throw ApusError(.cancelled, request: request.line) }
        return try result.get()
    }
}
