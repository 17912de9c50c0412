import FoundationEssentials
import HTTPTypes
import Testing

@testable import Apus

@Suite("Content delivery networks")
struct CDNTests {
    private struct Target: TargetType {
        var path = "/img/1.png"
        var method = HTTPRequest.Method.get
        var task = RequestTask.plain
        var cachePolicy = CachePolicy.keep(in: .memory)
        var baseURL: URL { URL(string: "http://origin.test/api") ?? URL(filePath: "/") }
        var cdn: URL? { URL(string: "https://cdn.test/mirror/") }
    }

    private static func transport(
        cdn answer: @escaping @Sendable (PreparedRequest) throws(ApusError) -> Response
    ) -> ScriptedTransport {
        ScriptedTransport { request throws(ApusError) in
            guard request.head.authority == "cdn.test" else { return .make(request, "origin") }
            return try answer(request)
        }
    }

    @Test("the network is asked first, at its own base, and its response is the response")
    func first() async throws {
        let transport = Self.transport { .make($0, "cdn") }
        let provider = Provider<Target>(transport: transport)
        let target = Target(
            path: "/img/1.png?v=2",
            task: .parameters([Parameter("w", 3)], encoding: .query)
        )
        let response = try await provider.response(for: target)
        #expect(response.text == "cdn")
        #expect(transport.received.map(\.url) == ["https://cdn.test/mirror/img/1.png?v=2&w=3"])
        #expect(response.request.url == "http://origin.test/api/img/1.png?v=2&w=3")
    }

    @Test(
        "the origin is asked when the network does not do its work",
        arguments: [
            ApusError.Reason.connect(host: "cdn.test", port: 443, detail: ""),
            .nameLookup(host: "cdn.test", detail: ""),
            .tls(.expiredCertificate, host: "cdn.test", detail: ""),
            .timeout(.waiting, limit: .seconds(1)),
            .connectionLost(received: 0, expected: nil, detail: ""),
        ]
    )
    func fallback(_ reason: ApusError.Reason) async throws {
        let transport = Self.transport { _ throws(ApusError) in throw ApusError(reason) }
        let response = try await Provider<Target>(transport: transport).response(for: Target())
        #expect(response.text == "origin")
        #expect(
            transport.received.map(\.url)
                == ["https://cdn.test/mirror/img/1.png", "http://origin.test/api/img/1.png"]
        )
    }

    @Test("statuses of the network's own faults lead to the origin, others are the response")
    func statuses() async throws {
        for (status, text) in [
            (500, "origin"), (503, "origin"), (404, "origin"), (403, "origin"), (429, "origin"),
            (200, "cdn"), (304, "cdn"), (400, "cdn"), (401, "cdn"),
        ] {
            let transport = Self.transport { .make($0, "cdn", status: status) }
            let response = try await Provider<Target>(transport: transport)
                .response(for: Target())
            #expect(response.text == text, "\(status)")
        }
    }

    @Test("a request that may have had an effect is not sent twice")
    func post() async throws {
        let lost = Self.transport { _ throws(ApusError) in
            throw ApusError(.connectionLost(received: 0, expected: nil, detail: ""))
        }
        let target = Target(method: .post, task: .data([1]))
        await #expect(throws: ApusError.self) {
            try await Provider<Target>(transport: lost).response(for: target)
        }
        #expect(lost.received.count == 1)
        let unreachable = Self.transport { _ throws(ApusError) in
            throw ApusError(.connect(host: "cdn.test", port: nil, detail: ""))
        }
        let response = try await Provider<Target>(transport: unreachable).response(for: target)
        #expect(response.text == "origin")
    }

    @Test("a request of an unknown method is not sent twice")
    func unknownMethod() async throws {
        let transport = Self.transport { .make($0, "cdn", status: 503) }
        let target = Target(method: try #require(HTTPRequest.Method("CHARGE")))
        let response = try await Provider<Target>(transport: transport).response(for: target)
        #expect(response.text == "cdn")
        #expect(transport.received.count == 1)
    }

    @Test("a cancelled request asks nobody else")
    func cancelled() async throws {
        let transport = Self.transport { _ throws(ApusError) in throw ApusError(.cancelled) }
        await #expect(throws: ApusError(.cancelled)) {
            try await Provider<Target>(transport: transport).response(for: Target())
        }
        #expect(transport.received.count == 1)
    }

    @Test("both share one entry of the cache")
    func key() async throws {
        let provider = Provider<Target>(transport: Self.transport { .make($0, "cdn") })
        _ = try await provider.response(for: Target())
        let hit = try await provider.response(for: Target(), from: .cache)
        #expect(hit.text == "cdn")
        let broken = Provider<Target>(
            transport: Self.transport { _ throws(ApusError) in
                throw ApusError(.nameLookup(host: "cdn.test", detail: ""))
            },
            cache: provider.cache
        )
        _ = try await broken.response(for: Target())
        #expect(try await provider.response(for: Target(), from: .cache).text == "origin")
    }
}
