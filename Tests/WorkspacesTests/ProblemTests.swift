import FoundationEssentials
import Testing
import Workspaces

/// A file with one fault or more, and what is said of it.
struct BadFile: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let problems: [String]

    init(_ name: String, _ text: String, _ problems: String...) {
        testDescription = name
        self.text = text
        self.problems = problems.map { "a.apus.yaml\($0)" }
    }
}

@Suite("Faults in workspace files")
struct ProblemTests {
    @Test("YAML that is none is refused where it breaks", arguments: BadFile.syntax)
    func syntax(file: BadFile) {
        #expect(problems(file.text) == file.problems)
    }

    @Test("every fault of a file is reported with its place", arguments: BadFile.contents)
    func contents(file: BadFile) {
        #expect(problems(file.text) == file.problems)
    }

    @Test("every fault of batches and chains is reported with its place", arguments: BadFile.flows)
    func flows(file: BadFile) {
        #expect(problems(file.text) == file.problems)
    }

    @Test(
        "a template's fault is placed in the text, over lines and quotes too",
        arguments: BadFile.templates
    )
    func templates(file: BadFile) {
        #expect(problems(file.text) == file.problems)
    }

    @Test("no message has the password of a URL that it quotes")
    func hidesPasswords() throws {
        let text = "environments: { l: { baseURL: \"ftp://u:S3CRET@h\" } }\ntargets: { A: GET /x }"
        let error = #expect(throws: WorkspaceError.self) { try Workspace.make(text).sent("A") }
        let description = try #require(error?.description)
        #expect(!description.contains("S3CRET") && description.contains("ftp://u:"))
    }

    @Test(
        "nothing is shown of a file that is linked from outside of the workspace",
        arguments: ["root:x:0:0:S3CRET\nb", "S3CRET: 1", "targets: { A: S3CRET }", "S3CRET: a: b"]
    )
    func linkedFile(text: String) throws {
        let manager = FileManager.default
        let place = manager.temporaryDirectory.appending(path: "apus-linked-\(UUID().uuidString)")
        defer { try? manager.removeItem(at: place) }
        let folder = place.appending(path: "clone")
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: place.appending(path: "shadow"))
        try manager.createSymbolicLink(
            atPath: folder.path + "/x.apus.yaml",
            withDestinationPath: "../shadow"
        )
        let error = #expect(throws: WorkspaceError.self) { try Workspace.load(path: folder.path) }
        let description = try #require(error?.description)
        #expect(!description.contains("S3CRET") && !description.contains("root:"), "\(description)")
        #expect(description.contains("/clone/x.apus.yaml:1:"))
        // A link to a file of the workspace's own folder hides nothing.
        try manager.removeItem(atPath: folder.path + "/x.apus.yaml")
        try Data(text.utf8).write(to: folder.appending(path: "own"))
        try manager.createSymbolicLink(
            atPath: folder.path + "/x.apus.yaml",
            withDestinationPath: "own"
        )
        let own = #expect(throws: WorkspaceError.self) { try Workspace.load(path: folder.path) }
        // Of what is no YAML nothing is shown either.
        #expect(own?.description.contains("S3CRET") == !text.hasSuffix("a: b"))
    }

    @Test("an error shows the source line with a caret")
    func caret() {
        let text = """
            targets:
              A:
                request: GET http://h/{{ usr }}
                heders: {}
            variables: { user: 7 }
            """
        #expect(throws: WorkspaceError.self) { try Workspace.make(text) }
        let error = #expect(throws: WorkspaceError.self) { try Workspace.make(text) }
        #expect(
            error?.description == """
                a.apus.yaml:3:27: error: unknown variable `usr`
                  3 |     request: GET http://h/{{ usr }}
                    |                           ^^^^^^^^^
                    = expected one of `user`
                    = did you mean `user`?
                a.apus.yaml:4:5: error: unknown key `heders` in a target
                  4 |     heders: {}
                    |     ^^^^^^
                    = did you mean `headers`?
                """
        )
    }

    @Test(
        "of a long line only what is around the caret is shown, and nothing that a terminal obeys"
    )
    func longLine() {
        let text = "name: [\(String(repeating: "x", count: 300)), \"\u{202E}\"]\nnam: 1"
        let error = #expect(throws: WorkspaceError.self) { try Workspace.make(text) }
        let description = error?.description ?? ""
        #expect(!description.unicodeScalars.contains("\u{202E}"))
        #expect(description.split(separator: "\n").allSatisfy { $0.count < 130 })
        #expect(description.contains("…"))
    }
}
