import Apus
import FoundationEssentials
import TestSupport
import Testing

@testable import Workspaces

struct RowsTests {
    private static let text = """
        environments: { local: { baseURL: "https://a.example" } }
        targets: { A: "GET /{{ user }}/{{ lang }}", B: GET /b }
        batches:
          All: { targets: [A, { target: A, set: { user: 9 } }], rows: [{ user: 1 }, { user: 2 }], matrix: { lang: [en, de] } }
        """

    @Test(
        "a batch sends each target for each row and each combination; its own values go before them"
    )
    func rows() throws {
        let workspace = try Workspace.parse(text: Self.text, file: "a.apus.yaml")
        let plan = try NamedWorkspace(workspace: workspace, environment: "local").batch(
            named: "All"
        )
        let paths = plan.targets.map(\.path)
        #expect(
            paths == [
                "/1/en", "/9/en", "/1/de", "/9/de", "/2/en", "/9/en", "/2/de", "/9/de",
            ]
        )
    }

    @Test(
        "a target with rows has the values of the first, under what overrides them, and is like another in them"
    )
    func ownRows() throws {
        let text = """
            environments: { local: { baseURL: "https://a.example" } }
            variables: { user: 0, x: 7 }
            targets:
              A: { request: "GET /{{ user }}", rows: [{ user: "{{ x }}1" }, { user: 2 }] }
              B: { like: A }
            batches: { All: { targets: [A], rows: [{ user: 8 }] } }
            """
        let workspace = try Workspace.parse(text: text, file: "a.apus.yaml")
        for name in ["A", "B"] {
            let target = try #require(workspace.definition(TargetID(name)))
            #expect(try workspace.resolve(target, in: "local").path == "/71")
            #expect(
                try workspace.resolve(target, in: "local", captured: ["user": .number("5")]).path
                    == "/5"
            )
            #expect(
                try RunPlan(of: [name], in: workspace, "local").names == [
                    "\(name) [row 1]", "\(name) [row 2]",
                ]
            )
        }
        #expect(
            try NamedWorkspace(workspace: workspace, environment: "local").batch(named: "All")
                .targets.map(\.path) == ["/8"]
        )
        let fault = #expect(throws: WorkspaceError.self) {
            try Workspace.parse(
                text: "targets: { A: { request: GET https://a.example/, rows: none.csv } }",
                file: "a.apus.yaml"
            )
        }
        #expect(fault?.description.contains("none.csv") == true)
    }

    @Test(
        "a row has its own values alone, and its number; a table that the run is over takes the place of all rows"
    )
    func rowsApart() throws {
        let text = """
            environments: { local: { baseURL: "https://a.example" } }
            variables: { b: default, s: { ask: Code } }
            targets:
              A: { request: "GET /{{ a }}/{{ b }}/{{ index }}", rows: [{ a: "{{ s }}", b: two }, { a: "x{{ index }}" }] }
            """
        let workspace = try Workspace.parse(text: text, file: "a.apus.yaml")
        let target = try #require(workspace.definition(TargetID("A")))
        let second = try workspace.resolve(target, in: "local", row: 1)
        #expect(second.path == "/x2/default/2")
        #expect(second.supply == nil)
        #expect(try workspace.resolve(target, in: "local").supply?.isWaiting == true)
        let given: [String: Value] = ["a": .string("g"), "index": .number("7")]
        let third = try workspace.resolve(target, in: "local", row: nil, captured: given)
        #expect(third.path == "/g/default/7")
        #expect(third.supply == nil)
    }

    @Test(
        "rows that cannot be read are told, and nothing that comes of it",
        arguments: ["[]", "none.csv"]
    )
    func faultyRows(rows: String) {
        let error = #expect(throws: WorkspaceError.self) {
            try Workspace.parse(
                text:
                    "targets: { A: { request: 'GET https://a.example/{{ a }}', rows: \(rows) }, B: { like: A } }",
                file: "a.apus.yaml"
            )
        }
        #expect(error?.problems.count == 1, "\(error?.description ?? "")")
    }

    @Test("a table's file is watched, and a workspace with an older one is not as in its files")
    func watched() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/a.apus.yaml"
        let (one, two) = ("\(folder.path)/one.csv", "\(folder.path)/two.csv")
        try "user\n1\n".write(toFile: one, atomically: false, encoding: .utf8)
        try "user\n1\n".write(toFile: two, atomically: false, encoding: .utf8)
        try """
        targets: { A: { request: "GET https://a.example/{{ user }}", rows: one.csv } }
        batches: { B: { targets: [A], rows: two.csv } }
        """.write(toFile: path, atomically: false, encoding: .utf8)
        let workspace = try Workspace.load(path: path)
        #expect(workspace.watchedFiles == [one, two])
        #expect(workspace.isAsInFiles)
        try "user\n2\n".write(toFile: two, atomically: false, encoding: .utf8)
        #expect(!workspace.isAsInFiles)
    }

    @Test("what is defined otherwise than in an older text has changed, whatever its lines are")
    func changed() throws {
        let workspace = try Workspace.parse(text: Self.text, file: "a.apus.yaml")
        let moved =
            "# a comment\n\n" + Self.text.replacing("B: GET /b", with: "C: GET /c, B: GET /old")
        #expect(workspace.names(changedSince: ["a.apus.yaml": moved]) == ["B"])
        #expect(workspace.names(changedSince: ["a.apus.yaml": Self.text]).isEmpty)
        #expect(workspace.names(changedSince: [:]) == ["A", "B", "All"])
    }

    @Test("what has another table, or is like what has changed, has changed, too")
    func changedTable() throws {
        let folder = TemporaryFolder()
        let text = """
            environments: { local: { baseURL: "https://a.example" } }
            targets:
              A: { request: "GET /{{ user }}", rows: users.csv }
              B: GET /b
              C: { like: B }
              D: { like: A }
            batches: { All: { targets: [B], rows: users.csv }, Other: [B] }
            """
        let table = try folder.write("user\n1\n2\n", to: "users.csv")
        let path = try folder.write(text, to: "a.apus.yaml")
        let workspace = try Workspace.load(path: path)
        let file = try #require(workspace.definingFiles.first)
        let known = try #require(workspace.definingFiles.last)
        #expect(known.hasSuffix("users.csv") && table.hasSuffix("users.csv"))
        #expect(
            workspace.names(changedSince: [file: text, known: "user\n1\n2\n"]).isEmpty
        )
        let other = workspace.names(changedSince: [file: text, known: "user\n1\n"])
        #expect(other == ["A", "D", "All"])
        let base = text.replacing("GET /b", with: "GET /old")
        #expect(
            workspace.names(changedSince: [file: base, known: "user\n1\n2\n"]) == ["B", "C"]
        )
    }

    @Test("a merge adds, updates what nobody edited, and leaves the rest")
    func merge() throws {
        let first = "targets: { G: { A: GET https://a.example/1, B: GET https://a.example/2 } }\n"
        let workspace = try Workspace.new(text: first, file: "a.apus.yaml")
        let before = try WorkspaceMerge(first, into: workspace, before: [:]).remembered
        let edited = try Workspace.new(
            text: first.replacing("example/2", with: "example/mine"),
            file: "a.apus.yaml"
        )
        let second = """
            targets: { G: { A: GET https://a.example/new, B: GET https://a.example/3, C: GET https://a.example/c } }
            variables: { x: 1 }
            """
        let merge = try WorkspaceMerge(second, into: edited, before: before)
        #expect(merge.added == ["x", "G/C"] && merge.updated == ["G/A"] && merge.left == ["G/B"])
        let texts = merge.workspace.targets.map(\.path.text)
        #expect(
            texts == ["https://a.example/new", "https://a.example/mine", "https://a.example/c"]
        )
        let third = try WorkspaceMerge(
            "targets: { G: { A: GET https://a.example/new } }",
            into: merge.workspace,
            before: merge.remembered
        )
        #expect(third.added.isEmpty && third.gone == ["G/B", "G/C"])
    }
}
