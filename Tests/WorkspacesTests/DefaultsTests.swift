import Apus
import HTTPTypes
import Testing

@testable import Workspaces

@Suite("Targets without the workspace's defaults")
struct DefaultsTests {
    private static let text = """
        environments:
          local: { baseURL: "http://h.test", headers: { X-Env: e }, query: { key: k } }
        defaults:
          headers: { Accept: a/b }
          auth: { bearer: secret-token }
          timeout: 7 s
          redirects: 3
        targets:
          With: GET http://h.test/a
          Bare:
            request: POST http://h.test/a
            headers: { X-Own: o, User-Agent: null, Content-Type: null }
            json: { a: 1 }
            defaults: none
          Elsewhere:
            request: GET http://other.test/a
            defaults: none
          Odd:
            request: http://h.test/a
            method: post
            defaults: workspace

        """

    private static func resolved(_ name: String) throws -> WorkspaceTarget {
        let workspace = try Workspace.make(text)
        return try workspace.resolve(
            try #require(workspace.definition(TargetID(name))),
            in: "local"
        )
    }

    @Test("only its own fields are sent, and what would be added is told")
    func bare() throws {
        let target = try Self.resolved("Bare")
        let request = try Endpoint(target).request
        #expect(request.head.headerFields.map(\.name.rawName) == ["X-Own"])
        #expect(request.url == "http://h.test/a")
        #expect(request.options.timeout == .seconds(7))
        #expect(request.options.maximumRedirects == TransportOptions().maximumRedirects)
        #expect(request.options.omittedFields == [.userAgent, .contentType])
        #expect(target.display.leftOut == ["bearer", "Accept", "X-Env", "?key"])
        #expect(
            target.display.notes.contains("without the workspace's bearer, Accept, X-Env, ?key")
        )
        #expect(try Self.resolved("With").display.leftOut.isEmpty)
        #expect(try Self.resolved("With").headerFields[.authorization] == "Bearer secret-token")
    }

    @Test("what another origin would not get is not said to be left out")
    func elsewhere() throws {
        #expect(try Self.resolved("Elsewhere").display.leftOut == ["Accept"])
    }

    @Test("a method under its own key is sent as it is written")
    func method() throws {
        let target = try Self.resolved("Odd")
        #expect(target.method.rawValue == "post" && target.path == "http://h.test/a")
        #expect(target.headerFields[.accept] == "a/b")
    }

    @Test("the draft of a bare target has no inherited rows, but how it connects")
    func draft() throws {
        let workspace = try Workspace.make(Self.text)
        let bare = workspace.written(
            try #require(workspace.definition(TargetID("Bare"))),
            in: "local"
        )
        #expect(bare.headers.allSatisfy { $0.inheritedFrom == nil } && bare.query.isEmpty)
        #expect(bare.authorization == .none)
        let options = Dictionary(uniqueKeysWithValues: bare.options.map { ($0.name, $0.value) })
        #expect(options["defaults"] == "none" && options["timeout"] == "7 s")
        #expect(options["redirects"] == .some(nil))
    }

    @Test("an odd method is saved under its own key, a usual one in the request's line")
    func saves() throws {
        let workspace = try Workspace.make("targets: {}\n")
        let target = TargetDraft(
            method: "x!y",
            url: "http://h.test/",
            options: [TargetDraft.Row("defaults", "none")]
        )
        let (added, id) = try workspace.adding(target, named: "One")
        let definition = try #require(added.definition(id))
        #expect(definition.method.rawValue == "x!y" && !definition.takesDefaults)
        var edited = added.written(definition, in: added.environments[0].name)
        edited.url = "http://h.test/b"
        let moved = try added.editing(id, to: edited)
        #expect(moved.definition(id)?.method.rawValue == "x!y")
        #expect(moved.definition(id)?.requestText == "http://h.test/b")
        edited.method = "GET"
        let usual = try added.editing(id, to: edited)
        #expect(usual.definition(id)?.method == .get)
        // What is typed in place of a method is likely a mistake.
        edited.method = "GTE"
        #expect(throws: WorkspaceError.self) { try added.editing(id, to: edited) }
    }

    @Test(
        "a wrong method or word is refused",
        arguments: ["method: 'a b'", "method: post\n    method: put", "defaults: some"]
    )
    func refused(line: String) {
        #expect(throws: WorkspaceError.self) {
            try Workspace.make("targets:\n  A:\n    request: http://h.test/\n    \(line)\n")
        }
    }
}
