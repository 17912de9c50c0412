import FoundationEssentials
import Glibc
import HTTPTypes
import Synchronization

@testable import Apus

/// A folder that lives as long as its test.
final class CacheFolder: Sendable {
    let path: String

    init() throws { path = Temporary.folder() }

    deinit { Self.remove(path) }

    private static func remove(_ path: String) {
        for name in Folders.names(in: path) { remove("\(path)/\(name)") }
        if rmdir(path) != 0 { unlink(path) }
    }

    /// Makes it one that has been a cache's, so that its other files are taken for the cache's.
    func markAsCache() throws { try PrivateFiles.touchFile("\(path)/responses.lock") }

    /// All files below, by their paths in the folder.
    var files: [String] { Self.files(path, "") }

    private static func files(_ root: String, _ prefix: String) -> [String] {
        Folders.names(in: "\(root)/\(prefix)").flatMap { name -> [String] in
            var status = stat()
            lstat("\(root)/\(prefix)\(name)", &status)
            let isFolder = status.st_mode & S_IFMT == S_IFDIR
            return isFolder ? files(root, "\(prefix)\(name)/") : ["\(prefix)\(name)"]
        }.sorted()
    }
}

/// A clock that a test sets.
final class SetClock: Sendable {
    private let time = Mutex(Date(timeIntervalSinceReferenceDate: 800_000_000))

    var now: Date { time.withLock { $0 } }
    func advance(by seconds: Double) { time.withLock { $0 += seconds } }
}

/// The notices of a cache.
final class Notices: Sendable {
    private let list = Mutex<[CacheNotice]>([])

    var all: [CacheNotice] { list.withLock { $0 } }
    func add(_ notice: CacheNotice) { list.withLock { $0.append(notice) } }
}

/// A cache in a folder of its own, with its clock and notices.
struct CacheBench {
    let folder: CacheFolder
    let clock = SetClock()
    let notices = Notices()
    let cache: ResponseCache

    init(
        folder: CacheFolder? = nil,
        memoryCostLimit: Int = 64 << 20,
        memoryCountLimit: Int = 10_000,
        diskLimit: Int = 512 << 20,
        pageLimit: Int? = nil,
        patience: Duration = .seconds(60),
        timers: any Clock<Duration> = ContinuousClock()
    ) throws {
        let folder = try folder ?? CacheFolder()
        self.folder = folder
        cache = ResponseCache(
            ResponseCache.Configuration(
                directory: folder.path,
                memoryCostLimit: memoryCostLimit,
                memoryCountLimit: memoryCountLimit,
                diskLimit: diskLimit
            ),
            diskPageLimit: pageLimit,
            patience: patience,
            timers: timers,
            clock: { [clock] in clock.now },
            notice: { [notices] in notices.add($0) }
        )
    }

    /// A second cache on the same folder, with the same clock.
    func another() -> ResponseCache {
        ResponseCache(
            configuration: ResponseCache.Configuration(directory: folder.path),
            clock: { [clock] in clock.now },
            notice: { [notices] in notices.add($0) }
        )
    }

    func key(_ path: String, _ policy: CachePolicy = .keep()) -> CacheKey {
        cache.key(for: .cached(path), policy: policy)
    }

    @discardableResult
    func store(
        _ path: String,
        body: ResponseBody = .bytes(Array("hello".utf8)),
        policy: CachePolicy = .keep()
    ) async -> CacheStoreOutcome {
        await cache.store(
            .fromServer(path, body: body),
            key: key(path, policy),
            policy: policy
        )
    }

    func lookup(_ path: String, _ policy: CachePolicy = .keep()) async -> CacheLookup {
        await cache.lookup(key(path, policy), policy: policy, for: .cached(path))
    }
}

extension PreparedRequest {
    static func cached(
        _ path: String = "/users",
        method: HTTPRequest.Method = .get,
        scheme: String = "https",
        authority: String = "api.example.com",
        fields: HTTPFields = [:],
        body: Body = .none,
        memoryLimit: Int = 8 << 20
    ) -> PreparedRequest {
        PreparedRequest(
            head: HTTPRequest(
                method: method,
                scheme: scheme,
                authority: authority,
                path: path,
                headerFields: fields
            ),
            body: body,
            options: TransportOptions(memoryLimit: memoryLimit)
        )
    }
}

extension Response {
    static func fromServer(
        _ path: String = "/users",
        status: Int = 200,
        body: ResponseBody = .bytes(Array("hello".utf8)),
        source: ResponseSource = .server,
        isComplete: Bool = true,
        destination: DownloadDestination? = nil
    ) -> Response {
        var request = PreparedRequest.cached(path)
        request.destination = destination
        var fields = HTTPFields()
        fields.append(HTTPField(name: .contentType, value: "text/plain"))
        fields.append(HTTPField(name: .setCookie, value: "a=1"))
        fields.append(HTTPField(name: .setCookie, value: "b=2"))
        return Response(
            request: request,
            head: HTTPResponse(
                status: .init(code: status, reasonPhrase: "Fine Indeed"),
                headerFields: fields
            ),
            body: body,
            source: source,
            isComplete: isComplete,
            received: Date(timeIntervalSinceReferenceDate: 799_999_999.125),
            metrics: .full
        )
    }
}

extension TransferMetrics {
    static let full = TransferMetrics(
        phases: Phases(
            nameLookup: .microseconds(120),
            connect: .microseconds(3400),
            total: .seconds(2)
        ),
        bytesSent: 17,
        bytesReceived: 4711,
        negotiatedVersion: "2",
        remoteAddress: "[::1]:443",
        reusedConnection: true,
        redirects: [
            Redirect(
                status: 302,
                location: "/a",
                url: "https://api.example.com/",
                fields: [.location: "/a", .server: "one"]
            )
        ],
        effectiveURL: "https://api.example.com/b",
        certificates: [Certificate(fields: [.init(name: "Subject", value: "CN=ä")])],
        irregularHeaderLines: ["no field"],
        trace: [WireTraceEntry(kind: .headerOut, text: "GET / HTTP/2")]
    )
}

extension CacheLookup {
    var response: Response? { if case .hit(let response) = self { response } else { nil } }
    var missReason: CacheMissReason? { if case .miss(_, let reason) = self { reason } else { nil } }
}

extension ResponseSource {
    var isMemory: Bool { if case .memory = self { true } else { false } }
    var isDisk: Bool { if case .disk = self { true } else { false } }
}
