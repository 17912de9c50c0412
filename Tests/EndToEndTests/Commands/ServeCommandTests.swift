import Glibc
import TestSupport
import Testing

@Suite("apus serve")
struct ServeCommandTests {
    private let files = PrivateFiles()

    /// Starts it, and waits for its URL.
    private func serve(_ arguments: String...) throws -> (PipedConversation, url: String) {
        let serving = try PipedConversation(["serve"] + arguments, files: files)
        return (serving, try #require(serving.nextLine()))
    }

    private func send(_ arguments: String...) throws -> PipedProgram {
        try .run(["send"] + arguments, files: files)
    }

    @Test("what was sent into a session is answered again, with the server gone; ctrl-c ends it")
    func serves() throws {
        var server: RawServer? = try RawServer { request in
            [RawServer.ok("\(request.method) \(request.path) \(request.body.count)")]
        }
        let base = "http://\(server?.authority ?? "")"
        for path in ["/a?x=1", "/b"] { _ = try send(base + path, "--session", "bug") }
        _ = try send(base + "/c", "--json-body", #"{"a": 1}"#, "--session", "bug")
        server = nil
        let (serving, url) = try serve("bug", "--port", "0")
        #expect(url.hasPrefix("http://127.0.0.1:"))
        #expect(try send(url + "/a?x=1", "--no-history").output == "GET /a?x=1 0")
        let posted = try send(url + "/c", "--json-body", #"{"a":1.0}"#, "--no-history")
        #expect(posted.output == "POST /c 8")
        let unknown = try send(url + "/a?x=2", "--no-history")
        #expect(unknown.output.contains("query x: recorded “1”, requested “2”"))
        serving.signal(SIGINT)
        #expect(serving.wait() == .exited(130))
    }

    @Test("a line for each request says what became of it")
    func log() throws {
        let server = try RawServer { _ in [RawServer.ok("x")] }
        _ = try send("http://\(server.authority)/a", "--session", "bug")
        let (serving, url) = try serve("bug", "--fallback", "http://\(server.authority)")
        let log = files.home + "/log"
        #expect(rename(files.home + "/stderr", log) == 0)
        for path in ["/a", "/b?token=s3cret", "/b?token=s3cret"] {
            _ = try send(url + path, "--no-history")
        }
        serving.signal(SIGTERM)
        #expect(serving.wait() == .exited(130))
        let lines = try files.read("log").split(separator: "\n").map(String.init)
        #expect(
            lines == [
                "GET /a 200 exchange 1", "GET /b?token=•••••• 200 fallback",
                "GET /b?token=•••••• 200 exchange 2",
            ]
        )
        let shown = try PipedProgram.run(["sessions", "show", "bug"], files: files)
        #expect(shown.output.split(separator: "\n").count == 2)
    }

    @Test("a session that there is not, a port that is taken, a URL that is none end it with 2")
    func refuses() throws {
        #expect(try PipedProgram.run(["serve", "bug"], files: files).status == .exited(2))
        let server = try RawServer { _ in [RawServer.ok("x")] }
        _ = try send("http://\(server.authority)/a", "--session", "bug")
        let unknown = try PipedProgram.run(["serve", "buk"], files: files)
        #expect(unknown.status == .exited(2) && unknown.errors.contains("the history has “bug”"))
        let taken = try PipedProgram.run(
            ["serve", "bug", "--port", "\(server.port)"],
            files: files
        )
        #expect(taken.status == .exited(2))
        #expect(taken.errors.contains("cannot listen on 127.0.0.1:\(server.port): Address already"))
        for url in ["ftp://x", "http://", "http://a@b", "http://x/v1"] {
            let wrong = try PipedProgram.run(["serve", "bug", "--fallback", url], files: files)
            #expect(wrong.status == .exited(2) && wrong.errors.contains("server"))
        }
    }
}
