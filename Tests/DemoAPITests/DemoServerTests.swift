import DemoAPI
import TestSupport
import Testing

@Suite("The demo server")
struct DemoServerTests {
    @Test("tells where it listens, until it is stopped")
    func baseURL() async throws {
        let server = DemoServer()
        #expect(await server.baseURL == nil)
        let url = try await server.start()
        #expect(url.hasPrefix("http://127.0.0.1:"))
        #expect(await server.baseURL == url)
        await server.stop()
        #expect(await server.baseURL == nil)
    }

    @Test("says that its port is in use")
    func portInUse() async throws {
        try await DemoServer.running { _, port in
            let other = DemoServer(port: port)
            await #expect(throws: DemoServerError.portInUse(port)) { try await other.start() }
            #expect(await other.baseURL == nil)
        }
    }

    @Test("can be started again when the port has become free")
    func restart() async throws {
        // Another program may be given the port in between.
        for _ in 1...20 {
            do { return try await startTwice() } catch DemoServerError.portInUse { continue }
        }
        Issue.record("the port is never free")
    }

    private func startTwice() async throws {
        let first = DemoServer()
        let port = try await first.startOnPort()
        let second = DemoServer(port: port)
        await #expect(throws: DemoServerError.portInUse(port)) { try await second.start() }
        await first.stop()
        let again = try await second.startOnPort()
        #expect(again == port)
        try await #expect(talk(to: port) { try $0.answer("GET", "/").status } == 200)
        await second.stop()
    }

    @Test("is started once")
    func alreadyStarted() async throws {
        try await DemoServer.running { server, _ in
            await #expect(throws: DemoServerError.alreadyStarted) { _ = try await server.start() }
            #expect(await server.baseURL != nil)
        }
    }

    @Test("closes the kept-alive connections and the port when it is stopped")
    func stopCloses() async throws {
        // Another test's server may be given the port at once, and a program that one starts may have the socket for a
        // moment: hardly three times.
        var isOpen = true
        for _ in 0..<3 where isOpen { isOpen = try await !stopClosesPort() }
        #expect(!isOpen)
    }

    /// Stops a server, and tells whether nobody has its port any more.
    private func stopClosesPort() async throws -> Bool {
        let server = DemoServer()
        let port = try await server.startOnPort()
        let (ready, announce) = AsyncStream.makeStream(of: Void.self)
        async let wasClosed = talk(to: port) { connection in
            let status = try connection.answer("GET", "/users/1").status
            announce.finish()
            return try status == 200 && connection.isAtEnd()
        }
        for await _ in ready {}
        await server.stop()
        try await #expect(wasClosed)
        do {
            try await talk(to: port) { _ in }
            return false
        } catch is RawConnection.Failure {
            await server.stop()
            return true
        }
    }

    @Test("cuts a response that is still being sent when it is stopped")
    func stopCuts() async throws {
        let server = DemoServer()
        let port = try await server.startOnPort()
        let (ready, announce) = AsyncStream.makeStream(of: Void.self)
        async let rest = talk(to: port) { connection in
            try connection.send("GET", "/drip?duration=60&bytes=3")
            try connection.head()
            let first = try connection.bytes(1)
            announce.finish()
            return try first + connection.bytes(2)
        }
        for await _ in ready {}
        await server.stop()
        try await #expect(rest.count == 1)
    }

    @Test("responses many requests on many connections, all of them")
    func load() async throws {
        try await DemoServer.running { _, port in
            let count = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<16 {
                    group.addTask { try await Self.bytesOfFiftyResponses(from: port) }
                }
                return try await group.reduce(0, +)
            }
            #expect(count == 16 * 50 * 1024)
        }
    }

    private static func bytesOfFiftyResponses(from port: UInt16) async throws -> Int {
        try await talk(to: port) { connection in
            try (0..<50).reduce(0) { sum, _ in
                try sum + connection.answer("GET", "/bytes/1024").body.count
            }
        }
    }
}
