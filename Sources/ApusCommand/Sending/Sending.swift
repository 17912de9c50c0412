import Apus
import Terminal
import Workspaces

/// One run of `apus send`.
struct Sending: Sendable {
    let target: OverridingTarget
    let source: DataSource
    let printer: AnswerPrinter
    let retries: Int
    let transport = CurlTransport()

    /// Puts together what is sent.
    init(
        subject: RequestSubject,
        arguments: RequestArguments,
        printer: AnswerPrinter,
        source: DataSource?,
        cache: SendCacheWord?
    ) throws {
        var target: OverridingTarget
        let standard: DataSource
        switch subject {
        case .url(let url):
            target = try arguments.applied(to: url, isOwn: false)
            standard = (cache ?? .none).source
        case .target(let own):
            target = try arguments.applied(to: own, isOwn: true)
            standard = cache?.source ?? own.source ?? .server
        }
        if let cache { target.cachePolicy = cache.policy }
        target.options.tracesWire = printer.arguments.verbose
        self.target = target
        self.source = source ?? standard
        self.printer = printer
        retries = arguments.retry
    }

    /// Sends it, prints the answer, and gives the exit status.
    func run() async throws -> Int32 {
        let provider = Provider<MultiTarget>(
            transport: transport,
            interceptors: retries > 0 ? [RetryPolicy(limit: retries)] : []
        )
        let start = ContinuousClock.now
        let result: Result<Response, ApusError>
        do throws(ApusError) {
            result = .success(try await provider.response(for: MultiTarget(target), from: source))
        } catch {
            result = .failure(error)
        }
        let duration = ContinuousClock.now - start
        // Closing takes a thread, which a request without the cache need not wait for.
        if usesCache { await provider.cache.close() }
        guard case .file = Self.body(of: result) else { return try print(result, duration) }
        // Long enough to be kept from the engine's thread, which the request began on.
        return try await withTaskExecutorPreference(globalConcurrentExecutor) {
            try print(result, duration)
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
        _ duration: Duration
    ) throws -> Int32 {
        switch result {
        case .success(let response): try print(response, duration)
        case .failure(let error): try print(error)
        }
    }

    private var usesCache: Bool {
        if case .server = source { target.cachePolicy.storage != .none } else { true }
    }

    private func print(_ response: Response, _ duration: Duration) throws -> Int32 {
        printer.printTrace(response.metrics)
        if printer.arguments.json {
            try printer.printJSON(response, after: duration)
        } else {
            try printer.print(response)
        }
        return printer.arguments.fail && response.status >= 400 ? ExitStatus.negative : 0
    }

    /// What came of an answer is printed before it is said what is wrong with it.
    private func print(_ error: ApusError) throws -> Int32 {
        printer.printTrace(error.response?.metrics)
        if printer.arguments.json {
            try printer.printJSON(error)
        } else {
            if let response = error.response { try printer.print(response) }
            StandardError.write("apus: \(FailureText.line(for: error))")
        }
        return ExitStatus.of(error)
    }
}
