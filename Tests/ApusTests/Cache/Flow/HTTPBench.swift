import Documents
import FoundationEssentials
import HTTPTypes
import Synchronization

@testable import Apus

/// What the origin says to one request.
struct OriginStep: Sendable {
    var status = 200
    var fields: [(String, String)] = []
    var body = "body"
    /// Thrown instead of a response.
    var error: ApusError.Reason?
    var isComplete = true

    static func ok(_ fields: [(String, String)] = [], body: String = "body") -> OriginStep {
        OriginStep(fields: fields, body: body)
    }

    static func status(
        _ status: Int,
        _ fields: [(String, String)] = [],
        body: String = "body"
    ) -> OriginStep {
        OriginStep(status: status, fields: fields, body: body)
    }

    static let notModified = OriginStep(status: 304, body: "")

    static func notModified(_ fields: [(String, String)]) -> OriginStep {
        OriginStep(status: 304, fields: fields, body: "")
    }

    static let unreachable = OriginStep(
        error: .connect(host: "example.com", port: 443, detail: "refused")
    )

    static let max60 = ok([("Cache-Control", "max-age=60")])
}

/// A provider with a cache of its own, a clock set by hand, and an origin that answers as
/// scripted: what the private cache does is seen in what reaches the origin.
final class HTTPBench: Sendable {
    static let url = "https://example.com"

    let bench: CacheBench
    let provider: Provider<MultiTarget>
    let policy: CachePolicy
    private let transport: ScriptedTransport
    private let script: Mutex<[OriginStep]>

    init(
        _ steps: [OriginStep] = [],
        policy: CachePolicy = .http,
        memoryCountLimit: Int = 10_000,
        folder: CacheFolder? = nil,
        plugins: [any Plugin] = []
    ) throws {
        bench = try CacheBench(folder: folder, memoryCountLimit: memoryCountLimit)
        self.policy = policy
        script = Mutex(steps)
        let box = ScriptBox()
        transport = ScriptedTransport { [box] request throws(ApusError) in
            try box.answer(request)
        }
        provider = Provider(transport: transport, cache: bench.cache, plugins: plugins)
        box.set { [weak self] in self?.takeStep() ?? OriginStep() }
        box.clock = bench.clock
    }

    /// Adds to what the origin will say.
    func script(_ steps: OriginStep...) { script.withLock { $0 += steps } }

    private func takeStep() -> OriginStep {
        script.withLock { $0.isEmpty ? OriginStep(status: 299) : $0.removeFirst() }
    }

    /// The requests that reached the origin.
    var asked: [HTTPRequest] { transport.received.map(\.head) }
    /// How many requests reached the origin.
    var askedCount: Int { transport.received.count }
    /// The last request that reached the origin.
    var lastAsked: HTTPRequest? { transport.received.last?.head }

    func target(
        _ path: String = "/a",
        _ method: HTTPRequest.Method = .get,
        _ fields: [(String, String)] = [],
        task: RequestTask = .plain,
        redirects: Int = 10
    ) -> MultiTarget {
        MultiTarget(
            TestTarget(
                base: path.hasPrefix("http") ? path : Self.url,
                path: path.hasPrefix("http") ? "" : path,
                method: method,
                task: task,
                headerFields: HTTPFields(pairs: fields),
                cachePolicy: policy,
                options: TransportOptions(maximumRedirects: redirects)
            )
        )
    }

    @discardableResult
    func get(
        _ path: String = "/a",
        _ fields: [(String, String)] = [],
        method: HTTPRequest.Method = .get,
        after seconds: Double = 0,
        from source: DataSource = .cacheIfPossible
    ) async throws -> Response {
        bench.clock.advance(by: seconds)
        return try await provider.response(for: target(path, method, fields), from: source)
    }

    /// A date this many seconds from now, as a field gives it.
    func date(_ seconds: Double = 0) -> String {
        HTTPDate.format(bench.clock.now.addingTimeInterval(seconds))
    }

    /// Waits for what goes on behind a response.
    func settled() async {
        while provider.revalidationCount > 0 { await Task.yield() }
        await bench.cache.flush()
    }
}

/// The origin's side, which the transport can hold before there is a bench.
private final class ScriptBox: Sendable {
    private let next = Mutex<@Sendable () -> OriginStep>({ OriginStep() })
    private let time = Mutex<SetClock?>(nil)

    var clock: SetClock? {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }

    func set(_ take: @escaping @Sendable () -> OriginStep) { next.withLock { $0 = take } }

    func answer(_ request: PreparedRequest) throws(ApusError) -> Response {
        let step = next.withLock { $0 }()
        if let error = step.error { throw ApusError(error, request: request.line) }
        return Response(
            request: request,
            head: HTTPResponse(
                status: .init(code: step.status),
                headerFields: HTTPFields(pairs: step.fields)
            ),
            body: .bytes(request.head.method == .head ? [] : Array(step.body.utf8)),
            source: .server,
            isComplete: step.isComplete,
            received: clock?.now ?? Date()
        )
    }
}

extension Response {
    func value(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { head.headerFields[$0] }
    }

    /// Whether it came from the cache.
    var isCached: Bool { source.cacheHit != nil }
}

extension HTTPRequest {
    func value(_ name: String) -> String? { HTTPField.Name(name).flatMap { headerFields[$0] } }
}
