import Documents
import TestSupport
import Testing

@Suite("1xx responses, trailers and malformed lines")
struct IrregularResponseTests {
    private let files: PrivateFiles
    private let server: RawServer

    init() throws {
        files = PrivateFiles()
        server = try RawServer(
            .send(
                "HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n"
                    + "HTTP/1.1 200 OK\r\nX Space: 1\r\nX-Colon : 2\r\nX(y): 3\r\n"
                    + "X-Text: naïve 日本\r\nX-Bytes: caf"
            ),
            .bytes([0xE9]),
            .send(
                "\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n"
                    + "0\r\nX-Sum: 日 7\r\nGrpc-Status: 0\r\n\r\n"
            )
        )
    }

    private func apus(_ arguments: String...) throws -> PipedProgram {
        try .run(arguments, files: files)
    }

    private func send(_ more: String...) throws -> PipedProgram {
        try .run(["send", "http://\(server.authority)/"] + more, files: files)
    }

    private func check(_ answer: JSON, _ name: Comment) {
        #expect(answer["trailers"] == [["X-Sum", "日 7"], ["Grpc-Status", "0"]], name)
        #expect(answer["malformedHeaders"] == ["X Space: 1", "X-Colon : 2", "X(y): 3"], name)
        #expect(answer["interim", 0, "status"] == 103, name)
        #expect(answer["interim", 0, "reason"] == "Early Hints", name)
        #expect(
            answer["interim", 0, "headers"] == [["Link", "</a.css>; rel=preload"]],
            name
        )
        #expect(answer["headers", 0] == ["X-Text", "naïve 日本"], name)
        #expect(answer["headers", 1] == ["X-Bytes", "café"], name)
        #expect(answer["headersAsBytes"] == [1], name)
    }

    @Test("send shows them with -i and -v, and with --json")
    func send() throws {
        let shown = try send("-i")
        let lines = try files.bytes("stdout").split(
            separator: 0x0A,
            omittingEmptySubsequences: false
        )
        .map { String(decoding: $0, as: UTF8.self) }
        #expect(
            lines.prefix(4) == [
                "HTTP/1.1 103 Early Hints\r", "Link: </a.css>; rel=preload\r", "\r",
                "HTTP/1.1 200 OK\r",
            ]
        )
        for line in ["X Space: 1\r", "X-Colon : 2\r", "X(y): 3\r"] {
            #expect(lines.contains(line), "\(shown.output)")
        }
        #expect(lines.suffix(4) == ["ok\r", "X-Sum: 日 7\r", "Grpc-Status: 0\r", ""])
        let traced = try send("-v").errors
        for line in ["< HTTP/1.1 103", "< X-Colon : 2", "< X(y): 3", "< Grpc-Status: 0"] {
            #expect(traced.contains(line), "\(line) in \(traced)")
        }
        #expect(try send().output == "ok")
        check(try JSON(parsing: try send("--json").output), "send")
    }

    @Test("the history, a HAR file and a folder keep them, and serve sends the trailers")
    func kept() throws {
        _ = try send("--session", "odd")
        let shown = try apus("sessions", "show", "--exchange", "1").output
        for line in [
            "HTTP/1.1 103 Early Hints\n", "\nX(y): 3\n", "\nX-Sum: 日 7\n", "X-Text: naïve 日本\n",
        ] {
            #expect(shown.contains(line), "\(shown)")
        }
        _ = try apus("sessions", "export", "odd", "-o", "odd.har")
        _ = try apus("sessions", "export", "odd", "-o", "folder")
        for (number, path) in [(2, "odd.har"), (3, "folder")] {
            let imported = try apus("sessions", "import", path, "--session", path)
            #expect(imported.errors.isEmpty && imported.status == .exited(0))
            let text = try apus("sessions", "show", "--exchange", "\(number)", "--json").output
            check(try JSON(parsing: text), "\(path)")
        }
        check(
            try JSON(parsing: try apus("sessions", "show", "--exchange", "1", "--json").output),
            "1"
        )
        let response = try JSON(parsing: try files.read("odd.har"))["log", "entries", 0, "response"]
        #expect(response["_trailers", 0] == ["name": "X-Sum", "value": "日 7"])
        #expect(response["_interimResponses", 0, "status"] == 103)
        #expect(response["_malformedHeaders", 2] == "X(y): 3")
        let serving = try PipedConversation(["serve", "folder", "--port", "0"], files: files)
        let url = try #require(serving.nextLine())
        let path = url.hasSuffix("/") ? url : url + "/"
        let served = try JSON(parsing: try apus("send", path, "--json").output)
        #expect(served["body"] == "ok")
        #expect(served["trailers"] == [["X-Sum", "日 7"], ["Grpc-Status", "0"]])
        serving.signal(2)
        _ = serving.wait()
    }
}
