import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import TestSupport
import Testing
import Workspaces

@Suite("Bodies of parts and of GraphQL")
struct PartsAndQueriesTests {
    private static let text = """
        environments: { local: { baseURL: "http://h", variables: { id: 7, who: Ada } } }
        targets:
          Parts:
            request: POST /upload
            multipart:
              name: "{{ who }}"   # a text
              tags: [a, b]
              at: "@home"
              avatar: { file: pic.png, type: image/x-own }
          Query:
            request: POST /graphql
            graphql:
              query: |
                query User($id: ID!) { user(id: $id) { name } }
              variables: { id: "{{ id }}", big: 12345678901234567890 }   # as they are
          Short:
            request: POST /graphql
            graphql: "{ users { name } }"

        """

    private func written(_ id: String, in workspace: Workspace) throws -> TargetDraft {
        let definition = try #require(workspace.definition(TargetID(id)))
        return workspace.written(definition, in: "local")
    }

    private func edited(
        _ id: String,
        _ change: (inout TargetDraft) -> Void
    ) throws -> String {
        let folder = TemporaryFolder()
        let path = folder.path + "/a.apus.yaml"
        try Self.text.write(toFile: path, atomically: false, encoding: .utf8)
        let workspace = try Workspace.load(path: path)
        var target = try written(id, in: workspace)
        change(&target)
        try workspace.editing(TargetID(id), to: target).save()
        return try String(contentsOfFile: path, encoding: .utf8)
    }

    @Test("parts are texts, lists of them, and files beside the workspace")
    func parts() throws {
        let target = try Workspace.make(Self.text, file: "/tmp/a.apus.yaml").sent("Parts")
        guard case .multipart(let form) = target.task else {
            Issue.record("not a form of parts")
            return
        }
        #expect(form.parts.map(\.name) == ["name", "tags", "tags", "at", "avatar"])
        #expect(form.parts[0].content == .bytes(Array("Ada".utf8)))
        #expect(form.parts[3].content == .bytes(Array("@home".utf8)))
        #expect(form.parts[4].content == .file(path: "/tmp/pic.png"))
        #expect(form.parts[4].type == "image/x-own")
    }

    @Test("a query goes with its variables, numbers as they are written")
    func query() throws {
        let workspace = try Workspace.make(Self.text)
        guard case .data(let bytes, _) = try workspace.sent("Query").task else {
            Issue.record("no body")
            return
        }
        let json = try JSON(parsing: String(decoding: bytes, as: UTF8.self))
        #expect(json["query"].string?.hasPrefix("query User($id") == true)
        #expect(json["variables"]["id"].int == 7)
        #expect(String(decoding: bytes, as: UTF8.self).contains("12345678901234567890"))
        #expect(
            try Endpoint(workspace.sent("Query")).request.head.headerFields[.contentType]
                == "application/json"
        )
        guard case .data(let short, _) = try workspace.sent("Short").task else { return }
        #expect(String(decoding: short, as: UTF8.self) == #"{"query":"{ users { name } }"}"#)
    }

    @Test(
        "what is wrong is said",
        arguments: [
            ("multipart: { a: { fiel: x } }", "fiel"),
            ("multipart: { a: { type: x } }", "no `file`"),
            ("graphql: { variables: {} }", "no `query`"),
            ("graphql: { query: q, variables: [1] }", "`variables`"),
            ("multipart: { a: b }\n    form: { a: b }", "one body"),
        ]
    )
    func problems(body: String, words: String) {
        let found = WorkspacesTests.problems(
            "targets:\n  A:\n    request: POST http://h\n    \(body)\n"
        )
        #expect(found.contains { $0.contains(words) }, "\(found)")
    }

    @Test("parts are rows to edit, and the rest stays to the byte")
    func editsParts() throws {
        let rows = try written("Parts", in: Workspace.make(Self.text)).body
        #expect(
            rows
                == .multipart([
                    .init("name", "{{ who }}"), .init("tags", "a"), .init("tags", "b"),
                    .init("at", "\\@home"), .init("avatar", "@pic.png;type=image/x-own"),
                ])
        )
        let text = try edited("Parts") { target in
            guard case .multipart(var rows) = target.body else { return }
            rows[2].value = "c"
            rows.append(.init("file", "@new.txt"))
            target.body = .multipart(rows)
        }
        let lines = text.split(separator: "\n")
        #expect(lines.contains { $0.contains("name: \"{{ who }}\"   # a text") })
        #expect(lines.contains { $0.contains("tags: [a, c]") })
        #expect(lines.contains { $0.contains("avatar: { file: pic.png, type: image/x-own }") })
        let again = try written("Parts", in: Workspace.make(text)).body
        guard case .multipart(let new) = again else {
            Issue.record("not parts any more: \(text)")
            return
        }
        #expect(new.last == .init("file", "@new.txt") && new.count == 6)
    }

    @Test("a query and its variables are edited apart")
    func editsQuery() throws {
        let text = try edited("Query") { target in
            guard case .graphQL(let query, let variables, let operation) = target.body else {
                return
            }
            target.body = .graphQL(
                query: query,
                variables: variables.replacing("\"{{ id }}\"", with: "8"),
                operation: operation
            )
        }
        #expect(text == Self.text.replacing("id: \"{{ id }}\"", with: "id: 8"))
        let short = try edited("Short") {
            $0.body = .graphQL(query: "{ a }", variables: "", operation: "")
        }
        #expect(short == Self.text.replacing("\"{ users { name } }\"", with: "\"{ a }\""))
    }

    @Test("another kind of body takes the place of what is there")
    func changesKind() throws {
        let text = try edited("Short") {
            $0.body = .multipart([.init("a", "1"), .init("f", "@x")])
        }
        #expect(!text.contains("users { name }"))
        let body = try written("Short", in: Workspace.make(text)).body
        #expect(body == .multipart([.init("a", "1"), .init("f", "@x")]))
    }
}
