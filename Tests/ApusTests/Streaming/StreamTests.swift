import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Apus

@Suite("Streaming through a provider")
struct StreamTests {
    /// A server whose body comes in chunks, each when it is asked for.
    private final class ChunkTransport: Transport {
        struct Answer: Sendable {
            var chunks: [String] = []
            var status = 200
            var fields: HTTPFields = [:]
            /// The error after the chunks; nil to end.
            var failure: ApusError?
        }

        private let answer: @Sendable (PreparedRequest) throws -> Answer
        private let seen = Mutex<[PreparedRequest]>([])
        private let asked = Mutex(0)
        private let released = Atomic(0)

        init(_ answer: @escaping @Sendable (PreparedRequest) throws -> Answer) {
            self.answer = answer
        }

        convenience init(_ chunks: String..., status: Int = 200, fields: HTTPFields = [:]) {
            self.init { _ in Answer(chunks: chunks, status: status, fields: fields) }
        }

        var requests: [PreparedRequest] { seen.withLock { $0 } }
        /// How many chunks were asked for.
        var count: Int { asked.withLock { $0 } }
        /// How many bodies are gone.
        var releases: Int { released.load(ordering: .acquiring) }

        func send(
            _ request: PreparedRequest,
            progress: (@Sendable (TransferProgress) -> Void)?
        ) async throws(ApusError) -> Response {
            Issue.record("not streamed")
            throw ApusError(.cancelled)
        }

        private final class Body: Sendable {
            let transport: ChunkTransport
            let answer: Answer
            let index = Mutex(0)

            init(_ transport: ChunkTransport, _ answer: Answer) {
                (self.transport, self.answer) = (transport, answer)
            }

            deinit { transport.released.add(1, ordering: .releasing) }

            func next() throws -> [UInt8]? {
                transport.asked.withLock { $0 += 1 }
                let place = index.withLock { index in
                    defer { index += 1 }
                    return index
                }
                if place < answer.chunks.count { return Array(answer.chunks[place].utf8) }
                if let failure = answer.failure { throw failure }
                return nil
            }
        }

        func stream(_ request: PreparedRequest) async throws(ApusError) -> StreamedResponse {
            seen.withLock { $0.append(request) }
            let answer: Answer
            do { answer = try self.answer(request) } catch {
                throw error as? ApusError ?? ApusError(.cancelled)
            }
            let body = Body(self, answer)
            return StreamedResponse(
                head: HTTPResponse(
                    status: .init(code: answer.status),
                    headerFields: answer.fields
                ),
                body: AsyncThrowingStream { try body.next() }
            )
        }
    }

    private func provider(
        _ transport: any Transport,
        plugins: [any Plugin] = [],
        interceptors: [any Interceptor] = [],
        stubs: Stubs = .never,
        coalesces: Coalescing = .none
    ) -> Provider<TestTarget> {
        Provider(
            transport: transport,
            cache: .inMemory,
            headerFields: [:],
            plugins: plugins,
            interceptors: interceptors,
            stubs: stubs,
            coalesces: coalesces
        )
    }

    private let target = TestTarget(cachePolicy: .keep())

    @Test("the head comes first, then the body as it is asked for, and nothing is cached")
    func heads() async throws {
        let transport = ChunkTransport("a", "b", "c", fields: [.contentType: "text/plain"])
        let provider = provider(transport)
        let stream = try await provider.stream(for: target)
        #expect(stream.status == 200 && stream.fields[.contentType] == "text/plain")
        #expect(stream.response.isStreamed && !stream.response.isComplete)
        #expect("\(stream.response)".hasSuffix("· 200 · server · body follows"))
        #expect(transport.count == 0)
        var iterator = stream.bytes.makeAsyncIterator()
        for (place, text) in ["a", "b", "c"].enumerated() {
            #expect(try await iterator.next() == Array(text.utf8))
            // The server waits while nobody reads.
            #expect(transport.count == place + 1)
        }
        #expect(try await iterator.next() == nil)
        #expect(try await iterator.next() == nil)
        #expect(await provider.cache.entries().isEmpty)
    }

    @Test("a sequence sends nothing before it is read, and a request for each reader")
    func lazy() async throws {
        let transport = ChunkTransport("a", "b")
        let bytes = provider(transport).bytes(for: target)
        #expect(transport.requests.isEmpty)
        for _ in 0..<2 {
            var text = ""
            for try await chunk in bytes { text += String(decoding: chunk, as: UTF8.self) }
            #expect(text == "ab")
        }
        #expect(transport.requests.count == 2)
    }

