import Testing

@Suite("apus")
struct RootCommandTests {
    private let files: PrivateFiles

    init() throws { files = PrivateFiles() }

    private func apus(_ arguments: String...) throws -> PipedProgram {
        try .run(arguments, input: "", files: files)
    }

    @Test("the help of a command names the whole program, however it is asked for")
    func help() throws {
        let asked = try apus("send", "--help")
        #expect(asked.output.contains("USAGE: apus send ["))
        #expect(asked.status == .exited(0))
        #expect(try apus("help", "send").output == asked.output)
    }

    @Test(
        "what is wrong with arguments is said once, with the usage of the whole program",
        arguments: [
            ["send", "--bogus", "http://x"], ["send"], ["view", "a", "b"], ["cache", "x"],
        ]
    )
    func faults(_ arguments: [String]) throws {
        let run = try PipedProgram.run(arguments, input: "", files: files)
        #expect(run.status == .exited(2))
        #expect(run.output.isEmpty)
        #expect(run.errors.split(separator: "Usage: apus \(arguments[0])").count == 2)
        #expect(run.errors.split(separator: "Error: ").count == 1)
    }

    @Test("a file needs no command's name, and a name that is neither is told as one")
    func file() throws {
        let run = try apus("nosuch.apus.yaml")
        #expect(run.status == .exited(2))
        #expect(run.errors.contains("nosuch.apus.yaml"))
    }

    @Test("completion scripts know all commands")
    func completions() throws {
        let script = try apus("--generate-completion-script", "bash")
        #expect(script.status == .exited(0))
        #expect(script.output.contains("pipe"))
    }
}
