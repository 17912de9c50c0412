import Documents
import Explorer
import Glibc
import Recordings
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

    @Test("a report that cannot be written is refused before anything is sent")
    func noFolder() throws {
        let run = try run("Gone", "--junit", "none/run.xml")
        #expect(run.status == .exited(2) && run.errors.contains("none/run.xml"), "\(run.errors)")
        #expect(!server.received.contains { $0.path == "/gone" })
    }

    @Test("the workspace on the page about CI is one")
    func page() throws {
        let blocks = RunsPage.page.split(separator: "\n\n")
        let code = try #require(blocks.first { $0.hasPrefix("    targets:") })
        let lines = code.split(separator: "\n").map { $0.dropFirst(4) }
        try files.write(
            "environments: { e: { baseURL: http://a.example } }\n"
                + lines.joined(separator: "\n"),
            to: "ci.apus.yaml"
        )
        let check = try PipedProgram.run(["check", "ci.apus.yaml", "--strict"], files: files)
        #expect(check.status == .exited(0), "\(check.output)\(check.errors)")
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
        #expect(xml.contains(#"classname="apus.Wrong" name="Wrong/Name""#))
        #expect(xml.contains("&#10;in ./a.apus.yaml:8:5</failure>"), "\(xml)")
        #expect(!xml.unicodeScalars.contains("\u{1B}"))
        #expect(junit.output.hasPrefix("TAP version 13\n") && junit.output.hasSuffix("\n1..4\n"))
        #expect(junit.output.contains(" - Wrong/Broken\n  ---\n"))
        let oks = junit.output.split(separator: "\n").filter { $0.hasPrefix("ok ") }
        #expect(oks.count == 2)
    }

    @Test("the page shows all exchanges without secrets, markup of others, or a network")
    func exchangePage() throws {
        #expect(try run("Users", "Wrong/Name", "--html", "run.html").status == .exited(1))
        let page = try files.read("run.html")
        #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
        #expect(!page.contains("tok-secret-77") && page.contains("••••••"))
        #expect(!page.contains("Ada <b>") && page.contains("Ada &lt;b&gt;&amp;"))
        #expect(!page.contains("<script") && !page.contains("src=") && !page.contains("@import"))
        #expect(page.split(separator: "<details ").count == 4)
    }

    @Test("an interrupted run leaves whole reports", arguments: [SIGINT, SIGTERM])
    func interrupted(signal: Int32) throws {
        for form in ["--json", "--tap"] {
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
            let reports = ["--junit", "held.xml", "--html", "held.html"]
            let running = try PipedConversation(
                ["run", "held.apus.yaml", "--jobs", "1", form] + reports,
                files: files
            )
            if form == "--json" {
                #expect(try JSON(parsing: running.nextLine() ?? "")["name"].string == "A")
            } else {
                #expect(running.nextLine() == "TAP version 13")
                #expect(running.nextLine() == "ok 1 - A")
            }
            held.waitFor(1)
            running.signal(signal)
            if form == "--tap" { #expect(running.nextLine() == "Bail out! interrupted") }
            #expect(running.wait() == .exited(130))
            #expect(try files.read("held.xml").contains(#"tests="1""#))
            #expect(
                try PipedProgram.shell("xmllint --noout held.xml", files: files).status
                    == .exited(0)
            )
            #expect(try files.read("held.html").hasSuffix("</html>\n"))
        }
    }

    @Test("rows in the file send a target once for each; those of the command line go before them")
    func ownRows() throws {
        try files.write("user\n1\n2\n", to: "rows.csv")
        try files.write(
            """
            environments: { local: { baseURL: "http://\(server.authority)" } }
            targets:
              Show: { request: "GET /users/{{ user }}", rows: rows.csv }
              Two: { request: "GET /{{ a }}/{{ b }}", rows: [{ a: x }, { a: y }], matrix: { b: [1, 2] } }
            """,
            to: "rows.apus.yaml"
        )
        let run = try run("rows.apus.yaml", "--json", "--jobs", "1")
        #expect(run.status == .exited(0), "\(run.errors)")
        #expect(
            try lines(run).dropLast().map {
                $0["request"].string?.split(separator: "/").dropFirst(2).joined(separator: "/")
            }
                == ["users/1", "users/2", "x/1", "x/2", "y/1", "y/2"]
        )
        #expect(try lines(run).first?["name"].string == "Show [row 1]")
        try files.write("user\n9\n", to: "other.csv")
        let other = try self.run("rows.apus.yaml", "Show", "--rows", "other.csv", "--json")
        #expect(try lines(other).first?["request"].string?.hasSuffix("/users/9") == true)
        let alone = try PipedProgram.run(
            ["send", "Show", "-w", "rows.apus.yaml", "--json"],
            files: files
        )
        #expect(
            try JSON(parsing: alone.output)["request", "url"].string?.hasSuffix("/users/1") == true
        )
    }

    /// Names that end lines, begin directives, close elements, or are no characters of XML; and bodies of any bytes.
    private func writeHostile() throws -> RawServer {
        let hostile = try RawServer { request in
            switch request.path {
            case "/bytes": [RawServer.ok("{\"a\": \"\u{0}\u{1}]]>\u{7F}\u{FFFE}\"}")]
            case "/closed": [.close]
            case "/script":
                [
                    RawServer.ok(
                        #"{"a": "</script><script>alert(1)</script><!-- \u202e ]]> \u0000"}"#
                    )
                ]
            default: [RawServer.ok("{}")]
            }
        }
        try files.write(
            ##"""
            name: "<&\"']]>\u0001"
            environments: { e: { baseURL: "http://\##(hostile.authority)" } }
            targets:
              "ok 7 # SKIP no": { request: GET /, expect: { status: 201 } }
              "# todo later": { request: GET /, expect: { status: 201 } }
              "back\\slash \\# x": { request: GET / }
              "line\r\nnot ok 3 - forged\nBail out!": GET /
              "\u0000\u001b[31m\u2028\u0085\u202e\uFFFE]]>": { request: GET /bytes, expect: { json: { $.a: x } } }
              "<b>&amp;\"'": { request: GET /script, expect: { json: { $.a: "</script>\u0001" } } }
              closed: GET /closed
            chains:
              "c # 1": [closed, "back\\slash \\# x"]
            """##,
            to: "hostile.apus.yaml"
        )
        return hostile
    }

    @Test(
        "JUnit's report is as its schema says, with every outcome and whatever is in names and bodies"
    )
    func schema() throws {
        let hostile = try writeHostile()
        let run = try run("hostile.apus.yaml", "--junit", "run.xml", "--html", "run.html", "--json")
        #expect(run.status == .exited(1), "\(run.errors)")
        let summary = try lines(run).last?["summary"]
        #expect(
            ["passed", "failed", "error", "skipped"].map { summary?[$0].int } == [2, 4, 2, 1],
            "\(run.output)"
        )
        try files.write(Self.junitSchema, to: "junit.xsd")
        let check = try PipedProgram.shell(
            "xmllint --noout --schema junit.xsd run.xml",
            files: files
        )
        #expect(check.status == .exited(0), "\(check.errors)")
        // It refuses what the schema does not know.
        let other = try files.read("run.xml").replacing("<testcase ", with: "<testcase line=\"1\" ")
        try files.write(other, to: "other.xml")
        let refused = try PipedProgram.shell(
            "xmllint --noout --schema junit.xsd other.xml",
            files: files
        )
        #expect(refused.status != .exited(0))
        let page = try files.read("run.html")
        #expect(
            !page.contains("<script") && !page.contains("<b>&amp;\"") && !page.contains("\u{202E}")
        )
        _ = hostile
    }

    @Test("a public parser of TAP counts what was sent, whatever is in names")
    func tap() throws {
        let hostile = try writeHostile()
        let tap = try run("hostile.apus.yaml", "--tap")
        #expect(tap.status == .exited(1), "\(tap.errors)")
        try files.write(tap.output, to: "run.tap")
        let proved = try PipedProgram.shell("prove -e cat run.tap", files: files)
        #expect(proved.output.contains("Tests: 9 Failed: 6)"), "\(proved.output)\(tap.output)")
        #expect(!proved.output.contains("Parse errors") && !proved.output.contains("TODO"))
        let good = try run("hostile.apus.yaml", ##"back\slash \# x"##, "--tap", "--repeat", "3")
        try files.write(good.output, to: "good.tap")
        #expect(try PipedProgram.shell("prove -e cat good.tap", files: files).status == .exited(0))
        _ = hostile
    }

    @Test("the history has what came of a run, not of its statuses")
    func recorded() async throws {
        _ = try run("a.apus.yaml", "Wrong/Name", "Users/List")
        _ = try run("a.apus.yaml", "Gone")
        let history = History(path: files.home + "/data/apus/history.sqlite")
        #expect(try await history.runs().map(\.failedCount) == [0, 1])
        await history.close()
    }

    /// What servers of CI agree on: these elements, in each other, and these attributes.
    private static let junitSchema = """
        <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
          <xs:simpleType name="seconds"><xs:restriction base="xs:string"><xs:pattern value="[0-9]+[.][0-9]{3}"/></xs:restriction></xs:simpleType>
          <xs:complexType name="fault"><xs:simpleContent><xs:extension base="xs:string">
            <xs:attribute name="message"/><xs:attribute name="type"/>
          </xs:extension></xs:simpleContent></xs:complexType>
          <xs:attributeGroup name="counts">
            <xs:attribute name="tests" type="xs:nonNegativeInteger" use="required"/>
            <xs:attribute name="failures" type="xs:nonNegativeInteger" use="required"/>
            <xs:attribute name="errors" type="xs:nonNegativeInteger" use="required"/>
            <xs:attribute name="time" type="seconds" use="required"/>
          </xs:attributeGroup>
          <xs:element name="testcase"><xs:complexType>
            <xs:choice minOccurs="0">
              <xs:element name="failure" type="fault"/><xs:element name="error" type="fault"/>
              <xs:element name="skipped" type="fault"/>
            </xs:choice>
            <xs:attribute name="name" use="required"/><xs:attribute name="classname" use="required"/>
            <xs:attribute name="time" type="seconds" use="required"/>
          </xs:complexType></xs:element>
          <xs:element name="testsuite"><xs:complexType>
            <xs:sequence><xs:element ref="testcase" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
            <xs:attribute name="name" use="required"/><xs:attributeGroup ref="counts"/>
            <xs:attribute name="skipped" type="xs:nonNegativeInteger"/>
            <xs:attribute name="timestamp" type="xs:dateTime"/>
          </xs:complexType></xs:element>
          <xs:element name="testsuites"><xs:complexType>
            <xs:sequence><xs:element ref="testsuite" maxOccurs="unbounded"/></xs:sequence>
            <xs:attribute name="name"/><xs:attributeGroup ref="counts"/>
          </xs:complexType></xs:element>
        </xs:schema>
        """
}
