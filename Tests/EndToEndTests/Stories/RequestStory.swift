import FoundationEssentials
import Testing

@Suite("Opening a request")
struct RequestStory {
    private func explorer(_ request: String, _ files: PrivateFiles) throws -> TerminalProcess {
        try TerminalProcess(
            rows: 24,
            columns: 110,
            arguments: [BuiltProgram.path, request],
            files: files
        )
    }

    @Test("a curl command is there to be sent, without any file")
    func curl() throws {
        let files = PrivateFiles()
        let explorer = try explorer(
            "curl -X DELETE -H 'Authorization: Bearer abc-secret' 'http://127.0.0.1:9/users/7?x=1'",
            files
        )
        try explorer.waitFor("─ users 7 ─")
        try explorer.waitFor("http://127.0.0.1:9/users/7?x=1")
        #expect(explorer.shows("New"))
        #expect(!explorer.shows("abc-secret"))
        try explorer.send("\r")
        try explorer.waitFor("Could not connect to 127.0.0.1:9")
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("a URL joins this folder's workspace, whose files stay as they are")
    func url() throws {
        let files = PrivateFiles()
        let text = "targets: { Mine: GET http://127.0.0.1:9/mine }\n"
        try files.write(text, to: "mine.apus.yaml")
        let explorer = try explorer("http://127.0.0.1:9/other", files)
        try explorer.waitFor("─ other ─")
        #expect(explorer.shows("GET  Mine"))
        #expect(try explorer.quit() == .exited(0))
        #expect(try files.read("mine.apus.yaml") == text)
    }

    @Test("what is not understood is said, and no screen is taken")
    func faults() throws {
        let explorer = try explorer("curl --frobnicate http://127.0.0.1:9/", PrivateFiles())
        try explorer.waitFor("apus: curl's option --frobnicate is not supported")
        #expect(try explorer.waitForExit() == .exited(2))
    }
}
