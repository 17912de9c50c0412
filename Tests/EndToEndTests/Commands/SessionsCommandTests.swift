import Documents
import FoundationEssentials
import TestSupport
import Testing

@Suite("apus sessions")
struct SessionsCommandTests {
    private let files: PrivateFiles
    private let server: RawServer

    init() throws {
        files = PrivateFiles()
        server = try RawServer { request in
            switch request.path {
            case "/broken": [.send("HTTP/1.1 500 No\r\nX-A: 1\r\nContent-Length: 4\r\n\r\nrust")]
            case "/escape": [RawServer.ok("a \u{1B}[31mred\u{7} b")]
            default: [RawServer.ok(#"{"path":"\#(request.path)","list":[1]}"#)]
            }
        }
        for arguments in [
            ["one"], ["broken", "--session", "bug"],
            ["two", "--session", "bug", "--json-body", #"{"word": "Straße"}"#],
        ] {
            _ = try apus(["send", url(arguments[0])] + arguments.dropFirst())
        }
    }

    private func url(_ path: String) -> String { "http://\(server.authority)/\(path)" }

    private func apus(_ arguments: [String]) throws -> PipedProgram {
        try .run(arguments, files: files)
    }

    private func sessions(_ arguments: String...) throws -> PipedProgram {
        try apus(["sessions"] + arguments)
    }

    private func json(_ arguments: String...) throws -> JSON {
        let json = try JSON(parsing: apus(["sessions"] + arguments + ["--json"]).output)
        #expect(json["version"].int == 1)
        return json
    }

    private func numbers(_ json: JSON) -> [Int?] {
        json["exchanges"].arrayValue.map { $0["number"].int }
    }

    @Test("the list has the named sessions, newest first, and how much there is in all")
    func list() throws {
        _ = try apus(["send", url("x"), "--session", "later"])
        let listed = try sessions()
        #expect(listed.status == .exited(0) && listed.errors.isEmpty)
        let lines = listed.output.split(separator: "\n").map(String.init)
        try #require(lines.count == 3)
        #expect(lines[0].hasPrefix("later  ") && lines[0].hasSuffix("  1 exchange"))
        #expect(lines[1].hasPrefix("bug    ") && lines[1].hasSuffix("  2 exchanges"))
        #expect(lines[2].hasPrefix("4 exchanges in all, ") && lines[2].hasSuffix("kB on disk"))
        let list = try json("list")
        #expect(list["sessions"].arrayValue.map { $0["name"].string } == ["later", "bug"])
        #expect(list["sessions"].arrayValue.map { $0["exchanges"].int } == [1, 2])
        #expect(list["exchanges"].int == 4 && list["size"].int ?? 0 > 4096)
    }

    @Test("exchanges are shown newest first: all, those of a session, and as many as asked for")
    func show() throws {
        let lines = try sessions("show").output.split(separator: "\n").map(String.init)
        try #require(lines.count == 3)
        #expect(lines[0].hasPrefix("3  ") && lines[0].hasSuffix("  POST \(url("two"))"))
        #expect(lines[1].contains("  500  server  ") && lines[1].contains("  4 B "))
        #expect(try numbers(json("show", "bug")) == [3, 2])
        #expect(try numbers(json("show", "--limit", "1")) == [3])
        let exchange = try json("show")["exchanges"].arrayValue[1]
        #expect(exchange["status"].int == 500 && exchange["session"].string == "bug")
        #expect(exchange["url"].string == url("broken") && exchange["method"].string == "GET")
        #expect(exchange["error"].kind == .null && exchange["size"].int == 4)
    }

    @Test("what a filter lets pass is found, and the exit status says if there was anything")
    func search() throws {
        #expect(try numbers(json("search", "status:5xx")) == [2])
        #expect(try numbers(json("search", "body:straSSE", "method:post", "after:today")) == [])
        #expect(
            try numbers(json("search", "body:STRAßE", "method:post", "after:1h")) == [3]
        )
        #expect(try numbers(json("search", "rust", "--session", "bug")) == [2])
        let none = try sessions("search", "nowhere")
        #expect(none.status == .exited(1) && none.output.isEmpty)
        #expect(none.errors == "apus: nothing found\n")
        let near = try sessions("search", "stauts:5xx")
        #expect(near.status == .exited(2) && near.output.isEmpty)
        #expect(near.errors.contains("stauts:5xx: did you mean status:5xx?"))
        let wrong = try sessions("search", "status:abc")
        #expect(wrong.status == .exited(2))
        #expect(
            wrong.errors == "apus: status:abc: not a status; use 404, 5xx, 400-499 or error\n"
        )
    }

    @Test("a session that is not there is told with those that are")
    func unknown() throws {
        for arguments in [
            ["show", "bog"], ["search", "x", "--session", "bog"], ["delete", "bog"],
        ] {
            let run = try apus(["sessions"] + arguments)
            #expect(run.status == .exited(2))
            #expect(run.errors == "apus: there is no session “bog”; the history has “bug”\n")
        }
        for arguments in [
            ["show", "--exchange", "9"], ["note", "9", "x"], ["delete", "--exchange", "9"],
        ] {
            let run = try apus(["sessions"] + arguments)
            #expect(run.status == .exited(1))
            #expect(run.errors == "apus: the history has no exchange 9\n")
        }
    }

    @Test("exchanges that cannot be deleted, because none is there, are all told")
    func unknownNumbers() throws {
        let run = try sessions("delete", "--exchange", "8", "9")
        #expect(run.status == .exited(1))
        #expect(
            run.errors == """
                apus: the history has no exchange 8
                apus: the history has no exchange 9

                """
        )
    }

