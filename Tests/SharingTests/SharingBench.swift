import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport

@testable import Apus
@testable import Sharing

/// A team's key.
let teamKey = "0123456789abcdef0123456789abcdef"

/// A clock for pauses, which a test sets.
final class PauseClock: Sendable {
    private let time = Mutex(ContinuousClock.now)

    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}

extension RedisStore {
    /// A store of a test, which has time enough on a busy machine.
    static func forTest(
        _ url: String,
        key: String = teamKey,
        password: String? = nil,
        budget: Duration = .seconds(60),
        reply: Duration = .seconds(60),
        clock: PauseClock = PauseClock()
    ) throws -> RedisStore {
        RedisStore(
            try RedisAddress(url, password: password),
            key: try TeamKey(key),
            budget: budget,
            limits: RedisLimits(connect: .seconds(60), reply: reply),
            pause: .seconds(1),
            now: { clock.now }
        )
    }
}

/// What happened to a shared store.
final class SharedNotices: Sendable {
    private let list = Mutex<[SharedStoreNotice]>([])

    var all: [SharedStoreNotice] { list.withLock { $0 } }
    func add(_ notice: SharedStoreNotice) { list.withLock { $0.append(notice) } }
}

/// A machine with a cache of its own, and perhaps a store that it shares.
struct Machine {
    let folder = TemporaryFolder()
    let cache: ResponseCache
    let notices = SharedNotices()

    init(
        _ store: RedisStore?,
        serializer: (any CacheSerializer)? = nil,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        let notices = notices
        cache = ResponseCache(
            configuration: ResponseCache.Configuration(directory: folder.path),
            serializer: serializer,
            clock: now,
            notice: { if case .shared(_, let notice) = $0 { notices.add(notice) } }
        )
        cache.share(through: store)
    }

    /// Keeps a response under a key of its own, and waits until it is shared.
    @discardableResult
    func keep(
        _ text: String,
        _ path: String = "/a",
        policy: CachePolicy = .keep(),
        fields: HTTPFields = [:],
        responseFields: HTTPFields = [:]
    ) async -> CacheStoreOutcome {
        let request = PreparedRequest.shared(path, fields: fields)
        let response = Response.origin(request, text, responseFields)
        let outcome = await cache.keep(
            response,
            key: cache.key(for: request, policy: policy),
            policy: policy
        )
        await cache.flush()
        return outcome
    }

    func look(
        _ path: String = "/a",
        policy: CachePolicy = .keep(),
        fields: HTTPFields = [:]
    ) async -> CacheLookup {
        let request = PreparedRequest.shared(path, fields: fields)
        return await cache.lookup(
            cache.key(for: request, policy: policy),
            policy: policy,
            for: request
        )
    }

    /// Sends a request through HTTP's rules.
    func get(_ origin: Origin, _ path: String = "/a", fields: HTTPFields = [:]) async throws
        -> Response
    {
        let provider = AnyProvider(transport: origin, cache: cache, headerFields: [:])
        let target = PathTarget(path: path, headerFields: fields)
        let response = try await provider.response(for: target, from: .cacheIfPossible)
        await cache.flush()
        return response
    }

    func send(_ method: HTTPRequest.Method, _ origin: Origin, _ path: String = "/a") async throws {
        let provider = AnyProvider(transport: origin, cache: cache, headerFields: [:])
        var target = PathTarget(path: path)
        target.method = method
        _ = try await provider.response(for: target, from: .server)
        await cache.flush()
    }
}

/// A target by its path, cached by HTTP's rules.
struct PathTarget: TargetType {
    var path: String
    var method = HTTPRequest.Method.get
    var task = RequestTask.plain
    var headerFields: HTTPFields = [:]
    var validation = Validation.none
    var cachePolicy = CachePolicy.http
    var options = TransportOptions()

    var baseURL: URL {
        guard let url = URL(string: "http://api.test") else { preconditionFailure("no URL") }
        return url
    }
}

/// A server that responds with the same fields and a number.
final class Origin: Transport {
    private let fields: HTTPFields
    private let requests = Mutex<[HTTPRequest]>([])

    init(_ fields: HTTPFields) { self.fields = fields }

    var received: [HTTPRequest] { requests.withLock { $0 } }

    func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        let count = requests.withLock { requests in
            requests.append(request.head)
            return requests.count
        }
        let tag = fields[.eTag]
        if let tag, request.head.headerFields[.ifNoneMatch] == tag {
            return .origin(request, "", fields, status: 304)
        }
        return .origin(request, "\(count)", fields)
    }
}

extension PreparedRequest {
    static func shared(
        _ path: String,
        authority: String = "api.test",
        fields: HTTPFields = [:]
    ) -> PreparedRequest {
        PreparedRequest(
            head: HTTPRequest(
                method: .get,
                scheme: "http",
                authority: authority,
                path: path,
                headerFields: fields
            )
        )
    }
}

extension Response {
    static func origin(
        _ request: PreparedRequest,
        _ text: String,
        _ fields: HTTPFields,
        status: Int = 200
    ) -> Response {
        Response(
            request: request,
            head: HTTPResponse(status: .init(code: status), headerFields: fields),
            body: .bytes(Array(text.utf8)),
            source: .server,
            received: Date()
        )
    }

    var text: String? { (try? body.load()).map { String(decoding: $0, as: UTF8.self) } }
}

extension CacheLookup {
    var text: String? { if case .hit(let response) = self { response.text } else { nil } }

    var isShared: Bool {
        if case .hit(let response) = self, case .shared = response.source { true } else { false }
    }
}

/// Whether a condition comes true, while other tasks run.
func comesTrue(_ condition: () -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(120)
    while !condition() {
        guard ContinuousClock.now < deadline else { return false }
        await Task.yield()
    }
    return true
}
