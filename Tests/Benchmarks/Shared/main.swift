import Apus
import CHiredis
import FoundationEssentials
import Glibc
import HTTPTypes
import Sharing

// What a hit in a shared cache costs, beside a bare GET of as many bytes by hiredis on the same server:
//   SharedBenchmark SOCKET [COUNT]
// Each hit is the first of its kind on its machine, and goes to memory and disk there. The two are measured in
// turns, so that they have the same machine.

guard CommandLine.arguments.count > 1 else {
    print("SharedBenchmark SOCKET [COUNT]; Tests/Benchmarks/shared starts a server for it")
    exit(2)
}
let socketPath = CommandLine.arguments[1]
let count = CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2]) ?? 5000 : 5000

func text(_ value: Double) -> String { String((value * 100).rounded() / 100) }

/// A connection of hiredis alone.
final class BareConnection {
    private let handle: OpaquePointer

    init?(_ path: String) {
        var handle: OpaquePointer?
        var reason = [CChar](repeating: 0, count: 256)
        let result = path.withCString { path in
            var address = chiredis_address(
                path: path,
                host: nil,
                port: 0,
                uses_tls: 0,
                connect_limit: 5000,
                reply_limit: 5000
            )
            return chiredis_connect(&address, &handle, &reason, reason.count)
        }
        guard result == CHIREDIS_OK, let handle else { return nil }
        self.handle = handle
    }

    deinit { chiredis_close(handle) }

    /// Sends a command; returns the size of the reply.
    @discardableResult
    func send(_ words: [[CChar]]) -> Int {
        var starts: [UnsafePointer<CChar>?] = []
        var size = 0
        // Flat, so that the pointers stay where they are.
        let flat = Array(words.joined())
        flat.withUnsafeBufferPointer { flat in
            var place = flat.baseAddress
            for word in words {
                starts.append(place)
                place = place.map { $0 + word.count }
            }
            _ = chiredis_add(handle, Int32(words.count), starts, words.map(\.count))
            var reply: OpaquePointer?
            var reason = [CChar](repeating: 0, count: 256)
            guard chiredis_receive(handle, &reply, &reason, reason.count) == CHIREDIS_OK,
                let reply
            else { return }
            _ = chiredis_bytes(reply, &size)
            chiredis_free(reply)
        }
        return size
    }
}

func word(_ text: String) -> [CChar] { text.utf8.map { CChar(bitPattern: $0) } }

func request(_ size: Int, _ number: Int) -> PreparedRequest {
    PreparedRequest(
        head: HTTPRequest(
            method: .get,
            scheme: "http",
            authority: "api.test",
            path: "/\(size)/\(number)"
        )
    )
}

func machine(_ name: String, _ store: RedisStore) -> ResponseCache {
    ResponseCache(
        configuration: ResponseCache.Configuration(directory: "\(folder)/\(name)"),
        shared: store
    )
}

var template = Array("/tmp/apus-shared-bench-XXXXXX".utf8CString)
guard mkdtemp(&template) != nil else { exit(1) }
let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
let policy = CachePolicy.keep()
let store = try RedisStore.redis(
    "unix://\(socketPath)",
    key: "a key for a benchmark",
    budget: .seconds(5)
)
guard let bare = BareConnection(socketPath) else {
    print("no server at \(socketPath)")
    exit(1)
}

for size in [200, 2000, 20_000, 200_000] {
    let number = size > 50_000 ? count / 10 : count
    let body = [UInt8](repeating: UInt8(ascii: "x"), count: size)
    let writer = machine("writer-\(size)", store)
    var fields = HTTPFields()
    fields[.contentType] = "application/json"
    for index in 0..<number {
        let request = request(size, index)
        let response = Response(
            request: request,
            head: HTTPResponse(status: .ok, headerFields: fields),
            body: .bytes(body),
            source: .server,
            received: Date()
        )
        _ = await writer.keep(
            response,
            key: writer.key(for: request, policy: policy),
            policy: policy
        )
        if index % 100 == 99 { await writer.flush() }
        bare.send([word("SET"), word("bare-\(index)"), body.map { CChar(bitPattern: $0) }])
    }
    await writer.flush()

    let reader = machine("reader-\(size)", store)
    var (ours, theirs) = (Duration.zero, Duration.zero)
    var missed = 0
    let clock = ContinuousClock()
    for start in stride(from: 0, to: number, by: 100) {
        let requests = (start..<min(start + 100, number)).map { request(size, $0) }
        ours += await clock.measure {
            for request in requests {
                let key = reader.key(for: request, policy: policy)
                if case .miss = await reader.lookup(key, policy: policy, for: request) {
                    missed += 1
                }
            }
        }
        theirs += clock.measure {
            for index in start..<min(start + 100, number) {
                if bare.send([word("GET"), word("bare-\(index)")]) != size { missed += 1 }
            }
        }
        await reader.flush()
    }
    let own = ours / .microseconds(1) / Double(number)
    let other = theirs / .microseconds(1) / Double(number)
    print(
        "\(size) bytes: hit \(text(own)) µs, bare GET \(text(other)) µs, \(text(own / other)) times"
            + (missed == 0 ? "" : ", \(missed) MISSED")
    )
}
try? FileManager.default.removeItem(atPath: folder)
