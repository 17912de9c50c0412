import DemoAPI
import TestSupport
import Testing

@Suite("The demo world in time")
struct TimeTests {
    private static let start = 1_795_230_764.0  // Sat, 21 Nov 2026 03:12:44 GMT

    @Test("a read user was last seen now")
    func lastSeen() async throws {
        let clock = ManualClock(showing: .seconds(Self.start))
        try await DemoServer.running(clock: clock.demoClock) { _, port in
            let first = try await talk(to: port) { try $0.answer("GET", "/users/7") }
            clock.advance(by: .seconds(3600))
            let second = try await talk(to: port) { try $0.answer("GET", "/users/7") }
            #expect(first["Date"] == "Sat, 21 Nov 2026 03:12:44 GMT")
            #expect(first.text.contains("\"last_seen\": \"2026-11-21T03:12:44Z\""))
            #expect(second["Date"] == "Sat, 21 Nov 2026 04:12:44 GMT")
            #expect(second.text.contains("\"last_seen\": \"2026-11-21T04:12:44Z\""))
        }
    }

    @Test("a response that may be kept expires so many seconds after its date")
    func expires() async throws {
        try await DemoServer.running(clock: .fixed(Self.start)) { _, port in
            let answer = try await talk(to: port) { try $0.answer("GET", "/cache/86400") }
            #expect(answer["Cache-Control"] == "public, max-age=86400")
            #expect(answer["Expires"] == "Sun, 22 Nov 2026 03:12:44 GMT")
        }
    }

    @Test("two reads differ", arguments: ["/users/7", "/products/1", "/users", "/cache/60"])
    func change(_ target: String) async throws {
        try await DemoServer.running(clock: .fixed(Self.start)) { _, port in
            try await talk(to: port) { connection in
                let first = try connection.answer("GET", target)
                try #expect(connection.answer("GET", target).body != first.body)
            }
        }
    }

    @Test("an order that is read goes on until it is delivered, and no further")
    func order() async throws {
        try await DemoServer.running(clock: .fixed(Self.start)) { _, port in
            try await talk(to: port) { connection in
                let texts = try (1...60).map { _ in
                    try connection.answer("GET", "/orders/1005").text
                }
                #expect(texts.first?.contains("\"status\": \"delivered\"") == false)
                #expect(texts.last?.contains("\"status\": \"delivered\"") == true)
                #expect(Set(texts).count <= 5)
            }
        }
    }

    @Test("every server begins with the same world")
    func sameWorld() async throws {
        let texts = try await [0, 1].asyncMap { _ in
            try await DemoServer.running(clock: .fixed(Self.start)) { _, port in
                try await talk(to: port) { try $0.answer("GET", "/users?limit=50").text }
            }
        }
        #expect(texts[0] == texts[1])
    }
}

extension Sequence {
    fileprivate func asyncMap<Result>(
        _ transform: (Element) async throws -> Result
    ) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
