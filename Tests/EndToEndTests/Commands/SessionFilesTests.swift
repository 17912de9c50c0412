import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Recordings
import TestSupport
import Testing

@Suite("apus sessions export and import")
struct SessionFilesTests {
    private let files: PrivateFiles
    private let server: RawServer

    init() throws {
        files = PrivateFiles()
        server = try RawServer { request in
            switch request.path {
            case "/logo":
                [.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n"), .bytes([0xFF, 0, 1])]
            case "/old":
                [.send("HTTP/1.1 302 Found\r\nLocation: /new\r\nContent-Length: 0\r\n\r\n")]
            default:
                [
                    RawServer.ok(
                        #"{"token": "s3cret", "at": 1}"#,
                        fields: "Content-Type: application/json\r\n"
                    )
                ]
            }
        }
        for path in ["one?password=s3cret", "logo", "old"] {
            _ = try apus("send", "http://\(server.authority)/\(path)", "--session", "day")
        }
        _ = try apus("send", "http://127.0.0.1:1/", "--session", "day")
    }

    private func apus(_ arguments: String...) throws -> PipedProgram {
        try .run(arguments, files: files)
    }

    @Test("a HAR file, to a file or a pipe, is imported as the same session")
    func har() throws {
        #expect(try apus("sessions", "export", "day", "-o", "day.har").status == .exited(0))
        let har = try JSON(parsing: files.bytes("day.har"))
        #expect(try apus("sessions", "export", "day").output == files.read("day.har"))
        let urls = har["log", "entries"].arrayValue.map { $0["request", "url"].string ?? "" }
        let base = "http://\(server.authority)"
        #expect(
            urls == [
                "\(base)/one?password=••1", "\(base)/logo", "\(base)/old", "\(base)/new",
                "http://127.0.0.1:1/",
            ]
        )
        #expect(!(try files.read("day.har").contains("s3cret")))
        let taken = try apus("sessions", "import", "day.har")
        #expect(taken.status == .exited(2))
        #expect(
            taken.errors
                == "apus: day.har: a session “day” already exists; use --session to import it under another name\n"
        )
        let imported = try apus("sessions", "import", "day.har", "--session", "again", "--json")
        #expect(
            imported.output == #"{"version":1,"session":"again","exchanges":4,"remarks":[]}"# + "\n"
        )
        _ = try apus("sessions", "export", "again", "-o", "again.har")
        let again = try JSON(parsing: files.bytes("again.har"))
        #expect(again["log", "entries"] == har["log", "entries"])
        #expect(try apus("replay", "again", "--only", "url:/logo").status == .exited(0))
        let piped = try PipedProgram.shell(
            #""$1" sessions export day -o - | "$1" sessions import - --session piped"#,
            files: files
        )
        #expect(piped.output == "piped: 4 exchanges\n")
    }

    @Test("a folder of text files is imported as the same session, and written the same again")
    func folder() throws {
        #expect(try apus("sessions", "export", "day", "-o", "day").status == .exited(0))
        #expect(
            files.contents(of: files.home + "/day").sorted() == [
                ".gitattributes", "001-get-one.txt", "002-get-logo.response.bin",
                "002-get-logo.txt",
                "003-get-old.txt", "004-get.txt", "session.txt",
            ]
        )
        #expect(
            try files.read("day/003-get-old.txt").contains(
                "\n302 http://\(server.authority)/old → /new\n"
            )
        )
        #expect(try PipedProgram.shell("grep -r s3cret day", files: files).output.isEmpty)
        let imported = try apus("sessions", "import", "day", "--session", "again")
        #expect(imported.output == "again: 4 exchanges\n" && imported.errors.isEmpty)
        _ = try apus("sessions", "export", "again", "-o", "again")
        let compared = try PipedProgram.shell("diff -r day again", files: files)
        #expect(compared.output.split(separator: "\n").suffix(3) == ["< day", "---", "> again"])
        #expect(compared.output.split(separator: "\n").count == 5)
    }

    @Test("what a filter lets pass is written, as the path's ending or --format says")
    func choices() throws {
        _ = try apus(
            "sessions",
            "export",
            "day",
            "-o",
            "some.d",
            "--format",
            "folder",
            "--only",
            "status:error"
        )
        #expect(files.contents(of: files.home + "/some.d").count == 3)
        let odd = try apus("sessions", "export", "day", "-o", "day.json")
        #expect(odd.status == .exited(2) && odd.errors.contains("--format har or --format folder"))
        #expect(
            try apus("sessions", "export", "day", "-o", "day.json", "--format", "har").status
                == .exited(0)
        )
        _ = try PipedProgram.shell("mkdir mine && touch mine/x", files: files)
        let full = try apus("sessions", "export", "day", "-o", "mine")
        #expect(full.status == .exited(2))
        #expect(full.errors.hasPrefix("apus: mine: this folder contains other files"))
        #expect(try apus("sessions", "export", "night", "-o", "x").status == .exited(2))
    }

    @Test("an import that waits for a pipe ends when it is told to")
    func pipe() throws {
        let piped = try PipedProgram.shell(
            """
            mkfifo f; "$1" sessions import f & exec 3>f; kill -TERM $!; wait $!; echo $?
            """,
            files: files
        )
        #expect(piped.output.hasSuffix("143\n"))
    }

    @Test("what cannot be imported is told with its place, and what is left out is said")
    func faults() throws {
        try files.write(#"{"log": {"entries": [{"request": {"method": 1}}]}}"#, to: "bad.har")
        let bad = try apus("sessions", "import", "bad.har")
        #expect(bad.status == .exited(2))
        #expect(bad.errors == "apus: bad.har: entry 1, request.method: not a valid method\n")
        let piped = try PipedProgram.shell(#""$1" sessions import - <bad.har"#, files: files)
        #expect(piped.errors == bad.errors.replacing("bad.har", with: "standard input"))
        #expect(try apus("sessions", "import", "none.har").status == .exited(2))
        try files.write(
            #"""
            {"log": {"entries": [{"request": {"url": "data:,x"}}, {"request": {"method": "GET",
            "url": "https://a.example/", "headers": [{"name": "Cookie", "value": "a=s3cret"}]},
            "response": {"status": 204}}]}}
            """#,
            to: "good.har"
        )
        let good = try apus("sessions", "import", "good.har", "--keep-secrets")
        #expect(good.output == "good: 1 exchange\n")
        #expect(good.errors == "apus: 1 entry of data: left out\n")
        let shown = try apus("sessions", "export", "good")
        #expect(shown.output.contains("a=s3cret"))
        for path in ["/etc", "."] {
            let folder = try apus("sessions", "import", path, "--session", "none")
            #expect(folder.status == .exited(2) && folder.errors.contains("there are no exchanges"))
        }
        #expect(!(try apus("sessions", "list").output.contains("none")))
        try files.write(
            #"""
            {"log": {"entries": [{"request": {"method": "GET", "url": "https://a.example/1"},
            "response": {"status": 204}, "time": NaN}, {"request": {"method": "GET",
            "url": "https://a.example/2"}, "response": {"status": 204}}]}}
            """#,
            to: "nan.har"
        )
        let part = try apus("sessions", "import", "nan.har")
        #expect(part.output == "nan: 1 exchange\n" && part.status == .exited(0))
        #expect(part.errors.hasPrefix("apus: entry 1, line 2, column 38: not valid JSON: "))
        #expect(part.errors.hasSuffix(": left out\n"))
    }

    /// A HAR file of so many exchanges with bodies that are not small together.
    private func writeHAR(_ count: Int) throws {
        let entries = (1...count).map { number in
            let text = (0..<100).map { "\(number * 1_000_003 + $0 * 7919) " }.joined()
            return #"{"request": {"url": "http://a.example/\#(number)", "method": "GET"}, "#
                + #""response": {"status": 200, "content": {"text": "\#(text)"}}}"#
        }
        try files.write(
            #"{"log": {"entries": [\#(entries.joined(separator: ",\n"))]}}"#,
            to: "large.har"
        )
    }

    @Test("where the disk is full nothing is imported, and not half")
    func fullDiskOfImport() throws {
        let before = try apus("sessions", "list", "--json").output
        try writeHAR(1000)
        for blocks in [400, 900, 1600] {
            let run = try PipedProgram.shell(
                #"trap '' XFSZ; ulimit -f \#(blocks); exec "$1" sessions import large.har"#,
                files: files
            )
            #expect(run.status == .exited(2) && run.errors.hasPrefix("apus: cannot write"))
            let list = try JSON(parsing: try apus("sessions", "list", "--json").output)
            let known = try JSON(parsing: before)
            #expect(list["sessions"] == known["sessions"])
            #expect(list["exchanges"] == known["exchanges"])
        }
        #expect(try apus("sessions", "import", "large.har").output == "large: 1000 exchanges\n")
    }

    @Test(
        "on a full disk what waits is exported too, and a file that cannot be whole is left alone"
    )
    func fullDiskOfExport() async throws {
        _ = try apus("sessions", "export", "day", "-o", "day")
        try files.write("kept", to: "day.har")
        let history = History(path: files.home + "/data/apus/history.sqlite")
        let session = try await history.session(named: "day")
        let request = PreparedRequest(
            head: HTTPRequest(method: .get, scheme: "http", authority: "a.example", path: "/x")
        )
        for number in 0..<200 {
            let body = (0..<500).map { UInt8(truncatingIfNeeded: $0 * (number + 3)) }
            let response = Response(
                request: request,
                head: HTTPResponse(status: .ok),
                body: .bytes(body),
                source: .server,
                received: Date()
            )
            await history.record(
                ExchangeRecord(
                    started: Date(),
                    request: request,
                    result: .success(response),
                    duration: .zero
                ),
                in: session
            )
        }
        await history.close(takingIn: false)
        // Each file of a folder is small enough, and a HAR of all is not.
        for (output, status) in [("day.har", EndStatus.exited(2)), ("day", .exited(0))] {
            let run = try PipedProgram.shell(
                #"trap '' XFSZ; ulimit -f 100; exec "$1" sessions export day -o \#(output)"#,
                files: files
            )
            #expect(run.status == status, "\(run.errors)")
        }
        #expect(try files.read("day.har") == "kept")
        #expect(files.contents(of: files.home + "/day").count == 7 + 2 * 200)
        let whole = try apus("sessions", "export", "day")
        #expect(try JSON(parsing: whole.output)["log", "entries"].arrayValue.count == 205)
    }
}
