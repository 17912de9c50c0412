import FoundationEssentials
import Testing

@Suite("Choosing")
struct ChoosingStory {
    @Test("three keys change the theme, and the next start has it")
    func theme() throws {
        let files = PrivateFiles()
        let explorer = try TerminalProcess.demo(files: files)
        try explorer.send("T")
        try explorer.waitFor("─ Theme ─")
        try explorer.send(.down)
        try explorer.send(.enter)
        try explorer.waitUntilGone("─ Theme ─")
        #expect(try explorer.quit() == .exited(0))
        #expect(try files.read("state/apus/theme") == "slate\n")
        let again = try TerminalProcess.demo(files: files)
        try again.send("T")
        try again.waitFor("slate             in use")
        try again.send(.escape)
        try again.waitUntilGone("─ Theme ─")
        #expect(try again.quit() == .exited(0))
    }

    @Test("the palette goes to a target")
    func palette() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.send(":")
        try explorer.waitFor("─ Commands ─")
        try explorer.send("change price")
        try explorer.waitFor("Change price")
        try explorer.waitFor("1 of 1 ")
        try explorer.send(.enter)
        try explorer.waitFor("─ Change price ─")
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("keys.yaml binds a key, and what is wrong in it is told as soon as it is written")
    func keys() throws {
        let files = PrivateFiles()
        try FileManager.default.createDirectory(
            atPath: files.home + "/config/apus",
            withIntermediateDirectories: true
        )
        try files.write("everywhere: { help: f5 }\n", to: "config/apus/keys.yaml")
        let explorer = try TerminalProcess.demo(files: files)
        try explorer.waitFor("f5 help")
        try files.write("everywhere:\n  halp: f5\n", to: "config/apus/keys.yaml")
        try explorer.waitFor("keys.yaml:2: everywhere has no action \"halp\"")
        #expect(try explorer.quit() == .exited(0))
    }
}
