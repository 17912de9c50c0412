import Apus
import ArgumentParser
import FoundationEssentials
import Glibc
import HTTPTypes
import Recordings
import Synchronization
import Terminal
import Workspaces

/// `apus send TARGET|URL`: sends one request, and prints its response.
struct SendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        _superCommandName: "apus",
        abstract: "Send a request: a workspace's target, or a URL.",
        discussion: """
            The body goes to standard output byte for byte; on a terminal JSON is indented and \
            control characters are shown as symbols.

            Examples:
              apus send https://example.com/users -H 'Accept: application/json'
              apus send https://example.com/users --json-body '{"name": "Ada"}'
              apus send 'Users/Show user' --workspace demo.apus.yaml --set user=7 --json
              apus send https://example.com/file -o file --timeout 30

            --json prints one object: version (1), request {method, url}, status, reason, headers \
            [[name, value], …], body or bodyBase64, source, url, redirected, timings (milliseconds); \
            or version and error {code, reason, message}. Members may be added.

            Exit status: 0 an answer, 1 its status is not accepted, 2 wrong usage or bad input, 20 \
            connection, 21 DNS, 22 TLS, 23 timeout, 24 not in the cache, 130 interrupted.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A target's name (Users/Show user), or a URL; without a scheme it is http, as in curl.",
            valueName: "target-or-url"
        )
    )
    var request: String

    @OptionGroup(title: "Workspace") var workspace: WorkspaceOptions
    @OptionGroup(title: "Request") var arguments: RequestArguments
    @OptionGroup(title: "Answer") var output: OutputArguments

    @Option(
        help: "Where the answer comes from. Default: as the target says, or as --cache implies."
    )
    var source: SourceName?

    @Option(help: "What is cached. Default: nothing; for a target, its own policy.")
    var cache: SendCacheMode?

    @OptionGroup(title: "Cache") var policy: PolicyArguments
    @OptionGroup(title: "History") var history: HistoryOptions

    func run() throws {
        let sending = try SendRun(
            subject: RequestSubject(request, in: workspace),
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
    let transport = CurlTransport()
    private let attempts = AttemptLog()

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
            result = .success(try await provider.response(for: MultiTarget(target), from: source))
        } catch {
            result = .failure(error)
        }
        let duration = ContinuousClock.now - start
        // Recorded only after printing, so that the response does not wait for the history.
        return try await recorder.closing {
            try await finish(provider.cache, result, duration)
        } recording: {
            await record(result, from: started, duration)
        }
    }

    private func finish(
        _ cache: ResponseCache,
        _ result: Result<Response, ApusError>,
        _ duration: Duration
    ) async throws -> Int32 {
        // Closing needs another thread, so a request without the cache skips it.
        if usesCache { await cache.close() }
        guard case .file = Self.body(of: result) else { return try print(result, duration) }
        // Printing a file takes long, so it leaves the engine's thread, on which this runs.
        let hit = (try? result.get())?.source.cacheHit
        return try await withTaskExecutorPreference(globalConcurrentExecutor) {
            try await DamagedResponse.removing(hit?.key, from: cache) {
                try print(result, duration)
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
        _ duration: Duration
    ) throws -> Int32 {
        switch result {
        case .success(let response): try print(response, duration)
        case .failure(let error): try print(error)
        }
    }

    private var usesCache: Bool {
        if case .server = source { target.cachePolicy.storage != nil } else { true }
    }

    private func print(_ response: Response, _ duration: Duration) throws -> Int32 {
        // A 504 made by the cache must not end up in a file.
        let isRefused = response.source == .gateway && printer.arguments.writesFile
        let hasFailed = isRefused || printer.arguments.fail && response.status >= 400
        printer.printTrace(response)
        if printer.arguments.json {
            try printer.printJSON(response, after: duration)
        } else {
            try printer.print(response, isAccepted: !hasFailed)
        }
        if let reason = response.undecodedReason {
            let shown = response.request.mask.masking(text: reason)
            StandardError.write("apus: the body is as it was received: \(shown)")
        }
        if let text = response.decision?.staleText { StandardError.write("apus: \(text)") }
        if let text = response.serverFailureText {
            StandardError.write("apus: the answer is \(text)")
        }
        return hasFailed ? ExitStatus.negative : 0
    }

    /// Prints the response as far as it was received, and then the error.
    private func print(_ error: ApusError) throws -> Int32 {
        printer.printTrace(error.response)
        if printer.arguments.json {
            try printer.printJSON(error)
        } else {
            if let response = error.response { try printer.print(response, isAccepted: false) }
            StandardError.write("apus: \(error.message)")
        }
        return ExitStatus.of(error)
    }
}

/// Collects the attempts of a request with their results.
private final class AttemptLog: Interceptor {
    private let log = Mutex<[ExchangeRecord]>([])

    var records: [ExchangeRecord] { log.withLock(\.self) }

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
        return try result.get()
    }
}
