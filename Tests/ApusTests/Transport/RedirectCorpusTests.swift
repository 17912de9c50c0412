import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Apus

@Suite("One corpus of redirects, over sockets")
struct RedirectCorpusTests {
    /// How redirects are followed.
    enum Engine: CaseIterable, Sendable { case libcurl, stream, cache }

    /// A server that redirects its first request.
    private static func server(_ location: @escaping @Sendable () -> [UInt8]) throws -> RawServer {
        let isFirst = Mutex(true)
        return try RawServer { _ in
            let redirects = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard redirects else {
                return [RawServer.ok("end", fields: "Cache-Control: no-store\r\n")]
            }
            return [
                .send("HTTP/1.1 302 F\r\nContent-Length: 0\r\nLocation: "), .bytes(location()),
                .send("\r\n\r\n"),
            ]
        }
    }

    private static func status(
        _ engine: Engine,
        _ server: RawServer,
        _ path: String
    ) async throws -> (status: Int, hops: Int, url: String) {
        let transport = CurlTransport()
        switch engine {
        case .libcurl:
            let response = try await transport.send(.make(server.authority, path), progress: nil)
            return (response.status, response.redirects.count, response.finalURL)
        case .stream:
            let response = try await transport.stream(.make(server.authority, path))
            for try await _ in response.body {}
            return (response.head.status.code, -1, "")
        case .cache:
            let target = TestTarget(
                base: "http://\(server.authority)",
                path: path,
                cachePolicy: .http(in: .memory)
            )
            let response = try await Provider<TestTarget>(transport: transport)
                .response(for: target, from: .cacheIfPossible)
            return (response.status, response.redirects.count, response.finalURL)
        }
    }

