import Documents
import HTTPTypes
import Testing

@testable import Workspaces

@Suite("Files of environment variables")
struct EnvironmentFileTests {
    private static func entries(
        _ text: String,
        variables: [String: String] = [:]
    ) -> (entries: [String], problems: [String]) {
        let log = ProblemLog()
        var reader = EnvironmentFileReader(text, file: ".env", log: log) { variables[$0] }
        let entries = reader.entries().map { "\($0.name)=\($0.value)" }
        return (entries, log.problems.map(\.summary))
    }

    @Test(
        "a line is read as other programs read it",
        arguments: [
            ("A=1", ["A=1"]),
            ("  A = 1  ", ["A=1"]),
            ("export A=1\nexport=2", ["A=1", "export=2"]),
            ("# no\n\nA=1 # no\nB=a#b\nC=#no", ["A=1", "B=a#b", "C="]),
            ("A=\nB=''\nC=\"\"", ["A=", "B=", "C="]),
            ("A=it's \"so\"", ["A=it's \"so\""]),
            ("A=' a # b ' # no", ["A= a # b "]),
            (#"A="a\nb\tc\"d\\e\$f\q""#, ["A=a\nb\tc\"d\\e$f\\q"]),
            (#"A='a\nb'"#, [#"A=a\nb"#]),
            ("A=\"one\ntwo\"\nB='one\ntwo'\nC=3", ["A=one\ntwo", "B=one\ntwo", "C=3"]),
            ("A=1\r\nB=\"2\r\n3\"\r\n", ["A=1", "B=2\n3"]),
            (
                "A=x\nB=${A}/y\nC=\"${A}\"\nD='${A}'\nE=$A",
                ["A=x", "B=x/y", "C=x", "D=${A}", "E=$A"]
            ),
            (
                "A=${HOME}\nB=${NONE}\nC=${NONE:-b c}\nD=${HOME:-no}",
                ["A=/h", "B=", "C=b c", "D=/h"]
            ),
            ("A=${}\nB=${A\nC=a${A-b}", ["A=${}", "B=${A", "C=a"]),
            ("APP.NAME=1\nA-B=2", ["APP.NAME=1", "A-B=2"]),
            ("A=1\nA=2", ["A=1", "A=2"]),
        ]
    )
    func lines(text: String, expected: [String]) {
        let (entries, problems) = Self.entries(text, variables: ["HOME": "/h"])
        #expect(entries == expected)
        #expect(problems.isEmpty)
    }

    @Test("what cannot be read is said with its line, without its text; the rest is read")
    func faults() {
        let text = "A=1\nsecret words\nB=\"x\" y\n=3\nC=2\nD='open\nE=5"
        let (entries, problems) = Self.entries(text)
        #expect(entries == ["A=1", "C=2"])
        #expect(
            problems == [
                ".env:2:1: the line has no name and value; expected `…`",
                ".env:3:6: there is text after the closing quote",
                ".env:4:1: the line has no name and value; expected `…`",
                ".env:6:3: the value has no closing quote",
            ]
        )
    }

    private static let text = """
        envFile: [base.env, own.env]
        variables: { user: file }
        environments:
          one: { baseURL: "http://h" }
          two: { extends: one, envFile: two.env }
        targets:
          T: { request: "GET /{{ user }}/{{ place }}", headers: { X-Key: "{{ API_TOKEN }}" } }
        """

    private static func make(_ files: [String: String]) throws -> Workspace {
        try Workspace.make(text, file: "w/a.apus.yaml", files: files)
    }

    @Test(
        "variables go before files, later files before earlier ones, the environment's before all"
    )
    func precedence() throws {
        let workspace = try Self.make([
            "w/base.env": "user=base\nplace=base\nAPI_TOKEN=base-token\n",
            "w/own.env": "place=own # the last counts\nAPI_TOKEN=own-token\n",
            "w/two.env": "user=two\n",
        ])
        #expect(try workspace.sent("T", in: "one").path == "/file/own")
        #expect(try workspace.sent("T", in: "two").path == "/two/own")
        #expect(workspace.watchedFiles == ["w/base.env", "w/own.env", "w/two.env"])
    }

    @Test("values under a credential's name are secrets, and no value is a template")
    func secrets() throws {
        let workspace = try Self.make([
            "w/base.env": "place={{ user }}", "w/own.env": "API_TOKEN=own-token",
            "w/two.env": "",
        ])
        let target = try workspace.sent("T", in: "one")
        #expect(target.headerFields[.init("X-Key")!] == "own-token")
        #expect(target.display.fields.map(\.value) == ["••••••"])
        #expect(target.path == "/file/%7B%7B%20user%20%7D%7D")
        #expect(workspace.knownSecrets == ["own-token"])
        #expect(workspace.isSecret("API_TOKEN", in: "one"))
    }

    @Test("without the file the workspace loads, and what it lacks is asked for")
    func missing() throws {
        let workspace = try Self.make(["w/base.env": "user=1", "w/two.env": ""])
        #expect(workspace.watchedFiles == ["w/base.env", "w/own.env", "w/two.env"])
        let needs = try workspace.sent("T", in: "one").supply?.needs ?? []
        #expect(needs.map(\.key.name).sorted() == ["API_TOKEN", "place"])
        for need in needs {
            guard case .question(let question) = need.key.origin else {
                Issue.record("\(need.key.name) is not asked for")
                continue
            }
            #expect(question.place == "w/own.env" && question.text.contains("w/own.env"))
            #expect(question.isSecret == (need.key.name == "API_TOKEN"))
        }
        let log = ProblemLog()
        UseReview(workspace: workspace, log: log).review()
        #expect(log.problems.map(\.message).contains { $0.contains("w/own.env does not exist") })
    }

    @Test("a file that cannot be read is reported where it is named")
    func unreadable() {
        let error = #expect(throws: WorkspaceError.self) {
            try Self.make(["w/base.env": "x", "w/own.env": "", "w/two.env": ""])
        }
        #expect(error?.problems.contains { $0.summary.contains("no name and value") } == true)
    }

    @Test("what a file has for other programs is no unused variable")
    func unused() throws {
        let workspace = try Self.make([
            "w/base.env": "place=1\nAPI_TOKEN=token\nDATABASE_URL=postgres://h", "w/own.env": "",
            "w/two.env": "",
        ])
        let log = ProblemLog()
        UseReview(workspace: workspace, log: log).review()
        #expect(log.problems.isEmpty)
    }
}
