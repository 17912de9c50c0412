import Apus
import FoundationEssentials
import Glibc
import HTTPServing
import HTTPTypes
import Recordings
import Servers
import TestSupport
import Testing

@Suite("apus proxy")
struct ProxyCommandTests {
    private let files = PrivateFiles()

    /// Starts it, and waits for its URL.
    private func proxy(_ arguments: String...) throws -> (PipedConversation, url: String) {
        let proxying = try PipedConversation(["proxy"] + arguments, files: files)
        return (proxying, try #require(proxying.nextLine()))
    }

    private func request(
        _ method: HTTPRequest.Method,
        _ url: String,
        _ body: PreparedRequest.Body = .none
    ) -> PreparedRequest {
        let authority = String(url.dropFirst("http://".count))
        let head = HTTPRequest(method: method, scheme: "http", authority: authority, path: "/a?b=1")
        return PreparedRequest(head: head, body: body, options: TransportOptions(timeout: nil))
    }

    @Test("what passes is recorded, shown while it runs, and can be served again; ctrl-c ends it")
    func records() async throws {
        let server = try RawServer { request in
            [RawServer.ok("\(request.path) \(request.value(of: "Host") ?? "")")]
        }
        let (proxying, url) = try proxy("http://\(server.authority)", "--session", "page")
        let answer = try await CurlTransport().send(request(.get, url), progress: nil)
        let text = "/a?b=1 \(server.authority)"
        #expect(answer.body == .bytes(Array(text.utf8)))
        // In the file a moment later.
        var shown = ""
        repeat {
            shown = try PipedProgram.run(["sessions", "show", "page"], files: files).output
        } while shown.isEmpty
        #expect(shown.contains("200") && shown.contains("GET http://\(server.authority)/a?b=1"))
        proxying.signal(SIGINT)
        #expect(proxying.wait() == .exited(130))
        let serving = try PipedConversation(["serve", "page"], files: files)
        let mock = try #require(serving.nextLine())
        let again = try await CurlTransport().send(request(.get, mock), progress: nil)
        #expect(again.body == .bytes(Array(text.utf8)))
        #expect(server.received.count == 1)
    }

    @Test("ctrl-c waits for what is still to be recorded as long as that gets on")
    func interruptedRecording() async throws {
        let member = #"{"id": 12345, "name": "Ada Lovelace", "tags": ["a", "b"]}"#
        let large = "[" + String(repeating: member + ",", count: 4_000) + member + "]"
        let server = try RawServer { _ in
            [RawServer.ok(large, fields: "Content-Type: application/json\r\n")]
        }
        let (proxying, url) = try proxy("http://\(server.authority)", "--session", "page")
        for _ in 1...12 { _ = try await CurlTransport().send(request(.get, url), progress: nil) }
        proxying.signal(SIGINT)
        #expect(proxying.wait() == .exited(130))
        let list = try PipedProgram.run(["sessions", "list", "--json"], files: files)
        #expect(list.output.contains(#""exchanges":12,"#), "\(list.output)")
    }

    @Test("a line for each request; nothing is recorded with --no-history")
    func log() async throws {
        let server = try RawServer(
            RawServer.ok("x", fields: "Cache-Control: max-age=600\r\n")
        )
        let (proxying, url) = try proxy(server.authority, "--no-history", "--cache", "http")
        for _ in 1...2 { _ = try await CurlTransport().send(request(.get, url), progress: nil) }
        proxying.signal(SIGTERM)
        #expect(proxying.wait() == .exited(130))
        let lines = try files.read("stderr").split(separator: "\n").map(String.init)
        #expect(lines == ["GET /a?b=1 200 server", "GET /a?b=1 200 cache"])
        #expect(try PipedProgram.run(["sessions", "show"], files: files).status == .exited(1))
    }

    @Test("256 MB go through each way, and the program grows by a part of that")
    func memory() async throws {
        let piece = [UInt8](repeating: 0x61, count: 1 << 20)
        let count = 256
        let (ports, port) = AsyncStream.makeStream(of: String.self)
        try await withThrowingTaskGroup { group in
            group.addTask {
                let server = HTTPServer(port: 0) { request, writer in
                    var received = 0
                    for try await piece in request.body { received += piece.count }
                    try await writer.begin(
                        HTTPResponse(status: .ok, headerFields: [.server: "\(received)"])
                    )
                    for _ in 0..<count { try await writer.write(piece) }
                    try await writer.end()
                }
                try await server.run { port.yield($0.url) }
            }
            var listening = ports.makeAsyncIterator()
            let server = try #require(await listening.next())
            let (proxying, url) = try proxy(server)
            let (chunks, chunk) = AsyncStream.makeStream(of: [UInt8].self)
            for _ in 0..<count { chunk.yield(piece) }
            chunk.finish()
            let upload = BodyStream(once: chunks)
            let transport = CurlTransport()
            defer { transport.shutdown() }
            let answer = try await transport.stream(request(.put, url, .stream(upload)))
            #expect(answer.head.headerFields[.server] == "\(count << 20)")
            var received = 0
            for try await piece in answer.body { received += piece.count }
            #expect(received == count << 20)
            let status = try String(
                contentsOfFile: "/proc/\(proxying.child)/status",
                encoding: .utf8
            )
            let peak = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM") })
            let kibibytes = try #require(Int(peak.filter(\.isNumber)))
            #expect(kibibytes < 128 << 10)
            group.cancelAll()
            proxying.signal(SIGINT)
            #expect(proxying.wait() == .exited(130))
        }
        let exchange = try #require(
            try await History(reading: files.home + "/data/apus/history.sqlite").exchanges().first
        )
        #expect(exchange.size == count << 20)
        let whole = try PipedProgram.run(["sessions", "show", "--exchange", "1"], files: files)
        #expect(whole.output.contains("too large to be kept"))
    }

    @Test("a URL that is none, or has a user or a path, and a port that is taken end it with 2")
    func refuses() throws {
        for url in ["ftp://x", "http://", "http://a:s3cret@b", "http://x/v1"] {
            let wrong = try PipedProgram.run(["proxy", url], files: files)
            #expect(wrong.status == .exited(2) && wrong.errors.contains("server"))
            #expect(!wrong.errors.contains("s3cret"))
        }
        let server = try RawServer(.close)
        let taken = try PipedProgram.run(
            ["proxy", "http://x", "--port", "\(server.port)"],
            files: files
        )
        #expect(taken.status == .exited(2) && taken.errors.contains("cannot listen on"))
    }

    @Test("a proxy before itself, and a mock that falls back to itself, are refused")
    func loops() throws {
        let closed = try ClosedPort()
        closed.letGo()
        let port = "\(closed.number)"
        let proxying = try PipedProgram.run(["proxy", closed.base, "--port", port], files: files)
        #expect(proxying.status == .exited(2) && proxying.errors.contains("own address"))
        let server = try RawServer(RawServer.ok("x"))
        let asked = ["send", "http://\(server.authority)/", "--session", "s"]
        #expect(try PipedProgram.run(asked, files: files).status == .exited(0))
        let serving = try PipedProgram.run(
            ["serve", "s", "--fallback", "http://localhost:\(port)", "--port", port],
            files: files
        )
        #expect(serving.status == .exited(2) && serving.errors.contains("own address"))
    }
}
