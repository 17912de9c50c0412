import Apus
import FoundationEssentials
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import Workspaces

@Suite("Credentials from a command")
struct CustomCommandTests {
    private let folder = TemporaryFolder()

    /// What a server got of requests that are sent with a command's output; it refuses all but `good`.
    private func sent(
        _ command: String,
        times: Int = 1,
        isTrusted: Bool = true,
        limit: Duration = .seconds(10),
        good: String? = nil
    ) async throws -> [RawServer.Received] {
        let server = try RawServer { request in
            let isGood = good == nil || request.value(of: "Authorization") == good
            return [.send("HTTP/1.1 \(isGood ? 200 : 401) X\r\nContent-Length: 0\r\n\r\n")]
        }
        let plan = CommandPlan(
            command: ShellCommand(command, in: folder.path),
            limit: limit,
            lifetime: nil,
            environment: "e",
            isTrusted: { isTrusted }
        )
        let provider = Provider<MultiTarget>(
            headerFields: [:],
            interceptors: [RequestSigner(signIns: SignIns(prompt: .none("")))]
        )
        // A target at its own origin: others get no credentials.
        let own = try Workspace.make("targets: { A: 'GET http://\(server.authority)/' }").sent("A")
        let target = SigningTarget(own, RequestSigning.command(plan))
        for _ in 0..<times { _ = try await provider.response(for: target) }
        return server.received
    }

    /// How often the command has run; it adds a letter to a file.
    private var runs: Int {
        (try? String(contentsOfFile: "\(folder.path)/runs", encoding: .utf8))?.utf8.count ?? 0
    }

    @Test("it prints the value of Authorization, and runs once in its folder")
    func value() async throws {
        let received = try await sent("printf x >> runs; echo 'Token abc'", times: 3)
        #expect(
            received.map { $0.value(of: "Authorization") } == [
                "Token abc", "Token abc", "Token abc",
            ]
        )
        #expect(runs == 1)
    }

    @Test("or it prints fields by their names")
    func fields() async throws {
        let received = try await sent("echo 'X-Key: k1'; echo 'X-Date:  now ';")
        let request = try #require(received.first)
        #expect(request.value(of: "X-Key") == "k1")
        #expect(request.value(of: "Authorization") == nil)
    }

    @Test("a 401 runs it once more")
    func refused() async throws {
        let received = try await sent("printf x >> runs; wc -c < runs | tr -d ' '", good: "2")
        #expect(received.compactMap { $0.value(of: "Authorization") } == ["1", "2"])
        #expect(runs == 2)
    }

    @Test("without trust it does not run")
    func untrusted() async throws {
        let error = await #expect(throws: ApusError.self) {
            try await sent("printf x >> runs; echo a", isTrusted: false)
        }
        #expect(error?.description.contains("is not trusted") == true)
        #expect(runs == 0)
    }

    @Test(
        "what it does wrong is said",
        arguments: [
            ("echo oh >&2; exit 3", "oh"), ("printf 'a\\nb\\n'", "printed"), ("sleep 100", "sleep"),
        ]
    )
    func faults(command: String, words: String) async throws {
        let error = await #expect(throws: ApusError.self) {
            try await sent(command, limit: .milliseconds(500))
        }
        #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }

    @Test("a workspace lists the commands that it would run, each once, in the folder of its file")
    func listed() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/a.apus.yaml"
        try """
        defaults: { auth: { custom: { command: ./token } } }
        targets:
          A: GET http://h/
          G: { defaults: { auth: { custom: { command: "pass b", timeout: 1 s, expires: 5 min } } }, B: GET http://h/ }
          C: { request: GET http://h/, auth: { custom: { command: ./token } } }
        """.write(toFile: path, atomically: true, encoding: .utf8)
        let workspace = try Workspace.load(path: path)
        let real = try #require(TextFile.realPath(folder.path))
        #expect(
            workspace.signingCommands == [
                ShellCommand("./token", in: real), ShellCommand("pass b", in: real),
            ]
        )
        guard case .command(let plan) = try workspace.sent("G/B").signing else {
            Issue.record("no command")
            return
        }
        #expect(plan.limit == .seconds(1) && plan.lifetime == .seconds(300))
        #expect(plan.command.folder == real)
    }
}
