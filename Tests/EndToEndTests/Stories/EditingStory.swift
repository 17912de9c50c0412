import FoundationEssentials
import Glibc
import Testing

@Suite("Editing the workspace")
struct EditingStory {
    private static func text(_ target: String, path: String = "/users/7") -> String {
        """
        name: Mine
        environments: { local: { baseURL: "http://127.0.0.1:9" } }
        targets:
          Other: GET /other
          \(target): GET \(path)

        """
    }

    private func explorer(
        _ files: PrivateFiles,
        editor: String? = nil,
        file: String = "mine.apus.yaml"
    ) throws -> TerminalProcess {
        let explorer = try TerminalProcess(
            rows: 24,
            columns: 110,
            arguments: [BuiltProgram.path, file],
            environment: editor.map { ["EDITOR": $0] } ?? [:],
            files: files
        )
        try explorer.waitFor("GET  Other")
        return explorer
    }

    @Test("a file that changes is read again at once, in place or put in its place by an editor")
    func reads() throws {
        let files = PrivateFiles()
        try files.write(Self.text("First"), to: "mine.apus.yaml")
        let explorer = try explorer(files)
        try explorer.send("j")
        try explorer.waitFor("─ First ─")
        try files.write(Self.text("First", path: "/users/8"), to: "mine.apus.yaml")
        try explorer.waitFor("/users/8")
        let new = try files.write(Self.text("Second"), to: "new")
        #expect(rename(new, files.home + "/mine.apus.yaml") == 0)
        try explorer.waitFor("GET  Second")
        #expect(!explorer.shows("GET  First"))
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("so is a file of a folder, a new one, and the file that a link leads to")
    func readsOthers() throws {
        let files = PrivateFiles()
        try FileManager.default.createDirectory(
            atPath: files.home + "/all",
            withIntermediateDirectories: false
        )
        try files.write(Self.text("First"), to: "all/a.apus.yaml")
        let explorer = try explorer(files, file: "all")
        try files.write("targets: { Third: GET /third }", to: "all/b.apus.yaml")
        try explorer.waitFor("GET  Third")
        #expect(symlink("all/a.apus.yaml", files.home + "/link.apus.yaml") == 0)
        let linked = try self.explorer(files, file: "link.apus.yaml")
        try files.write(Self.text("Second"), to: "all/a.apus.yaml")
        try linked.waitFor("GET  Second")
        try explorer.waitFor("GET  Second")
        #expect(try explorer.quit() == .exited(0))
        #expect(try linked.quit() == .exited(0))
    }

    @Test(
        "what is wrong is said with its place, and what was there before stays until it is mended"
    )
    func keeps() throws {
        let files = PrivateFiles()
        try files.write(Self.text("First"), to: "mine.apus.yaml")
        let explorer = try explorer(files)
        try files.write(Self.text("First") + "oops: 1\n", to: "mine.apus.yaml")
        try explorer.waitFor("mine.apus.yaml:6:1: error: unknown key `oops`")
        #expect(explorer.shows("GET  First"))
        try explorer.send("j")
        try explorer.waitFor("─ First ─")
        #expect(explorer.shows("mine.apus.yaml:6:1"))
        try files.write(Self.text("First", path: "/users/9"), to: "mine.apus.yaml")
        try explorer.waitUntilGone("mine.apus.yaml:6:1")
        try explorer.waitFor("/users/9")
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("o opens the target's line in the editor, and what it wrote is there afterwards")
    func edits() throws {
        let files = PrivateFiles()
        try files.write(Self.text("First"), to: "mine.apus.yaml")
        try files.write(
            "#!/bin/sh\necho \"$@\" >> calls\nsed -i s/First/Edited/ \"$3\"\n",
            to: "edit"
        )
        #expect(chmod(files.home + "/edit", 0o700) == 0)
        let explorer = try explorer(files, editor: "./edit --fast")
        try explorer.send("jo")
        try explorer.waitFor("GET  Edited")
        #expect(try files.read("calls") == "--fast +5 ./mine.apus.yaml\n")
        #expect(explorer.shows("GET  Other"))
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("an editor that is not there is named; the demo is written to a file to be edited")
    func cannotEdit() throws {
        let files = PrivateFiles()
        try files.write(Self.text("First"), to: "mine.apus.yaml")
        let explorer = try explorer(files, editor: "no-such-editor")
        try explorer.send("o")
        try explorer.waitFor("cannot start no-such-editor: set VISUAL or EDITOR to your editor")
        #expect(try explorer.quit() == .exited(0))
        let demo = try TerminalProcess.demo()
        try demo.send("o")
        try demo.waitFor("Workspace file: demo.apus.yaml")
        try demo.send(.escape)
        try demo.waitUntilGone("Workspace file:")
        #expect(try demo.quit() == .exited(0))
    }
}
