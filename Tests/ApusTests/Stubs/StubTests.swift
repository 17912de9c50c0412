import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing

@testable import Apus

@Suite("Stubs in the server's place")
struct StubTests {
    private let transport = ScriptedTransport.answering("live")

    private func provider(
        _ stubs: Stubs,
        clock: any Clock<Duration> = ContinuousClock()
    ) -> Provider<TestTarget> {
        Provider.make(transport, stubs: stubs, clock: clock)
    }

    @Test("never asks the server")
    func never() async throws {
        let answer = try await provider(.never).response(for: TestTarget())
        #expect((answer.text, answer.source) == ("live", .server))
    }

    @Test("a stub gives status, header fields and body, and says that it is one")
    func whole() async throws {
        let stub = StubResponse(
            status: 418,
            headerFields: [.server: "teapot"],
            body: .bytes(Array("short and stout".utf8))
        )
        let answer = try await provider(Stubs { _ in .immediate(stub) })
            .response(for: TestTarget())
        #expect(answer.status == 418)
        #expect(answer.head.headerFields[.server] == "teapot")
        #expect(answer.text == "short and stout")
        #expect(answer.source == .stub)
        #expect(transport.received.isEmpty)
    }

    @Test("a target's sample is its stub, also inside a MultiTarget")
    func sample() async throws {
        struct Sampled: TargetType {
            var baseURL: URL { TestTarget().baseURL }
            var path: String { "/" }
            var sample: StubResponse { .json(#"{"id": 7}"#) }
        }
        let provider = Provider<MultiTarget>(
            transport: transport,
            cache: .inMemory,
            stubs: .immediate
        )
        let answer = try await provider.response(for: MultiTarget(Sampled()))
        #expect(answer.text == #"{"id": 7}"#)
        #expect(answer.head.headerFields[.contentType] == "application/json")
        let empty = try await provider.response(for: MultiTarget(TestTarget()))
        #expect((empty.status, empty.text) == (200, ""))
    }

    private enum Staged: TargetType {
        case live, now, late, broken

        var baseURL: URL { TestTarget().baseURL }
        var path: String { "/" }
        var stub: StubBehavior {
            switch self {
            case .live: .never
            case .now: .immediate(.text("now"))
            case .late: .delayed(.seconds(3600), .text("late"))
            case .broken: .immediate(.failure(.connect(host: "h", port: 1, detail: "")))
            }
        }
    }

    @Test("whether, when and with what a target is stubbed is its own affair")
    func ofTarget() async throws {
        let pauses = HookLog()
        let provider = Provider<MultiTarget>(
            transport: transport,
            cache: .inMemory,
            stubs: .targets,
            clock: HastyClock(pauses)
        )
        func answer(_ target: Staged) async throws -> String? {
            try await provider.response(for: MultiTarget(target)).text
        }
        #expect(try await answer(.live) == "live")
        #expect(try await answer(.now) == "now")
        #expect(try await answer(.late) == "late")
        #expect(pauses.all == ["3600.0 seconds"])
        let error = await #expect(throws: ApusError.self) { try await answer(.broken) }
        #expect(error?.reason == .connect(host: "h", port: 1, detail: ""))
        #expect(transport.received.count == 1)
        let never = Provider<Staged>(transport: transport, cache: .inMemory)
        #expect(try await never.response(for: .now).text == "live")
    }

    @Test("one target is stubbed and another one is not")
    func perTarget() async throws {
        let stubs = Stubs { target in
            target.path == "/users/7" ? .immediate(.text("stubbed")) : .never
        }
        let provider = provider(stubs)
        #expect(try await provider.response(for: TestTarget()).text == "stubbed")
        #expect(try await provider.response(for: TestTarget(path: "/x")).text == "live")
    }

    @Test("a stub may be a failure")
    func failure() async {
        let provider = provider(Stubs { _ in .immediate(.failure(.proxy(detail: "no"))) })
        let error = await #expect(throws: ApusError.self) {
            try await provider.response(for: TestTarget())
        }
        #expect(error?.reason == .proxy(detail: "no"))
        #expect(error?.request?.url == "http://api.test/users/7")
    }

    @Test("a sequence gives its responses in order, and then the last one again")
    func sequence() async throws {
        let answers = StubSequence(.text("a"), .text("b"))
        let provider = provider(Stubs { _ in .immediate(answers.next()) })
        var texts: [String?] = []
        for _ in 1...3 { texts.append(try await provider.response(for: TestTarget()).text) }
        #expect(texts == ["a", "b", "b"])
        #expect(answers.count == 3)
    }

    @Test("validation is for stubs too")
    func validation() async {
        let provider = provider(Stubs { _ in .immediate(StubResponse(status: 500)) })
        let error = await #expect(throws: ApusError.self) {
            try await provider.response(for: TestTarget(validation: .successCodes))
        }
        #expect(error?.reason == .unacceptableStatus(500))
        #expect(error?.response?.source == .stub)
    }

