import Documents
import Synchronization
import TestSupport
import Testing

@Suite("apus send while the response arrives")
struct StreamingTests {
    private let files: PrivateFiles

    init() throws { files = PrivateFiles() }

    private static let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: "

    private static func chunk(_ text: String) -> RawServer.Step {
        .send("\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n")
    }

    private static func url(_ server: RawServer) -> String { "http://\(server.authority)/a" }

    private func terminal(_ server: RawServer, _ more: String...) throws -> TerminalProcess {
        try TerminalProcess(
            rows: 24,
            columns: 80,
            arguments: [BuiltProgram.path, "send", Self.url(server)] + more,
            files: files
        )
    }

    @Test(
        "each piece goes out as it comes, whatever it is, and ctrl-c keeps what came",
        arguments: [
            "text/event-stream", "application/json", "application/octet-stream", "text/html",
        ]
    )
    func pieces(type: String) throws {
        let server = try RawServer(
            .send("\(Self.head)\(type)\r\n\r\n"),
            Self.chunk("{\"a\": 1}\n"),
            .hang
        )
        let program = try PipedConversation(["send", Self.url(server), "-i"], files: files)
        #expect(program.nextLine() == "HTTP/1.1 200 OK\r")
        var line = program.nextLine()
        while let text = line, !text.hasPrefix("{") { line = program.nextLine() }
        #expect(line == "{\"a\": 1}")
        program.signal(2)
        #expect(program.wait() == .exited(130))
        let shown = try PipedProgram.run(["sessions", "show", "--json"], files: files).output
        let exchange = try JSON(parsing: shown)["exchanges", 0]
        #expect(exchange["status"] == 200 && exchange["size"] == 9)
    }

    @Test(
        "a terminal shows events and lines of text at once, and what is not complete of JSON soon"
    )
    func terminal() throws {
        for (type, text) in [
            ("text/event-stream", "data: 1"), ("text/plain; charset=utf-8", "a line"),
            ("application/x-ndjson", #"{"a": 1}"#), ("application/json", #"{"slow": [1,"#),
        ] {
            let server = try RawServer(
                .send("\(Self.head)\(type)\r\n\r\n"),
                Self.chunk("\(text)\n"),
                .hang
            )
            let program = try terminal(server)
            try program.waitFor(text)
            program.signal(2)
            #expect(try program.waitForExit() == .exited(130))
            #expect(program.shows(text))
        }
    }

    @Test("a terminal gets JSON indented if it ends soon, and binary data not at all")
    func whole() throws {
        let json = try RawServer(
            .send("\(Self.head)text/plain\r\n\r\n"),
            Self.chunk(#"{"a":"#),
            Self.chunk("[1]}"),
            .send("0\r\n\r\n")
        )
        let program = try terminal(json)
        #expect(try program.waitForExit() == .exited(0))
        #expect(program.shows(#"  "a": ["#))
        let binary = try RawServer(
            .send("\(Self.head)image/png\r\n\r\n"),
            .send("4\r\n"),
            .bytes([0x89, 0x50, 0x00, 0x0A]),
            .send("\r\n0\r\n\r\n")
        )
        let other = try terminal(binary)
        #expect(try other.waitForExit() == .exited(0))
        #expect(other.shows("(4 B of binary data; use -o FILE to save it)"))
    }

    @Test("a sequence and a character that are cut between two pieces stay harmless and whole")
    func cutPieces() throws {
        let server = try RawServer(
            .send("\(Self.head)text/plain\r\n\r\n"),
            Self.chunk("one \u{1B}"),
            .send("1\r\n"),
            .drip("]", count: 1, milliseconds: 50),
            .send("\r\n"),
            Self.chunk("0;owned\u{7} "),
            .send("1\r\n"),
            .bytes([0xC3]),
            .send("\r\n1\r\n"),
            .bytes([0xA9]),
            .send("\r\n"),
            Self.chunk(" end\n"),
            .send("0\r\n\r\n")
        )
        let program = try terminal(server)
        #expect(try program.waitForExit() == .exited(0))
        #expect(program.shows("one ␛]0;owned␇ é end"))
    }

    @Test("a response that is repeated is not written, and one that was written is not repeated")
    func retries() throws {
        let count = Counter()
        let server = try RawServer { _ in
            guard count.next() > 1 else {
                return [.send("HTTP/1.1 503 No\r\nContent-Length: 2\r\n\r\nno")]
            }
            return [.send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\npart"), .close]
        }
        let sent = try PipedProgram.run(["send", Self.url(server), "--retry", "3"], files: files)
        #expect(sent.output == "part" && sent.status == .exited(20), "\(sent.errors)")
        #expect(sent.errors.contains("after 4 B of 9 B"))
        #expect(server.received.count == 2)
    }

    @Test("a redirect that the cache follows is not written, nor what a stored response replaces")
    func cached() throws {
        let server = try RawServer { request in
            if request.path == "/a" {
                return [
                    .send(
                        "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 5\r\n\r\nmoved"
                    )
                ]
            }
            let isNew = request.value(of: "If-None-Match") == nil
            return [
                isNew
                    ? RawServer.ok("fresh", fields: "ETag: \"1\"\r\nCache-Control: max-age=0\r\n")
                    : .send("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n")
            ]
        }
        for _ in 0..<2 {
            let sent = try PipedProgram.run(
                ["send", Self.url(server), "--cache", "http"],
                files: files
            )
            #expect(sent.output == "fresh" && sent.status == .exited(0), "\(sent.errors)")
        }
    }

    @Test("a time limit that was set ends it, and the time for which nobody reads is not counted")
    func timeLimit() throws {
        let stream = try RawServer(
            .send("\(Self.head)text/event-stream\r\n\r\n"),
            Self.chunk("data: 1\n\n"),
            .hang
        )
        let limited = try PipedProgram.run(
            ["send", Self.url(stream), "--timeout", "0.5"],
            files: files
        )
        #expect(limited.output == "data: 1\n\n" && limited.status == .exited(23))
        #expect(limited.errors.contains("--timeout SECONDS waits longer"))
        let piece = [UInt8](repeating: 0x61, count: 1 << 20)
        let large = try RawServer { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(20 << 20)\r\n\r\n")]
                + Array(repeating: .bytes(piece), count: 20)
        }
        let slow = try PipedProgram.shell(
            #"("$1" send \#(Self.url(large)) --timeout 1; echo "=$?" >&2) | (sleep 2; wc -c)"#,
            files: files
        )
        #expect(slow.output.contains("\(20 << 20)") && slow.errors == "=0\n", "\(slow.errors)")
    }
}

/// Counts the requests of a server.
private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}
