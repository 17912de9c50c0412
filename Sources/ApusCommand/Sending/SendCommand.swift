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
            characters are shown as symbols, and JSON that ends within a second is indented. A \
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
        ),
        completion: WorkspaceCompletions.targets
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

    @OptionGroup(title: "Workspace") var samples: SampleOptions
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
            arguments.setMethod(request, before: second),
            in: workspace,
            samples
        )
        let sending = try SendRun(
            subject: subject,
            arguments: arguments,
            printer: ResponsePrinter(arguments: output),
            source: source?.source,
            cache: cache,
            policy: policy,
            recorder: try history.recorder()
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
    /// Whether the target needs values that are asked for, run or sent for.
    private let suppliesValues: Bool
    /// The store that responses are shared through; nil for none.
    private let store: (any SharedStore)?
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
        var target = try arguments.applied(to: subject)
        let supply = subject.supply
        target.cachePolicy = policy.overrides.applied(to: cache?.policy ?? target.cachePolicy)
        target.options.tracesWire = printer.arguments.verbose
        self.target = target
        origin = subject.origin
        self.source = source ?? subject.source(with: cache)
        self.printer = printer
        retries = arguments.retry
        self.recorder = recorder
        suppliesValues = supply != nil
        store = target.cachePolicy.storage == nil ? nil : subject.storeForCommand
        transport = CurlTransport()
        stream = Self.stream(
            of: target,
            from: self.source,
            printer: printer,
            arguments: arguments,
            mayBeSentAgain: supply?.mayBeSentAgain == true,
            transport.executor
        )
        attempts = AttemptLog { [stream] in stream?.hasBody == true }
    }

    /// The stream for the response; nil if it is printed only when it is complete: as JSON, or to a file.
    private static func stream(
        of target: OverridingTarget,
        from source: DataSource,
        printer: ResponsePrinter,
        arguments: RequestArguments,
        mayBeSentAgain: Bool,
        _ executor: any TaskExecutor
    ) -> ResponseStream? {
        // A content delivery network may be followed by the target's own server.
        guard !printer.arguments.json, !printer.arguments.writesFile, target.cdn == nil else {
            return nil
        }
        let mayBeReplaced = target.usesCache(from: source)
        let isSigned = target.signedCredentials != nil
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
            if status == 401, mayBeSentAgain { return false }
            // It may be sent again with a new token.
            if status == 401, isSigned { return false }
            guard mayBeReplaced else { return true }
            return status != 304 && status < 500 && target.validation.accepts(response)
        }
    }

    /// Sends the request, prints the response, and returns the exit status.
    func run() async throws -> Int32 {
        // Targets that are sent for their values are recorded when they end.
        if suppliesValues { await recorder.begin() }
        let provider = AnyProvider(
            transport: transport,
            cache: .forCommand(sharing: store),
            headerFields: [:],
            plugins: suppliesValues ? recorder.pluginsOfNamed : [],
            interceptors: interceptors,
            stubs: .targets
        ).supplying(if: suppliesValues)
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

    private var interceptors: [any Interceptor] {
        let own = target.wrapped as? WorkspaceTarget
        let signing = Signing.interceptors(
            for: own.map { [$0] } ?? [],
            transport: transport,
            prompt: .onTerminal
        )
        let all = (retries > 0 ? [RetryPolicy(limit: retries)] : []) + signing
        return all.isEmpty ? [] : all + [attempts]
    }

    private func response(of provider: AnyProvider) async throws(ApusError) -> Response {
        let result: Result<Response, ApusError> =
            await ObservedResponses.$observer.withValue(stream) {
                do throws(ApusError) {
                    return .success(
                        try await provider.response(for: target, from: source)
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
        if target.usesCache(from: source) { await cache.close() }
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
        guard let request = answered?.request ?? (try? Endpoint(target).request) else {
            return
        }
        if !suppliesValues { await recorder.begin() }
        let whole = ExchangeRecord(
            started: started,
            request: request,
            result: result,
            duration: duration
        )
        for record in attempts.records(endingWith: whole) {
            await recorder.record(record, from: origin)
        }
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
