import FoundationEssentials
import Interchange
import Testing
import Workspaces

struct ImportFolderTests {
    @Test(
        "a folder of files is a group for each, and what cannot be read is listed",
        arguments: ["http", "hurl"]
    )
    func folder(_ ending: String) throws {
        let manager = FileManager.default
        let folder = manager.temporaryDirectory.appending(path: "apus-folder-\(UUID().uuidString)")
            .path
        defer { try? manager.removeItem(atPath: folder) }
        try manager.createDirectory(
            atPath: "\(folder)/users/deep",
            withIntermediateDirectories: true
        )
        for path in ["one", "users/two", "users/deep/three"] {
            try "GET https://a.example/\(path)\n".write(
                toFile: "\(folder)/\(path).\(ending)",
                atomically: true,
                encoding: .utf8
            )
        }
        // Followed, these would be folders without end.
        for name in ["again", "once-more"] {
            try manager.createSymbolicLink(
                atPath: "\(folder)/users/\(name)",
                withDestinationPath: folder
            )
        }
        try manager.createSymbolicLink(
            atPath: "\(folder)/gone.\(ending)",
            withDestinationPath: "\(folder)/nowhere"
        )
        let file = try ImportedFile(ImportSource(folder: folder))
        let workspace = try Workspace.new(text: file.text, file: "a.apus.yaml")
        #expect(
            workspace.groups.map(\.id) == [
                "one", "users", "users/deep", "users/deep/three", "users/two",
            ]
        )
        #expect(workspace.targets.count == 3)
        #expect(
            file.losses.map(\.loss.kind) == [
                "the file gone.\(ending)", "the folder users/again", "the folder users/once-more",
            ]
        )
    }
}