    @Test("every hook is called, with the head, and the end when the body has been read")
    func hooks() async throws {
        let log = HookLog()
        let transport = ChunkTransport("a", "b")
        let interceptor = TestInterceptor { request, _, next in
            log.add("intercept")
            let response = try await next(request)
            log.add("intercepted \(response.status)")
            return response
        }
        let provider = provider(
            transport,
            plugins: [LoggingPlugin(log), HeaderPlugin(.accept, "text/csv")],
            interceptors: [interceptor]
        )
        let stream = try await provider.modifying { $0.head.headerFields[.from] = "ada" }
            .stream(for: target)
        let before = [
            "a adapt", "a prepare", "intercept", "a willSend 1", "intercepted 200",
            "a didReceive server", "a process server",
        ]
        #expect(log.all == before)
        for try await _ in stream.bytes {}
        #expect(log.all == before + ["a didFinish server"])
        let fields = transport.requests.first?.head.headerFields
        #expect(fields?[.accept] == "text/csv" && fields?[.from] == "ada")
    }

    @Test("a token is refreshed and the request repeated before the body is read")
    func refresh() async throws {
        for validation in [Validation.none, .successCodes] {
            let transport = ChunkTransport { request in
                request.head.headerFields[.authorization] == "Bearer new"
                    ? .init(chunks: ["data"]) : .init(chunks: ["no"], status: 401)
            }
            let refresher = TokenRefresher(token: AccessToken("old")) { _, _ in AccessToken("new") }
            let provider = provider(transport, interceptors: [RefreshInterceptor(refresher)])
            var text = ""
            for try await chunk in provider.bytes(for: TestTarget(validation: validation)) {
                text += String(decoding: chunk, as: UTF8.self)
            }
            #expect(text == "data")
            #expect(transport.requests.count == 2)
            #expect(transport.releases == 2)
        }
    }

    @Test("what a token is refreshed with is read whole, not streamed")
    func refreshByChild() async throws {
        let whole = ScriptedTransport { request in
            .make(request, request.url.hasSuffix("/token") ? "new" : "data")
        }
        let refresher = TokenRefresher(token: nil) { _, context in
            let response = try await context.sendIndependently(TestTarget(path: "/token"))
            return AccessToken(Secret(response.text ?? ""))
        }
        let provider = provider(whole, interceptors: [RefreshInterceptor(refresher)])
        var lines = provider.lines(for: target).makeAsyncIterator()
        #expect(try await lines.next() == "data")
        let sent = whole.received.last?.head.headerFields[.authorization]
        #expect(sent == "Bearer new")
    }

