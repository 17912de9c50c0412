import Glibc
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Apus

/// Counts what is decoded, by turns of the engine's loop, and does something at the first of it.
///
/// Its state is unsafe because only the engine's thread touches it until `finish`.
private final class CountingSink: TransferSink, @unchecked Sendable {
    let atFirst: @Sendable () -> Void
    weak var transfer: CurlTransfer?
    private(set) var count = 0
    private(set) var byTurn: [UInt: Int] = [:]
    private let ended = AsyncStream<ApusError?>.makeStream()

    init(atFirst: @escaping @Sendable () -> Void = {}) { self.atFirst = atFirst }

    var readsLongBody: Bool { false }
    var standardLimit: Int? { nil }

    func prepare(for request: PreparedRequest) {}
    func begin(_ head: HTTPResponse, expected: Int?, url: String) {}

    func receive(_ chunk: UnsafeRawBufferPointer) -> BodyVerdict {
        if count == 0 { atFirst() }
        count += chunk.count
        byTurn[transfer?.loop?.turn ?? 0, default: 0] += chunk.count
        return .taken
    }

    var body: ResponseBody { .bytes([]) }

    func place(_ answer: Response) -> ResponseBody? { nil }

    func finish(_ result: Result<Response, ApusError>) {
        switch result {
        case .success: ended.continuation.yield(nil)
        case .failure(let error): ended.continuation.yield(error)
        }
    }

    /// Waits for the end; what it ended with.
    func end() async -> ApusError? {
        for await error in ended.stream { return error }
        return nil
    }
}

/// The transfer that a sink ends, once there is one.
private final class Posted: Sendable {
    let transfer = Mutex<CurlTransfer?>(nil)
}

@Suite("CurlTransport: a body that is decoded to much more than came")
struct CurlTransportDecodingTests {
    /// libcurl's callback gets no more at once.
    private static let chunk = 16 << 10
    /// 32 MiB of one piece.
    private static let large = CurlTransportLimitTests.zeros(mebibytes: 32)

    private static func run(
        _ request: PreparedRequest,
        on engine: CurlEngine,
        _ sink: CountingSink,
        posted: Posted? = nil
    ) async -> ApusError? {
        let transfer = CurlTransfer(request, sink: sink)
        sink.transfer = transfer
        posted?.transfer.withLock { $0 = transfer }
        engine.post(.start(transfer))
        return await sink.end()
    }

    @Test("a cancellation by another thread ends it before the piece is decoded")
    func cancellation() async throws {
        let server = try RawServer { _ in CurlTransportLimitTests.zstd(Self.large) }
        let engine = CurlEngine(.init())
        defer { engine.stop() }
        let posted = Posted()
        // The engine's thread is in libcurl, and takes no command before it returns.
        let sink = CountingSink {
            Self.onOtherThread {
                if let transfer = posted.transfer.withLock({ $0 }) {
                    engine.post(.cancel(transfer))
                }
            }
        }
        let error = await Self.run(.make(server.authority), on: engine, sink, posted: posted)
        #expect(error?.reason == .cancelled)
        #expect(sink.count <= Self.chunk)
    }

    @Test("the end of the transport ends it, too")
    func shutdown() async throws {
        let server = try RawServer { _ in CurlTransportLimitTests.zstd(Self.large) }
        let engine = CurlEngine(.init())
        let sink = CountingSink { Self.onOtherThread { engine.stop() } }
        let error = await Self.run(.make(server.authority), on: engine, sink)
        #expect(error?.reason == .cancelled)
        #expect(sink.count <= Self.chunk)
    }

    @Test(
        "its time limit ends it before the piece is decoded, also if nobody asked for the coding",
        arguments: [
            "Content-Encoding: zstd", "Transfer-Encoding: zstd",
            "Transfer-Encoding: ZSTD , chunked",
        ]
    )
    func timeLimit(field: String) async throws {
        let isChunked = field.hasSuffix("chunked")
        let size = String(Self.large.count, radix: 16)
        let server = try RawServer { _ in
            [
                .send("HTTP/1.1 200 OK\r\n\(field)\r\n\r\n"),
                .bytes(Array((isChunked ? "\(size)\r\n" : "").utf8) + Self.large), .close,
            ]
        }
        let engine = CurlEngine(.init())
        defer { engine.stop() }
        let limit = Duration.milliseconds(300)
        let began = ContinuousClock.now
        // From then on the time is over.
        let sink = CountingSink { while ContinuousClock.now - began < limit * 2 { sched_yield() } }
        let options = TransportOptions(timeout: limit)
        let request = PreparedRequest.make(server.authority, options: options)
        let error = await Self.run(request, on: engine, sink)
        guard case .timeout(_, limit: limit) = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(sink.count <= Self.chunk)
    }

    @Test("others have their turn after each piece", arguments: [false, true])
    func turns(isHTTP2: Bool) async throws {
        let nginx = try Nginx.shared()
        var configuration = CurlTransport.Configuration()
        configuration.decodingLimits.turnCount = 1
        let engine = CurlEngine(configuration)
        defer { engine.stop() }
        let sink = CountingSink()
        var options = TransportOptions(requestedVersion: isHTTP2 ? .http2 : .http1)
        options.certificateAuthorityFile = nginx.authorityFile
        let error = await Self.run(
            .make(scheme: "https", nginx.tls, "/zeros.gz", options: options),
            on: engine,
            sink
        )
        #expect(error == nil)
        #expect(sink.count == 64 << 20)
        // A byte of gzip becomes a thousand, and TLS and HTTP/2 give 16 KiB at a time.
        #expect((sink.byTurn.values.max() ?? .max) <= 34 << 20)
    }

    @Test("gzip that becomes too much ends, and says what lets it through")
    func gzip() async throws {
        let nginx = try Nginx.shared()
        var configuration = CurlTransport.Configuration()
        configuration.decodingLimits.unsuspiciousCount = 8 << 20
        configuration.decodingLimits.largestExpansion = 10
        let transport = CurlTransport(configuration)
        let error = try #require(await transport.error(.make(nginx.plain, "/zeros.gz")))
        guard case .contentDecoding = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
        #expect("\(error)".contains("maximumBodySize"))
        #expect((error.response?.body.count ?? .max) <= 8 << 20)
        let options = TransportOptions(maximumBodySize: 64 << 20)
        let response = try await transport.send(.make(nginx.plain, "/zeros.gz", options: options))
        #expect(response.body.count == 64 << 20)
    }

    @Test("one piece has a limit of its own")
    func piece() async throws {
        let server = try RawServer { _ in CurlTransportLimitTests.zstd(Self.large) }
        var configuration = CurlTransport.Configuration()
        configuration.decodingLimits.unsuspiciousPiece = 8 << 20
        configuration.decodingLimits.largestExpansion = 10
        let transport = CurlTransport(configuration)
        let error = try #require(await transport.error(.make(server.authority)))
        guard case .contentDecoding = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
        #expect((error.response?.body.count ?? .max) <= 8 << 20)
    }

    /// Runs something on another thread, and waits for it.
    private static func onOtherThread(_ body: @escaping @Sendable () -> Void) {
        let isDone = Done()
        RawServer.onThread {
            body()
            isDone.flag.store(true, ordering: .releasing)
        }
        while !isDone.flag.load(ordering: .acquiring) { sched_yield() }
    }

    private final class Done: Sendable {
        let flag = Atomic(false)
    }
}