    @Test("one exchange is shown whole: what is known, the request, the response")
    func whole() throws {
        let shown = try sessions("show", "--exchange", "3").output
        #expect(shown.hasPrefix("exchange     3\nsent         20"))
        #expect(shown.contains("\nsession      bug\nsource       server\ntook         "))
        #expect(shown.contains("\n\nPOST \(url("two"))\n"))
        #expect(
            shown.contains(
                "Content-Type: application/json\n\n{\"word\": \"Straße\"}\n\nHTTP/1.1 200"
            )
        )
        #expect(shown.hasSuffix("\n\n{\"path\":\"/two\",\"list\":[1]}\n"))
        let json = try json("show", "--exchange", "2")
        #expect(json["number"].int == 2 && json["status"].int == 500)
        #expect(json["request", "method"].string == "GET" && json["body"].string == "rust")
        #expect(
            json["headers"].arrayValue.contains { $0[0].string == "X-A" && $0[1].string == "1" }
        )
        #expect(json["timings", "total"].double ?? 0 > 0 && json["timings", "transfer"].exists)
        #expect(json["complete"].bool == true && json["source"].string == "server")
    }

    @Test("on a terminal JSON is indented, and what a response says reaches it as text")
    func terminal() throws {
        _ = try apus(["send", url("escape")])
        let arguments = [BuiltProgram.path, "sessions", "show", "--exchange"]
        let escape = try TerminalProcess(arguments: arguments + ["4"], files: files)
        try escape.waitFor("red␇ b")
        let indented = try TerminalProcess(arguments: arguments + ["3"], files: files)
        try indented.waitFor("\"path\": \"/two\"")
    }

    @Test("an error is told in words")
    func failure() throws {
        _ = try apus(["send", "http://127.0.0.1:1/x"])
        let line = try sessions("search", "status:error").output
        #expect(
            line.contains("  ---  ") && line.contains("GET http://127.0.0.1:1/x: Could not connect")
        )
        let error = try json("show", "--exchange", "4")["error"]
        #expect(error["message"].string?.hasPrefix("Could not connect") == true)
        #expect(error["reason"].int ?? 0 > 0)
    }

    @Test("a note is kept, found, and taken back")
    func note() throws {
        #expect(try sessions("note", "2", "first to\nfail").status == .exited(0))
        #expect(try numbers(json("search", "note:first")) == [2])
        #expect(try sessions("search", "is:noted").output.hasSuffix("/broken  (first to fail)\n"))
        #expect(try json("note", "2", "")["note"].kind == .null)
        #expect(try numbers(json("search", "is:noted")) == [])
    }

    @Test("what is deleted is gone, a session with all that it had")
    func delete() throws {
        #expect(
            try sessions("delete", "--exchange", "1", "1", "9").output == "1 exchange deleted\n"
        )
        #expect(try json("delete", "bug")["deleted"].int == 2)
        #expect(try json("list")["sessions"].arrayValue.isEmpty)
        #expect(try sessions("show").status == .exited(1))
        #expect(try sessions("delete").status == .exited(2))
    }

    @Test("compacting gives back the room of what was deleted, and of files that nobody has")
    func compact() throws {
        try files.write(String(repeating: "x", count: 200_000), to: "large")
        _ = try apus(["send", url("up"), "-d", "@large", "--session", "large"])
        let orphan = String(repeating: "a", count: 64)
        _ = try PipedProgram.shell(
            "mkdir -p data/apus/history.sqlite-bodies/aa && cp large data/apus/history.sqlite-bodies/aa/\(orphan)",
            files: files
        )
        _ = try sessions("delete", "large")
        let freed = try json("compact")
        #expect(freed["removed"].int == 0 && freed["freed"].int ?? 0 >= 400_000)
        #expect(files.contents(of: files.home + "/data/apus/history.sqlite-bodies/aa").isEmpty)
        #expect(try sessions("compact").output == "0 exchanges removed, 0 B freed\n")
        #expect(try numbers(json("show")) == [3, 2, 1])
    }

    @Test("a damaged history is told, and one that cannot be opened ends it")
    func damaged() throws {
        // What was sent lies in the log beside it, and would repair it.
        _ = try sessions()
        try files.write(
            String(repeating: "no database", count: 1000),
            to: "data/apus/history.sqlite"
        )
        let listed = try sessions()
        #expect(listed.status == .exited(0))
        #expect(listed.errors.contains("It was moved to "))
        #expect(listed.output.hasPrefix("0 exchanges in all"))
        let script = #"XDG_DATA_HOME=/dev/null "$1" sessions"#
        let closed = try PipedProgram.shell(script, files: files)
        #expect(closed.status == .exited(2))
        #expect(
            closed.errors.hasPrefix("apus: cannot open the history /dev/null/apus/history.sqlite: ")
        )
    }
}
