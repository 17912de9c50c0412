import FoundationEssentials
import TestSupport
import Testing
import Workspaces

@Suite("Reading workspace files")
struct LoadingTests {
    /// A folder of its own with these files; it is removed afterwards.
    private func withFolder<Result>(
        _ files: [String: [UInt8]],
        _ body: (String) throws -> Result
    ) throws -> Result {
        let folder = TemporaryFolder()
        for (name, bytes) in files { try folder.write(bytes, to: name) }
        return try body(folder.path)
    }

    @Test("the files of a folder become one workspace; groups of one name become one")
    func folder() throws {
        let files = [
            "b.apus.yaml":
                "targets: { G: { Two: GET /2 }, Three: GET /3 }\nbatches: { B: [G/One] }",
            "a.apus.yaml":
                "name: All\ndefaults: { baseURL: http://h }\ntargets: { G: { One: GET /1 } }",
            "notes.yaml": "not: [a workspace",
        ]
        try withFolder(files.mapValues { Array($0.utf8) }) { folder in
            let workspace = try Workspace.load(path: folder)
            #expect(workspace.name == "All")
            #expect(workspace.targets.map(\.id.rawValue) == ["G/One", "G/Two", "Three"])
            #expect(workspace.batches[0].count == 1)
            #expect(workspace.files == [folder + "/a.apus.yaml", folder + "/b.apus.yaml"])
        }
    }

    @Test("an environment may be marked as dangerous, and have a colour")
    func marks() throws {
        let workspace = try Workspace.parse(
            text: """
                environments:
                  local:
                  test: { color: cyan }
                  live: { danger: true, baseURL: http://h }
                targets: { T: GET http://h/ }
                """,
            file: "a.apus.yaml"
        )
        #expect(workspace.environments.map(\.isDangerous) == [false, false, true])
        #expect(workspace.environments.map(\.color) == [nil, .cyan, nil])
    }

    @Test("what two files both have is said of the second")
    func twice() throws {
        let files = [
            "a.apus.yaml": "name: A\nvariables: { x: 1 }\ntargets: { T: GET http://h/ }",
            "b.apus.yaml": "name: B\nvariables: { x: 2 }\ntargets: { T: GET http://h/ }",
        ]
        try withFolder(files.mapValues { Array($0.utf8) }) { folder in
            let error = #expect(throws: WorkspaceError.self) { try Workspace.load(path: folder) }
            let first = "\(folder)/a.apus.yaml"
            let second = "\(folder)/b.apus.yaml"
            #expect(
                error?.problems.map(\.summary) == [
                    "\(second):1:1: `name` is already defined in \(first):1:1",
                    "\(second):2:14: the variable `x` is already defined in \(first):2:14",
                    "\(second):3:12: `T` is already defined in \(first):3:12",
                ]
            )
        }
    }

    @Test("a file that cannot be read says why")
    func unreadable() throws {
        let missing = #expect(throws: WorkspaceError.self) {
            try Workspace.load(path: "/nowhere/x.apus.yaml")
        }
        #expect(missing?.description == "/nowhere/x.apus.yaml: error: the file does not exist")
        try withFolder(["bytes.apus.yaml": Array("name: a\nx: ".utf8) + [0xFF, 0x0A]]) { folder in
            let error = #expect(throws: WorkspaceError.self) {
                try Workspace.load(path: folder + "/bytes.apus.yaml")
            }
            #expect(
                error?.problems.map(\.message) == ["the file is not a UTF-8 text (line 2)"]
            )
        }
        try withFolder([:]) { folder in
            let error = #expect(throws: WorkspaceError.self) { try Workspace.load(path: folder) }
            #expect(error?.problems.map(\.message) == ["there is no workspace in the folder"])
        }
    }

    @Test("line ends of every kind and a byte order mark are read")
    func lineEnds() throws {
        let text =
            "\u{FEFF}name: x\r\ntargets:\r\n  A: GET http://h/\r\n  B: GET http://h/{{ y }}\r\n"
        try withFolder(["a.apus.yaml": Array(text.utf8)]) { folder in
            let error = #expect(throws: WorkspaceError.self) { try Workspace.load(path: folder) }
            #expect(
                error?.problems.map(\.summary) == [
                    "\(folder)/a.apus.yaml:4:19: unknown variable `y`"
                ]
            )
        }
    }
}
