import Glibc
import HTTPServing
import Servers
import TestSupport
import Testing

@Suite("the server behind")
struct UpstreamTests {
    @Test(
        "a proxy does not begin before itself, whatever its name",
        arguments: [
            ("127.0.0.1", "http://127.0.0.1", true), ("127.0.0.1", "https://127.0.0.1", true),
            ("127.0.0.1", "LocalHost", true), ("127.0.0.1", "api.localhost.", true),
            ("127.0.0.1", "http://0.0.0.0", true), ("0.0.0.0", "http://127.0.0.1", true),
            ("0.0.0.0", "http://127.8.8.8", true), ("localhost", "http://localhost", true),
            ("127.0.0.1", "http://127.0.0.2", false), ("127.0.0.1", "http://api.invalid", false),
            ("0.0.0.0", "http://192.0.2.1", false),
        ]
    )
    func loops(host: String, url: String, isOwn: Bool) async throws {
        // Nobody else is given the port meanwhile; a server that says so takes it all the same.
        let held = try ClosedPort()
        defer { held.letGo() }
        let port = Int(held.number)
        let base = try ReverseProxy("\(url):\(port)", record: { _ in }).base
        let server = HTTPServer(host: host, port: port) { _, _ in }
        struct Listens: Error {}
        do {
            try await server.run { address in
                try base.requireOther(than: address)
                throw Listens()
            }
        } catch let failure as ServerError {
            #expect(isOwn && failure.description.contains("own address"), "\(failure)")
        } catch {
            #expect(error is Listens && !isOwn)
        }
    }

    @Test("another port, or the one that a scheme has, is another server")
    func otherPort() async throws {
        struct Listens: Error {}
        for url in ["http://127.0.0.1", "https://127.0.0.1", "http://127.0.0.1:1"] {
            // Each time another one: a program that another test starts may have the last one's socket for a moment.
            let held = try ClosedPort()
            defer { held.letGo() }
            let base = try ReverseProxy(url, record: { _ in }).base
            let server = HTTPServer(port: Int(held.number)) { _, _ in }
            await #expect(throws: Listens.self) {
                try await server.run { address in
                    try base.requireOther(than: address)
                    throw Listens()
                }
            }
        }
    }
}
