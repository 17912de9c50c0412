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
        #expect(run.errors.hasPrefix("apus: ") && !run.errors.contains("Error: "))
    }

    @Test("what is found wrong only when the command runs is told with its own usage")
    func lateFault() throws {
        let run = try apus("send", "http://127.0.0.1:1/", "-F", "nameless")
        #expect(run.status == .exited(2))
        #expect(run.errors.hasPrefix("apus: -F takes"))
        #expect(run.errors.contains("\nUsage: apus send [") && !run.errors.contains("<subcommand>"))
        #expect(run.errors.contains("See 'apus send --help'"))
    }

    @Test(
        "a word that is no command is told as one, with the command that is meant",
        arguments: [
            (["sned"], "`apus send`"), (["sned", "http://a/"], "`apus send`"),
            (["exprt", "x"], "`apus export`"), (["test"], "`apus run`"),
            (["help", "sesions"], "`apus sessions`"),
            (["help", "cache", "lst"], "`apus cache list`"),
            (["sessions", "imprt", "x"], "`apus sessions import`"),
            (["cache", "verfy"], "`apus cache verify`"),
            (["completions"], "--generate-completion-script"),
        ]
    )
    func meant(_ arguments: [String], _ meant: String) throws {
        let run = try PipedProgram.run(arguments, files: files)
        #expect(run.status == .exited(2) && run.output.isEmpty)
        #expect(run.errors.hasPrefix("apus: there is no command"), "\(run.errors)")
        #expect(run.errors.contains("did you mean") && run.errors.contains(meant), "\(run.errors)")
    }

    @Test("help for what is no command is an error")
    func noHelp() throws {
        let run = try apus("help", "nonsense")
        #expect(run.status == .exited(2) && run.output.isEmpty)
        #expect(
            run.errors
                == "apus: there is no command `nonsense`. `apus help` lists the commands.\n"
        )
    }

    @Test(
        "an argument that may be a secret is not repeated",
        arguments: [
            ["-H", "Authorization Bearer PLANThead0001"], ["-H", "PLANThead0001"],
            ["-H", "Authorization:", "Bearer", "PLANThead0001"], ["-H", "PLANThead0001 x: y"],
            ["--set", "PLANThead0001"], ["-F", "PLANThead0001"], ["-X", "PLANThead0001 x"],
            ["--timeout", "PLANThead0001"], ["--retry=PLANThead0001"],
            ["--cache", "PLANThead0001"],
            ["--source=PLANThead0001"], ["PLANThead0001"], ["-PLANThead0001"],
            ["--insecure=PLANThead0001"],
        ]
    )
    func secrets(_ arguments: [String]) throws {
        for command in [
            ["send", "http://127.0.0.1:1/"], ["cache", "explain", "http://127.0.0.1:1/"],
        ] {
            let run = try PipedProgram.run(command + arguments, files: files)
            #expect(run.status == .exited(2), "\(run.errors)")
            #expect(!run.errors.isEmpty && !run.errors.contains("PLANT"), "\(run.errors)")
        }
    }

    @Test("a name that is no target is told with the nearest, and nothing else")
    func noTarget() throws {
        try files.write("targets: { Get: GET http://127.0.0.1:1/ }", to: "my.apus.yaml")
        let run = try apus("send", "Gett")
        #expect(
            run.errors
                == "apus: there is no target “Gett”; did you mean “Get”? The workspace has “Get”\n"
        )
        try files.write(
            "targets: { Get: { request: GET http://a/, auth: { bearer: { env: NO_SUCH } } } }",
            to: "my.apus.yaml"
        )
        #expect(!(try apus("send", "Get").errors.contains("A URL begins")))
    }

    @Test("without a workspace, a name is told as no target")
    func noWorkspace() throws {
        let run = try apus("send", "nobody")
        #expect(run.status == .exited(2))
        #expect(run.errors.hasPrefix("apus: there is no workspace in this folder"))
    }

    @Test("a file needs no command's name, and a name that is neither is told as one")
    func file() throws {
        let run = try apus("nosuch.json")
        #expect(run.status == .exited(2))
        #expect(run.errors.contains("nosuch.json"))
    }

    @Test("completion scripts know all commands")
    func completions() throws {
        let script = try apus("--generate-completion-script", "bash")
        #expect(script.status == .exited(0))
        #expect(script.output.contains("pipe"))
    }
}
