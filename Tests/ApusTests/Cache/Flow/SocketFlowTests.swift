import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Apus

/// The private cache over libcurl and sockets.
struct SocketFlowTests {
    private static func provider(
        _ folder: CacheFolder
    ) -> Provider<TestTarget> {
        Provider(
            transport: CurlTransport(),
            cache: ResponseCache(configuration: .init(directory: folder.path))
        )
    }

    private static func target(
        _ server: RawServer,
        _ path: String,
        _ method: HTTPRequest.Method = .get
    ) -> TestTarget {
        TestTarget(
            base: "http://\(server.authority)",
            path: path,
            method: method,
            cachePolicy: .http
        )
    }

    @Test("a fresh response costs one request, a stale one a 304, and redirects go hop by hop")
    func story() async throws {
        let server = try RawServer { request in
            switch request.path {
            case "/old":
                [
                    .send(
                        "HTTP/1.1 301 Moved\r\nLocation: /new\r\nCache-Control: max-age=600\r\n"
                            + "Content-Length: 0\r\n\r\n"
                    )
                ]
            case _ where request.value(of: "If-None-Match") == "\"1\"":
                [.send("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\nX-New: yes\r\n\r\n")]
            default:
                [
                    .send("HTTP/1.1 103 Early Hints\r\nCache-Control: no-store\r\n\r\n"),
                    RawServer.ok("hello", fields: "Cache-Control: no-cache\r\nETag: \"1\"\r\n"),
                ]
            }
        }
        let provider = Self.provider(try CacheFolder())
        let target = Self.target(server, "/old")
        let first = try await provider.response(for: target, from: .cacheIfPossible)
        #expect(first.text == "hello" && first.redirects.map(\.status) == [301])
        #expect(first.redirects.first?.url == "http://\(server.authority)/old")
        #expect(first.redirects.first?.fields[.cacheControl] == "max-age=600")
        let second = try await provider.response(for: target, from: .cacheIfPossible)
        #expect(second.text == "hello" && second.isCached && second.value("X-New") == "yes")
        #expect(server.received.map(\.path) == ["/old", "/new", "/new"])
    }

    @Test("a response that is cut in its body is an error and leaves nothing in the cache")
    func cut() async throws {
        let count = Mutex(0)
        let server = try RawServer { _ in
            let isFirst = count.withLock { count in
                count += 1
                return count == 1
            }
            let head = "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nContent-Length: 5\r\n\r\n"
            return isFirst ? [.send(head + "he"), .close] : [.send(head + "hello")]
        }
        let provider = Self.provider(try CacheFolder())
        let target = Self.target(server, "/a")
        await #expect(throws: ApusError.self) {
            try await provider.response(for: target, from: .cacheIfPossible)
        }
        #expect(try await provider.response(for: target, from: .cacheIfPossible).text == "hello")
        #expect(try await provider.response(for: target, from: .cacheIfPossible).isCached)
    }

    @Test(
        "a connection that is closed leaves a stale response, and an unsafe request takes it away"
    )
    func closed() async throws {
        let server = try RawServer { request in
            switch (request.method, request.value(of: "If-None-Match")) {
            case ("POST", _): [RawServer.ok("done")]
            case (_, .some): [.close]
            default:
                [RawServer.ok("hello", fields: "Cache-Control: max-age=0\r\nETag: \"1\"\r\n")]
            }
        }
        let provider = Self.provider(try CacheFolder())
        let get = Self.target(server, "/a")
        _ = try await provider.response(for: get, from: .cacheIfPossible)
        let stale = try await provider.response(for: get, from: .cacheIfPossible)
        #expect(stale.isCached && stale.decision?.outcome == .staleAllowed)
        let post = Self.target(server, "/a", .post)
        _ = try await provider.response(for: post, from: .cacheIfPossible)
        #expect(try await !provider.response(for: get, from: .cacheIfPossible).isCached)
    }

    @Test("a hundred callers at once of a stale response all get it, and one validates behind")
    func manyAtOnce() async throws {
        let server = try RawServer { request in
            request.value(of: "If-None-Match") == nil
                ? [
                    RawServer.ok(
                        "hello",
                        fields: "Cache-Control: max-age=0, stale-while-revalidate=600\r\n"
                            + "ETag: \"1\"\r\n"
                    )
                ] : [.hang]
        }
        let provider = Self.provider(try CacheFolder())
        let target = Self.target(server, "/a")
        _ = try await provider.response(for: target, from: .cacheIfPossible)
        let texts = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try? await provider.response(for: target, from: .cacheIfPossible).text
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == Array(repeating: "hello", count: 100))
        while server.received.count < 2 { await Task.yield() }
        #expect(provider.revalidationCount == 1 && server.received.count == 2)
    }

    @Test("revalidations that hang leave the connections to who waits", .timeLimit(.minutes(5)))
    func hangingRevalidations() async throws {
        let server = try RawServer { request in
            if request.path == "/other" { return [RawServer.ok("other")] }
            guard request.value(of: "If-None-Match") == nil else { return [.hang] }
            let fields = "Cache-Control: max-age=0, stale-while-revalidate=600\r\nETag: \"1\"\r\n"
            return [RawServer.ok("hello", fields: fields)]
        }
        let clock = ManualClock()
        let folder = try CacheFolder()
        let provider = Provider<TestTarget>(
            transport: CurlTransport(.init(maximumConnections: 8)),
            cache: ResponseCache(configuration: .init(directory: folder.path)),
            clock: clock
        )
        for _ in 0..<2 {
            for number in 0..<20 {
                let target = Self.target(server, "/\(number)")
                let answer = try await provider.response(for: target, from: .cacheIfPossible)
                #expect(answer.text == "hello")
            }
        }
        while server.received.count < 22 { await Task.yield() }
        #expect(provider.revalidationCount == 2 && server.received.count == 22)
        let other = Self.target(server, "/other")
        #expect(try await provider.response(for: other, from: .cacheIfPossible).text == "other")
        // A time limit of their own ends them, and the next request tries again.
        await clock.waitUntilAsleep()
        await clock.waitUntilAsleep()
        clock.advance(by: .seconds(30))
        #expect(await comesTrue { provider.revalidationCount == 0 })
        _ = try await provider.response(for: Self.target(server, "/9"), from: .cacheIfPossible)
        #expect(provider.revalidationCount == 1)
    }

    @Test("a quarter of the connections is for what nobody waits for, and never more than 8")
    func backgroundLimit() {
        #expect(CurlTransport().backgroundLimit == 8)
        #expect(CurlTransport(.init(maximumConnections: 12)).backgroundLimit == 3)
        #expect(CurlTransport(.init(connectionsPerHost: 4)).backgroundLimit == 1)
        #expect(ScriptedTransport.answering("").backgroundLimit == 8)
    }
}