    @Test("leads all engines to the same place", arguments: RedirectCorpus.all, Engine.allCases)
    func engines(redirect: RedirectCorpus, engine: Engine) async throws {
        let there = try RawServer(RawServer.ok("there", fields: "Cache-Control: no-store\r\n"))
        let place = Mutex([UInt8]())
        let here = try Self.server { place.withLock { $0 } }
        let bytes = redirect.bytes(here: here.authority, there: there.authority)
        place.withLock { $0 = bytes }
        func line(_ path: String) -> String { "GET \(path) HTTP/1.1" }
        let first = line(redirect.base)
        guard redirect.goal != .nowhere else {
            let error = await #expect(throws: ApusError.self) {
                try await Self.status(engine, here, redirect.base)
            }
            #expect(
                error.map { [2409, 2410].contains($0.code) } == true,
                "\(String(describing: error))"
            )
            #expect(error.map { [0, 1].contains($0.response?.redirects.count ?? 0) } == true)
            #expect(here.received.map(\.line) == [first] && there.received.isEmpty)
            return
        }
        let answer = try await Self.status(engine, here, redirect.base)
        switch redirect.goal {
        case .here(let path):
            #expect(here.received.map(\.line) == [first, line(path)])
            #expect(there.received.isEmpty && answer.status == 200)
            if engine != .stream {
                #expect(answer.hops == 1 && answer.url == "http://\(here.authority)\(path)")
            }
        case .there(let path):
            #expect(here.received.map(\.line) == [first])
            #expect(there.received.map(\.line) == [line(path)] && answer.status == 200)
            if engine != .stream { #expect(answer.hops == 1) }
        case .answer, .nowhere: #expect(answer.status == 302 && here.received.count == 1)
        }
    }

    @Test("what it resolves is what a response invalidates", arguments: RedirectCorpus.all)
    func targets(redirect: RedirectCorpus) throws {
        let base = try #require(TargetURI(text: "http://h.invalid:80\(redirect.base)"))
        // Only text, because a field's value is one.
        let bytes = redirect.bytes(here: "h.invalid", there: "i.invalid")
        guard let text = String(validating: bytes, as: UTF8.self) else { return }
        let found = base.resolve(text)
        switch redirect.goal {
        case .here(let path): #expect(found?.text == "http://h.invalid:80\(path)")
        case .there(let path): #expect(found?.text == "http://i.invalid:80\(path)")
        case .answer: #expect(found?.text == "http://h.invalid:80\(redirect.base)")
        case .nowhere: #expect(found == nil || redirect.location.contains("{there}x"))
        }
    }

    @Test("the body, the method and the time of what went before stay known after a diversion")
    func diversion() async throws {
        let server = try RawServer { request in
            switch request.path {
            case "/a": [.send("HTTP/1.1 307 T\r\nLocation: b\r\nContent-Length: 0\r\n\r\n")]
            case "/b": [.send("HTTP/1.1 307 T\r\nLocation: x/../c\r\nContent-Length: 0\r\n\r\n")]
            case "/c": [.send("HTTP/1.1 303 S\r\nLocation: ./d\r\nContent-Length: 0\r\n\r\n")]
            default: [RawServer.ok("end")]
            }
        }
        let request = PreparedRequest.make(
            .put,
            server.authority,
            "/a",
            fields: [.authorization: "Bearer t"],
            body: .bytes(Array("body".utf8)),
            options: TransportOptions(tracesWire: true)
        )
        let response = try await CurlTransport().send(request, progress: nil)
        #expect(
            server.received.map { "\($0.method) \($0.path)" } == [
                "PUT /a", "PUT /b", "PUT /c", "GET /d",
            ]
        )
        #expect(server.received.map(\.body.count) == [4, 4, 4, 0])
        #expect(server.received.allSatisfy { $0.value(of: "Authorization") == "Bearer t" })
        #expect(response.request.url == request.url && response.request.head.method == .put)
        #expect(response.redirects.map(\.location) == ["b", "x/../c", "./d"])
        #expect(response.redirects.map(\.status) == [307, 307, 303])
        let phases = try #require(response.metrics?.phases)
        #expect(phases.redirects > .zero && phases.total >= phases.redirects)
        let lines = response.trace.filter { $0.kind == .headerOut && $0.text.hasSuffix("HTTP/1.1") }
        #expect(
            lines.map(\.text) == [
                "PUT /a HTTP/1.1", "PUT /b HTTP/1.1", "PUT /c HTTP/1.1", "GET /d HTTP/1.1",
            ]
        )
    }

    @Test("a diversion counts against the limit, and a later failure is one after a redirect")
    func limits() async throws {
        let server = try RawServer { _ in
            [.send("HTTP/1.1 302 F\r\nLocation: x/../y\r\nContent-Length: 0\r\n\r\n")]
        }
        let error = await #expect(throws: ApusError.self) {
            try await CurlTransport().send(
                .make(server.authority, "/", options: TransportOptions(maximumRedirects: 3)),
                progress: nil
            )
        }
        #expect(error?.reason == .tooManyRedirects(limit: 3))
        #expect(server.received.count == 4)
        let closing = try RawServer { request in
            request.path == "/"
                ? [.send("HTTP/1.1 302 F\r\nLocation: x/../y\r\nContent-Length: 0\r\n\r\n")]
                : [.close]
        }
        let lost = await #expect(throws: ApusError.self) {
            try await CurlTransport().send(.make(closing.authority, "/"), progress: nil)
        }
        #expect(lost?.isAfterRedirect == true && lost?.request?.url.hasSuffix("/y") == true)
    }

    @Test("secrets stay at their origin after a diversion")
    func secrets() async throws {
        let there = try RawServer(RawServer.ok("there"))
        let here = try RawServer { _ in
            [
                .send(
                    "HTTP/1.1 302 F\r\nLocation: http://\(there.authority)/x/../y\r\n"
                        + "Content-Length: 0\r\n\r\n"
                )
            ]
        }
        let response = try await CurlTransport().send(
            .make(here.authority, "/", fields: [.authorization: "Bearer t", .accept: "a/b"]),
            progress: nil
        )
        let received = try #require(there.received.first)
        #expect(received.path == "/y" && received.value(of: "Authorization") == nil)
        #expect(received.value(of: "Accept") == "a/b")
        #expect(response.redirects.first?.withheldFields == ["Authorization"])
    }
}