    @Test("a delayed stub waits for its time")
    func delayed() async throws {
        let clock = ManualClock()
        let provider = provider(
            Stubs { _ in .delayed(.seconds(5), .text("late")) },
            clock: clock
        )
        let run = Task { try await provider.response(for: TestTarget()).text }
        await clock.waitUntilAsleep()
        #expect(clock.slept == [.seconds(5)])
        clock.advance(by: .seconds(5))
        #expect(try await run.value == "late")
    }

    @Test("a delayed stub is cancelled like a transfer")
    func cancelled() async {
        let clock = ManualClock()
        let provider = provider(Stubs { _ in .delayed(.seconds(5), .text("x")) }, clock: clock)
        let run = Task { await provider.ending(of: TestTarget()) }
        await clock.waitUntilAsleep()
        run.cancel()
        let (summary, count) = await run.value
        #expect(count == 1)
        let error = #expect(throws: ApusError.self) { try summary?.result.get() }
        #expect(error?.reason == .cancelled)
    }

    @Test("a transport of one's own streams what it sends", arguments: [0, 7, 600_000])
    func stream(count: Int) async throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let folder = Temporary.folder()
        try Temporary.write(bytes, to: folder + "/body")
        let file = BodyFile(path: folder + "/body", count: count, ownership: .borrowed)
        for body in [ResponseBody.bytes(bytes), .file(file)] {
            let transport = ScriptedTransport { request in
                var response = Response.make(request, "")
                response.body = body
                return response
            }
            let answer = try await transport.stream(.make("api.test", "/"))
            var pieces: [[UInt8]] = []
            for try await piece in answer.body { pieces.append(piece) }
            #expect(pieces.flatMap(\.self) == bytes)
            #expect(pieces.count == (count + 262_143) / 262_144)
        }
    }

    @Test("a stubbed download writes its file, and keeps one that is there")
    func download() async throws {
        let path = Temporary.folder() + "/new/file.bin"
        let target = TestTarget(
            task: .download(to: DownloadDestination(path: path), sending: .plain)
        )
        let provider = provider(Stubs { _ in .immediate(.text("bytes")) })
        let answer = try await provider.response(for: target)
        #expect(answer.text == "bytes")
        #expect(try FileBytes.read(path) == Array("bytes".utf8))
        await #expect(throws: ApusError.self) { try await provider.response(for: target) }
    }

    @Test("a stub tells its progress, with the total")
    func progress() async throws {
        let provider = provider(Stubs { _ in .immediate(.text("12345")) })
        var seen: [TransferProgress] = []
        for await event in provider.events(for: TestTarget()) {
            if case .progress(let progress) = event { seen.append(progress) }
        }
        #expect(seen == [TransferProgress(bytesReceived: 5, bytesToReceive: 5)])
    }

    @Test("a replayed response says that it is one, and is not stored")
    func replay() async throws {
        let provider = provider(.replaying(ScriptedTransport.answering("recorded")))
        let answer = try await provider.response(for: TestTarget())
        #expect((answer.text, answer.source) == ("recorded", .replay))
        #expect(try await provider.cachedResponse(for: TestTarget()) == nil)
        #expect(transport.received.isEmpty)
    }
}