    @Test(
        "a refused status is the error, with the first part of its body, and ends the exchange once"
    )
    func refused() async throws {
        let log = HookLog()
        let transport = ChunkTransport(#"{"title":"#, #""no"}"#, status: 422)
        let provider = provider(transport, plugins: [LoggingPlugin(log)])
        let error = await #expect(throws: ApusError.self) {
            for try await _ in provider.bytes(for: TestTarget(validation: .successCodes)) {}
        }
        #expect(error?.reason == .unacceptableStatus(422))
        #expect(error?.response?.text == #"{"title":"no"}"# && error?.response?.isComplete == true)
        #expect(log.all.filter { $0.contains("didFinish") } == ["a didFinish status 422"])
        let large = String(repeating: "x", count: 1 << 20)
        let endless = ChunkTransport { _ in .init(chunks: [large, large, large], status: 500) }
        let cut = await #expect(throws: ApusError.self) {
            try await self.provider(endless).stream(for: TestTarget(validation: .successCodes))
        }
        #expect(cut?.response?.isComplete == false && endless.count == 2)
        #expect(endless.releases == 1)
    }

    @Test("a body that fails ends with the error, for the reader and for the plugins")
    func fails() async throws {
        let log = HookLog()
        let reason = ApusError.Reason.protocolViolation(detail: "cut")
        let transport = ChunkTransport { _ in .init(chunks: ["a"], failure: ApusError(reason)) }
        var chunks = 0
        let error = await #expect(throws: ApusError.self) {
            for try await _ in self.provider(transport, plugins: [LoggingPlugin(log)])
                .bytes(for: target)
            { chunks += 1 }
        }
        #expect(chunks == 1 && error?.reason == reason)
        #expect(error?.request?.description == "GET http://api.test/users/7")
        #expect(error?.response?.status == 200)
        #expect(log.all.last == "a didFinish other")
    }

    @Test("a stream that is released unread, or half read, ends its transfer and its exchange")
    func released() async throws {
        for isRead in [false, true] {
            let finished = AsyncStream<String>.makeStream()
            let plugin = TestPlugin(finishing: { summary, _ in
                finished.continuation.yield(LoggingPlugin.word(summary.result))
            })
            let transport = ChunkTransport("a", "b")
            let provider = provider(transport, plugins: [plugin])
            do {
                let stream = try await provider.stream(for: target)
                if isRead { for try await _ in stream.bytes { break } }
            }
            var endings = finished.stream.makeAsyncIterator()
            #expect(await endings.next() == "cancelled")
            while transport.releases == 0 { await Task.yield() }
            #expect(transport.releases == 1)
        }
    }

    @Test("stubs, replays and transports without streams are given in pieces")
    func stubbed() async throws {
        let text = String(repeating: "0123456789", count: 60_000)
        let stub = StubResponse.text(text, status: 201)
        let whole = ScriptedTransport.answering(text, status: 201)
        for (provider, source) in [
            (provider(whole, stubs: Stubs { _ in .immediate(stub) }), ResponseSource.stub),
            (provider(whole, stubs: .replaying(whole)), .replay), (provider(whole), .server),
        ] {
            let stream = try await provider.stream(for: target)
            #expect(stream.status == 201 && stream.response.source == source)
            var (all, sizes) = ([UInt8](), [Int]())
            for try await chunk in stream.bytes {
                all += chunk
                sizes.append(chunk.count)
            }
            #expect(all == Array(text.utf8))
            #expect(sizes.count == 3 && sizes.allSatisfy { $0 <= BodyBuffer.size })
        }
    }

    @Test("streams share no transfer, and what a plugin makes is given in its place")
    func alone() async throws {
        let transport = ChunkTransport("a")
        let provider = provider(transport, coalesces: .all)
        let (one, other) = (
            try await provider.stream(for: target), try await provider.stream(for: target)
        )
        for stream in [one, other] {
            var iterator = stream.bytes.makeAsyncIterator()
            #expect(try await iterator.next() == [UInt8(ascii: "a")])
        }
        #expect(transport.requests.count == 2)
        let plugin = TestPlugin(processing: { result, _ in
            guard case .success(var response) = result else { return .result(result) }
            response.head.status = .accepted
            if response.request.url.hasSuffix("/own") { response.body = .bytes(Array("own".utf8)) }
            return .result(.success(response))
        })
        let changing = self.provider(ChunkTransport("a"), plugins: [plugin])
        for (path, text) in [("/users", "a"), ("/own", "own")] {
            let stream = try await changing.stream(for: TestTarget(path: path))
            #expect(stream.status == 202)
            var iterator = stream.bytes.makeAsyncIterator()
            #expect(try await iterator.next() == Array(text.utf8))
        }
    }

    @Test("a download cannot be streamed")
    func download() async throws {
        let folder = TemporaryFolder()
        let task = RequestTask.download(
            to: DownloadDestination(path: "\(folder.path)/a"),
            sending: .plain
        )
        let error = await #expect(throws: ApusError.self) {
            try await provider(ChunkTransport("a")).stream(for: TestTarget(task: task))
        }
        guard case .invalidRequest(.combination)? = error?.reason else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("over a socket: cancelling the reader ends the transfer")
    func cancelled() async throws {
        let server = try RawServer(
            .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"),
            .hang
        )
        let provider = Provider<TestTarget>(cache: .none)
        let target = TestTarget(base: "http://\(server.authority)")
        let arrived = AsyncStream<Void>.makeStream()
        let reader = Task {
            do throws(ApusError) {
                for try await _ in provider.bytes(for: target) { arrived.continuation.yield() }
                return ApusError?.none
            } catch {
                return error
            }
        }
        for await _ in arrived.stream { break }
        reader.cancel()
        #expect(await reader.value?.reason == .cancelled)
        #expect(await comesTrue { OpenSockets.count(to: server.port) == 0 })
    }
}

@Suite("Lines and events of a stream")
struct StreamedTextTests {
    private func provider(
        _ chunks: [String],
        type: String = "text/event-stream; charset=utf-8",
        status: Int = 200
    ) -> (Provider<TestTarget>, ScriptedStream) {
        let transport = ScriptedStream(chunks: chunks.map { Array($0.utf8) }, type, status)
        return (Provider(transport: transport, cache: .none, headerFields: [:]), transport)
    }

    /// A transport that gives its chunks.
    private final class ScriptedStream: Transport {
        let chunks: [[UInt8]]
        let type: String
        let status: Int
        let seen = Mutex<PreparedRequest?>(nil)

        init(chunks: [[UInt8]], _ type: String, _ status: Int) {
            (self.chunks, self.type, self.status) = (chunks, type, status)
        }

