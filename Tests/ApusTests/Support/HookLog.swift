import Apus
import HTTPTypes
import Synchronization

/// What plugins and interceptors wrote down, in order.
final class HookLog: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// Writes every hook down, with the response's source.
struct LoggingPlugin: Plugin {
    let name: String
    let log: HookLog

    init(_ log: HookLog, as name: String = "a") {
        self.name = name
        self.log = log
    }

    func plan(_ plan: CachePlan, in context: ExchangeContext) -> CachePlan {
        log.add("\(name) plan")
        return plan
    }

    func adapt(_ task: RequestTask, in context: ExchangeContext) async throws -> RequestTask {
        log.add("\(name) adapt")
        return task
    }

    func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest {
        log.add("\(name) prepare")
        return request
    }

    func willSend(_ request: PreparedRequest, in context: ExchangeContext) async throws {
        log.add("\(name) willSend \(context.attempt)")
    }

    func didReceive(
        _ result: Result<Response, ApusError>,
        in context: ExchangeContext
    ) async {
        log.add("\(name) didReceive \(Self.word(result))")
    }

    func process(
        _ result: Result<Response, ApusError>,
        in context: ExchangeContext
    ) async throws -> ProcessingResult {
        log.add("\(name) process \(Self.word(result))")
        return .result(result)
    }

    func didFinish(_ summary: ExchangeSummary, in context: ExchangeContext) async {
        log.add("\(name) didFinish \(Self.word(summary.result))")
    }

    func didPreview(_ error: ApusError?, in context: ExchangeContext) async {
        log.add("\(name) didPreview \(error.map { Self.word(.failure($0)) } ?? "")")
    }

    static func word(_ result: Result<Response, ApusError>) -> String {
        switch result {
        case .success(let response): word(response.source)
        case .failure(let error):
            switch error.reason {
            case .vetoed: "vetoed"
            case .cancelled: "cancelled"
            case .hookFailed: "hookFailed"
            case .hookTimeout: "hookTimeout"
            case .invalidRequest: "invalid"
            case .cacheMiss: "miss"
            case .connect: "down"
            case .unacceptableStatus(let status): "status \(status)"
            default: "other"
            }
        }
    }

    private static func word(_ source: ResponseSource) -> String {
        switch source {
        case .server: "server"
        case .memory: "memory"
        case .disk: "disk"
        case .stub: "stub"
        case .replay: "replay"
        default: "synthetic"
        }
    }
}

/// A plugin of closures.
struct TestPlugin: Plugin {
    typealias Outcome = Result<Response, ApusError>

    var name = "test"
    var hookLimit: Duration?
    var planning: (@Sendable (CachePlan) -> CachePlan)?
    var adapting: (@Sendable (RequestTask) async throws -> RequestTask)?
    var preparing: (@Sendable (PreparedRequest, ExchangeContext) async throws -> PreparedRequest)?
    var sending: (@Sendable (PreparedRequest, ExchangeContext) async throws -> Void)?
    var receiving: (@Sendable (Outcome, ExchangeContext) async -> Void)?
    var processing: (@Sendable (Outcome, ExchangeContext) async throws -> ProcessingResult)?
    var finishing: (@Sendable (ExchangeSummary, ExchangeContext) async -> Void)?

    func plan(_ plan: CachePlan, in context: ExchangeContext) -> CachePlan {
        planning?(plan) ?? plan
    }

    func adapt(_ task: RequestTask, in context: ExchangeContext) async throws -> RequestTask {
        try await adapting?(task) ?? task
    }

    func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest {
        try await preparing?(request, context) ?? request
    }

    func willSend(_ request: PreparedRequest, in context: ExchangeContext) async throws {
        try await sending?(request, context)
    }

    func didReceive(_ result: Outcome, in context: ExchangeContext) async {
        await receiving?(result, context)
    }

    func process(_ result: Outcome, in context: ExchangeContext) async throws -> ProcessingResult {
        try await processing?(result, context) ?? .result(result)
    }

    func didFinish(_ summary: ExchangeSummary, in context: ExchangeContext) async {
        await finishing?(summary, context)
    }
}

/// An interceptor of a closure.
struct TestInterceptor: Interceptor {
    var name = "test"
    var hookLimit: Duration?
    let body: @Sendable (PreparedRequest, ExchangeContext, NextCall) async throws -> Response

    init(
        name: String = "test",
        hookLimit: Duration? = nil,
        _ body:
            @escaping @Sendable (PreparedRequest, ExchangeContext, NextCall) async throws
            -> Response
    ) {
        self.name = name
        self.hookLimit = hookLimit
        self.body = body
    }

    func intercept(
        _ request: PreparedRequest,
        in context: ExchangeContext,
        next: NextCall
    ) async throws -> Response {
        try await body(request, context, next)
    }
}

extension Provider<TestTarget> {
    /// A provider whose cache has a life of its own, in memory only, and whose requests say no
    /// language of the user's.
    static func make(
        _ transport: ScriptedTransport = .answering("new"),
        cache: ResponseCache = .inMemory,
        plugins: [any Plugin] = [],
        interceptors: [any Interceptor] = [],
        stubs: Stubs = .never,
        coalesces: Coalescing = .none,
        limits: HookLimits = HookLimits(),
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Provider<TestTarget> {
        Provider(
            transport: transport,
            cache: cache,
            headerFields: [:],
            plugins: plugins,
            interceptors: interceptors,
            stubs: stubs,
            coalesces: coalesces,
            limits: limits,
            clock: clock
        )
    }

    /// The terminal event, and how many there were.
    func ending(
        of target: TestTarget,
        from source: DataSource = .server
    ) async -> (summary: ExchangeSummary?, count: Int) {
        var summary: ExchangeSummary?
        var count = 0
        for await event in events(for: target, from: source) {
            guard case .finished(let end) = event else { continue }
            summary = end
            count += 1
        }
        return (summary, count)
    }
}
