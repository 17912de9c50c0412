import Documents
import Glibc
import TestSupport
import Testing

@Suite("apus run")
struct RunCommandTests {
    private let files: PrivateFiles
    private let server: RawServer

    init() throws {
        files = PrivateFiles()
        server = try RawServer { request in
            switch request.path {
            case "/users": [RawServer.ok(#"{"users": [{"id": 1, "token": "tok-secret-77"}]}"#)]
            case "/users/1": [RawServer.ok(#"{"id": 1, "name": "Ada <b>&\u001b[31m"}"#)]
            case "/broken": [.send("HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n")]
            case "/gone": [.send("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n")]
            case "/closed": [.close]
            default: [RawServer.ok(request.path)]
            }
        }
        try files.write(
            """
            environments: { local: { baseURL: "http://\(server.authority)" } }
            variables: { user: 1 }
            targets:
              Users:
                List: { request: GET /users, expect: { status: 200, json: { $.users: { count: 1 } } } }
                Show: { request: "GET /users/{{ user }}", expect: { json: { $.id: 1 } } }
              Wrong:
                Name: { request: GET /users/1, expect: { json: { $.name: Bob } } }
                Broken: GET /broken
              Gone: { request: GET /gone, expect: { status: 404 } }
            batches:
              Many: { targets: [{ target: Users/List, repeat: 5 }], expect: { failed: 0, max: < 60 s } }
              Bad: { targets: [{ target: Wrong/Name, repeat: 3 }], expect: { failed: 1 } }
            chains:
              Chain:
                - { step: list, target: Users/List, capture: { user: "$.users[0].id" } }
                - { step: show, target: Users/Show }
                - { step: gone, target: Gone }
            """,
            to: "a.apus.yaml"
        )
    }

    private func run(_ arguments: String...) throws -> PipedProgram {
        try .run(["run"] + arguments, files: files)
    }

    private func lines(_ program: PipedProgram) throws -> [JSON] {
        try program.output.split(separator: "\n").map { try JSON(parsing: String($0)) }
    }

    @Test("what is as expected ends with 0, with a line each")
    func good() throws {
        let run = try run("a.apus.yaml", "Users", "Gone", "Many", "Chain")
        #expect(run.status == .exited(0), "\(run.errors)\(run.output)")
        let names = run.output.split(separator: "\n").map { line in
            line.split(separator: "  ").last.map(String.init) ?? ""
        }
        #expect(
            Set(names) == [
                "Users/List", "Users/Show", "Gone", "Many", "Chain/list", "Chain/show",
                "Chain/gone",
                "Many/1 Users/List", "Many/2 Users/List", "Many/3 Users/List", "Many/4 Users/List",
                "Many/5 Users/List",
            ]
        )
        #expect(run.errors.hasPrefix("12 passed; "), "\(run.errors)")
    }

    @Test("what is not as expected ends with 1, and says what, what there is, and where")
    func bad() throws {
        let run = try run("Wrong", "Bad", "--json")
        #expect(run.status == .exited(1), "\(run.errors)")
        let lines = try lines(run)
        let name = try #require(lines.first { $0["name"].string == "Wrong/Name" })
        #expect(name["outcome"].string == "failed")
        #expect(name["failures", 0, "expected"].string == #"$.name is "Bob""#)
        #expect(name["failures", 0, "line"].int == 8)
        let broken = try #require(lines.first { $0["name"].string == "Wrong/Broken" })
        #expect(broken["failures", 0, "expected"].string == "a status below 400")
        #expect(broken["failures", 0, "actual"].string == "500")
        let batch = try #require(lines.first { $0["name"].string == "Bad" })
        #expect(batch["failures", 0, "expected"].string == "failed is 1")
        #expect(batch["failures", 0, "actual"].string == "3")
        #expect(lines.last?["summary", "failed"].int == 6)
    }

    @Test("a name that nothing has is refused, with the nearest")
    func unknown() throws {
        let run = try run("Usres")
        #expect(run.status == .exited(2))
        #expect(run.errors.contains("did you mean “Users”?"), "\(run.errors)")
    }

    @Test("no response is an error, and is tried again if asked")
    func noResponse() throws {
        try files.write(
            "targets: { Closed: \"GET http://\(server.authority)/closed\" }",
            to: "closed.apus.yaml"
        )
        let run = try run("closed.apus.yaml", "--retry", "2", "--json")
        #expect(run.status == .exited(1))
        #expect(try lines(run).first?["outcome"].string == "error")
        #expect(server.received.count { $0.path == "/closed" } == 3)
    }

    @Test("each row of a table, each part of several, and repeats")
    func selection() throws {
        try files.write("user,note\n1,a\n2,b\n", to: "rows.csv")
        let rows = try run("Users/Show", "--rows", "rows.csv", "--json")
        let outcomes = try lines(rows).dropLast().map {
            [$0["name"].string ?? "", $0["outcome"].string ?? ""]
        }
        #expect(
            Set(outcomes) == [["Users/Show [row 1]", "passed"], ["Users/Show [row 2]", "failed"]]
        )
        var names: [String] = []
        for part in ["1/2", "2/2"] {
            names += try lines(run("Users", "Gone", "--shard", part, "--json")).dropLast()
                .compactMap { $0["name"].string }
        }
        #expect(names.sorted() == ["Gone", "Users/List", "Users/Show"])
        let repeats = try lines(run("Gone", "--repeat", "3", "--json"))
        #expect(repeats.last?["summary", "passed"].int == 3)
    }

    @Test("the first failure ends a run if asked")
    func failFast() throws {
        let run = try run("Wrong", "Users", "Gone", "--fail-fast", "--jobs", "1", "--json")
        #expect(run.status == .exited(1))
        #expect(try lines(run).last?["summary", "total"].int == 1)
    }

    @Test("JUnit's report and TAP have all results, whatever is in their texts")
    func reports() throws {
        let junit = try run("Users", "Wrong", "--junit", "run.xml", "--tap")
        #expect(junit.status == .exited(1))
        let xml = try files.read("run.xml")
        #expect(xml.contains(#"tests="4" failures="2" errors="0" skipped="0""#), "\(xml)")
        #expect(
            xml.contains(#"classname="apus.Wrong" name="Wrong/Name" file="./a.apus.yaml" line="8""#)
        )
        #expect(!xml.unicodeScalars.contains("\u{1B}"))
        #expect(junit.output.hasPrefix("TAP version 14\n1..4\n"))
        #expect(junit.output.contains(" - Wrong/Broken\n  ---\n"))
        let oks = junit.output.split(separator: "\n").filter { $0.hasPrefix("ok ") }
        #expect(oks.count == 2)
    }

    @Test("the page shows all exchanges without secrets, markup of others, or a network")
    func page() throws {
        #expect(try run("Users", "Wrong/Name", "--html", "run.html").status == .exited(1))
        let page = try files.read("run.html")
        #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
        #expect(!page.contains("tok-secret-77") && page.contains("••••••"))
        #expect(!page.contains("Ada <b>") && page.contains("Ada &lt;b&gt;&amp;"))
        #expect(!page.contains("<script") && !page.contains("src=") && !page.contains("@import"))
        #expect(page.split(separator: "<details ").count == 4)
    }

    @Test("an interrupted run leaves whole reports")
    func interrupted() throws {
        let held = HeldRequests()
        let slow = try RawServer { request in
            if request.path == "/1" { return [RawServer.ok("1")] }
            held.hold()
            return [.close]
        }
        defer { held.release(1) }
        try files.write(
            """
            environments: { e: { baseURL: "http://\(slow.authority)" } }
            targets: { A: GET /1, B: GET /2 }
            """,
            to: "held.apus.yaml"
        )
        let running = try PipedConversation(
            ["run", "held.apus.yaml", "--jobs", "1", "--junit", "held.xml", "--html", "held.html"],
            files: files
        )
        held.waitFor(1)
        running.signal(SIGINT)
        #expect(running.wait() == .exited(130))
        #expect(try files.read("held.xml").contains(#"tests="1""#))
        #expect(try files.read("held.html").hasSuffix("</html>\n"))
    }
}