        func send(
            _ request: PreparedRequest,
            progress: (@Sendable (TransferProgress) -> Void)?
        ) async throws(ApusError) -> Response { throw ApusError(.cancelled) }

        func stream(_ request: PreparedRequest) async throws(ApusError) -> StreamedResponse {
            seen.withLock { $0 = request }
            let place = Mutex(0)
            return StreamedResponse(
                head: HTTPResponse(
                    status: .init(code: status),
                    headerFields: [.contentType: type]
                ),
                body: AsyncThrowingStream { [chunks] in
                    let index = place.withLock { index in
                        defer { index += 1 }
                        return index
                    }
                    return index < chunks.count ? chunks[index] : nil
                }
            )
        }
    }

    private func lines(_ chunks: [String]) async throws -> [String] {
        var lines: [String] = []
        for try await line in provider(chunks).0.lines(for: TestTarget()) { lines.append(line) }
        return lines
    }

    @Test("a line ends with any line end, wherever the chunks end")
    func lines() async throws {
        let text = "one\ntwo\r\n\r\nthr\u{E9}e\rfour"
        let expected = ["one", "two", "", "thr\u{E9}e", "four"]
        #expect(try await lines([text]) == expected)
        // Each byte alone, so that no end of a line and no character is in one chunk.
        let bytes = Array(text.utf8).map { [$0] }
        let transport = ScriptedStream(chunks: bytes, "text/plain", 200)
        let single = Provider<TestTarget>(transport: transport, cache: .none)
        var found: [String] = []
        for try await line in single.lines(for: TestTarget()) { found.append(line) }
        #expect(found == expected)
        #expect(try await lines(["a\n"]) == ["a"])
        #expect(try await lines(["a\r", "\nb"]) == ["a", "b"])
        #expect(try await lines([]) == [])
        #expect(try await lines(["\n\n"]) == ["", ""])
    }

    @Test("a line, or the data of an event, without end is an error")
    func tooLong() async throws {
        let (provider, _) = provider(["short\n", String(repeating: "x", count: 30), "y"])
        var lines: [String] = []
        let error = await #expect(throws: ApusError.self) {
            for try await line in provider.lines(for: TestTarget(), limit: 20) {
                lines.append(line)
            }
        }
        #expect(lines == ["short"] && error?.reason == .bodyTooLarge(limit: 20))
        #expect(error?.request?.description == "GET http://api.test/users/7")
        let many = self.provider(Array(repeating: "data: 0123456789\n", count: 3)).0
        let other = await #expect(throws: ApusError.self) {
            for try await _ in many.serverSentEvents(for: TestTarget(), limit: 20) {}
        }
        #expect(other?.reason == .bodyTooLarge(limit: 20))
    }

    @Test("events are those of the HTML standard")
    func events() async throws {
        let (provider, transport) = provider([
            "\u{FEFF}: a comment\n\ndata: one\n\n", "event: add\r\ndata: 1\r\ndata:2\r\n\r\n",
            "id: 7\nretry: 250\ndata\ndata: x\n\n", "event: unseen\n\n",
            "data: {\"a\":1}\n", "id: a\0b\nretry: soon\nunknown: field\n\ndata: cut",
        ])
        var events: [ServerSentEvent] = []
        for try await event in provider.serverSentEvents(for: TestTarget(), after: "6") {
            events.append(event)
        }
        #expect(
            events == [
                ServerSentEvent(data: "one"), ServerSentEvent(event: "add", data: "1\n2"),
                ServerSentEvent(data: "\nx", id: "7", retry: .milliseconds(250)),
                ServerSentEvent(data: #"{"a":1}"#, id: "7", retry: .milliseconds(250)),
            ]
        )
        let fields = transport.seen.withLock { $0?.head.headerFields }
        #expect(fields?[.accept] == "text/event-stream")
        #expect(fields?[try #require(HTTPField.Name("Last-Event-ID"))] == "6")
    }

    @Test("what is no stream of events is an error, and not a stream without any")
    func noEvents() async throws {
        for (type, status, code) in [
            ("text/html", 200, 5007), ("text/event-stream", 503, 3001),
        ] {
            let (provider, _) = provider(["data: x\n\n"], type: type, status: status)
            let error = await #expect(throws: ApusError.self) {
                for try await _ in provider.serverSentEvents(for: TestTarget()) {}
            }
            #expect(error?.code == code)
        }
        // A stream that is open already is read as it is.
        let stream = try await provider(["data: x\n\n"], type: "text/plain").0
            .stream(for: TestTarget())
        var events = stream.serverSentEvents.makeAsyncIterator()
        #expect(try await events.next()?.data == "x")
    }
}
