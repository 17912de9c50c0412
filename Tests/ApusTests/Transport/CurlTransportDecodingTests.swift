import Dispatch
import Glibc
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Apus

/// What several sinks were given, by turns of the engine's loop.
///
/// It is unsafe because only the engine's thread touches it until all have ended.
private final class Tally: @unchecked Sendable {
    var byTurn: [UInt: Int] = [:]
    var counts: [Int: Int] = [:]
    /// What the others had when the first one ended.
    var atFirstEnd: [Int]?

    var largestTurn: Int { byTurn.values.max() ?? 0 }
}

/// Counts what is decoded, and does something at the first of it.
///
/// Its state is unsafe because only the engine's thread touches it until `finish`.
private final class CountingSink: TransferSink, @unchecked Sendable {
    let atFirst: @Sendable () -> Void
    let number: Int
    let tally: Tally
    weak var transfer: CurlTransfer?
    private let ended = AsyncStream<ApusError?>.makeStream()

    init(
        _ tally: Tally = Tally(),
        number: Int = 0,
        atFirst: @escaping @Sendable () -> Void = {}
    ) {
        self.tally = tally
        self.number = number
        self.atFirst = atFirst
    }

    var count: Int { tally.counts[number] ?? 0 }
    var readsLongBody: Bool { false }
    var standardLimit: Int? { nil }

    func prepare(for request: PreparedRequest) {}
    func begin(_ head: HTTPResponse, expected: Int?, url: String) {}

    func receive(_ chunk: UnsafeRawBufferPointer) -> BodyOutcome {
        if count == 0 { atFirst() }
        tally.counts[number, default: 0] += chunk.count
        tally.byTurn[transfer?.loop?.turn ?? 0, default: 0] += chunk.count
        return .taken
    }

    var body: ResponseBody { .bytes([]) }

    func place(_ answer: Response) -> ResponseBody? { nil }

    func finish(_ result: Result<Response, ApusError>) {
        if tally.atFirstEnd == nil { tally.atFirstEnd = Array(tally.counts.values) }
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
    /// No more is decoded at once.
    private static let chunk = 32 << 10
    /// One kilobyte that becomes 32 MiB.
    private static let large = Coded.answer(Coded.zstdZeros(mebibytes: 32), coding: "zstd")
    private static let largeCount = 32 << 20

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
        let server = try RawServer { _ in [.bytes(Self.large)] }
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
        let server = try RawServer { _ in [.bytes(Self.large)] }
        let engine = CurlEngine(.init())
        let sink = CountingSink { Self.onOtherThread { engine.stop() } }
        let error = await Self.run(.make(server.authority), on: engine, sink)
        #expect(error?.reason == .cancelled)
        #expect(sink.count <= Self.chunk)
    }

    @Test("its time limit ends it before the piece is decoded")
    func timeLimit() async throws {
        let server = try RawServer { _ in [.bytes(Self.large)] }
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
        #expect(sink.tally.largestTurn <= Self.chunk)
    }

    @Test("others have it whatever size is allowed", arguments: [nil, 1 << 30])
    func turnsWithLimit(maximum: Int?) async throws {
        let server = try RawServer { _ in [.bytes(Self.large)] }
        let engine = CurlEngine(.init())
        defer { engine.stop() }
        let sink = CountingSink()
        let options = TransportOptions(maximumBodySize: maximum)
        let error = await Self.run(
            .make(server.authority, options: options),
            on: engine,
            sink
        )
        #expect(error == nil)
        #expect(sink.count == Self.largeCount)
        #expect(sink.tally.largestTurn <= 4 << 20)
    }

    /// Twelve responses that come at once, each of which could have all of the time.
    private static func crowd(_ limits: DecodingLimits) async throws -> Tally {
        let asked = Asked()
        let all = DispatchSemaphore(value: 0)
        let server = try RawServer { _ in
            if asked.count.wrappingAdd(1, ordering: .relaxed).newValue == 12 {
                for _ in 0..<12 { all.signal() }
            }
            all.wait()
            return [.bytes(Self.large)]
        }
        var configuration = CurlTransport.Configuration()
        configuration.decodingLimits = limits
        let engine = CurlEngine(configuration)
        defer { engine.stop() }
        let tally = Tally()
        await withTaskGroup { group in
            for number in 0..<12 {
                group.addTask {
                    let sink = CountingSink(tally, number: number)
                    #expect(await Self.run(.make(server.authority), on: engine, sink) == nil)
                }
            }
        }
        #expect(tally.counts.values.allSatisfy { $0 == largeCount })
        return tally
    }

    @Test("all at once have a turn that is as short as that of one, and take turns in it")
    func turnOfAll() async throws {
        var limits = DecodingLimits()
        limits.turnTime = .nanoseconds(1)
        let tally = try await Self.crowd(limits)
        #expect(tally.largestTurn <= Self.chunk)
        // Some may have begun later.
        let laggards = tally.atFirstEnd?.filter { $0 < Self.largeCount / 2 }
        #expect((laggards?.count ?? .max) <= 3)
    }

    @Test("all at once hold nothing that was decoded beyond a turn's share of each")
    func held() async throws {
        var limits = DecodingLimits()
        limits.turnTime = .seconds(60)
        let tally = try await Self.crowd(limits)
        // What libcurl had decoded before would come at once, too.
        #expect(tally.largestTurn <= 12 * 4 << 20)
    }

    /// Sixty-four megabytes take their time where much else is tested.
    private static let patient = TransportOptions(timeout: .seconds(900))

    @Test("a reader that is late gets each byte once")
    func lateReader() async throws {
        let text = Coded.text(lines: 400_000)
        let codings: [BodyDecoder.Coding] = [.gzip, .zstd]
        let body = Coded.answer(Coded.bytes(text, by: codings), coding: "gzip, zstd")
        let server = try RawServer { _ in [.bytes(body)] }
        let transport = CurlTransport()
        defer { transport.shutdown() }
        let response = try await transport.stream(.make(server.authority, options: Self.patient))
        let chunks = try #require(response.body as? BodyChunks)
        let window = chunks.lease.window
        // It has paused, for no piece fits in any more.
        while window.highWaterMark <= BodyBuffer.size - Self.chunk { await Task.yield() }
        var bytes: [UInt8] = []
        for try await chunk in response.body {
            bytes += chunk
            for _ in 0..<10 { await Task.yield() }
        }
        #expect(bytes == text)
        #expect(window.highWaterMark <= BodyBuffer.size)
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

    /// Zstd that becomes ten gigabytes.
    private static let bomb = Coded.answer(Coded.zstdZeros(mebibytes: 10 << 10), coding: "zstd")

    private static func wary() -> CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.decodingLimits.unsuspiciousCount = 64 << 20
        return CurlTransport(configuration)
    }

    @Test("zstd that becomes ten gigabytes ends long before")
    func zstd() async throws {
        #expect(Self.bomb.count < 340_000)
        let server = try RawServer { _ in [.bytes(Self.bomb)] }
        let error = try #require(await Self.wary().error(.make(server.authority)))
        guard case .contentDecoding = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
        #expect((error.response?.body.count ?? .max) <= 64 << 20)
        #expect("\(error)".contains("maximumBodySize"))
    }

    @Test("a stream of it ends, too")
    func streamed() async throws {
        let server = try RawServer { _ in [.bytes(Self.bomb)] }
        let transport = Self.wary()
        defer { transport.shutdown() }
        let response = try await transport.stream(.make(server.authority, options: Self.patient))
        var count = 0
        do {
            for try await chunk in response.body { count += chunk.count }
            Issue.record("\(count) bytes came")
        } catch let error as ApusError {
            guard case .contentDecoding = error.reason else {
                Issue.record("\(error.reason)")
                return
            }
        }
        #expect(count <= 64 << 20)
    }

    @Test("so does what only a coding in between becomes")
    func inBetween() async throws {
        // Ten megabytes of members that are empty.
        let empty = Coded.bytes([], by: .gzip)
        let members = Array(repeating: empty, count: 500_000).flatMap { $0 }
        let answer = Coded.answer(Coded.bytes(members, by: .gzip), coding: "gzip, gzip")
        let server = try RawServer { _ in [.bytes(answer)] }
        var configuration = CurlTransport.Configuration()
        configuration.decodingLimits.unsuspiciousCount = 1 << 20
        configuration.decodingLimits.largestExpansion = 10
        let transport = CurlTransport(configuration)
        let error = try #require(await transport.error(.make(server.authority)))
        guard case .contentDecoding = error.reason else {
            Issue.record("\(error.reason)")
            return
        }
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

    private final class Asked: Sendable {
        let count = Atomic(0)
    }

    private final class Done: Sendable {
        let flag = Atomic(false)
    }
}
