import Documents
import TestSupport
import Testing

@Suite("What a terminal gets of hostile texts")
struct TerminalOutputTests {
    /// A clipboard's and a title's sequence, raw C1, DEL, an override, what has no width, a tower of marks.
    private static let hostile =
        "\u{1B}]52;c;aGk=\u{7}\u{1B}]0;owned\u{7}\u{1B}[2J\u{9B}31m\u{7F}\u{202E}\u{200B}\u{FEFF}e"
        + tower
    private static let tower = String(repeating: "\u{301}", count: 300)
    /// The same without the tower, short enough for a file's name.
    private static let hostileName = "a\u{1B}]0;owned\u{7}\u{9B}31m\u{7F}\u{202E}\u{200B}b"
    /// The same in a double-quoted text of YAML.
    private static let hostileYAML =
        #"\e]52;c;aGk=\a\e]0;owned\a\e[2J\x9b31m\x7f\u202e\u200b\ufeffe"# + tower

    private let files: PrivateFiles
    private let server: RawServer

    init() throws {
        files = PrivateFiles()
        server = try RawServer { request in
            if request.path.hasPrefix("/json") {
                return [RawServer.ok(Self.document, fields: "X-A: \u{9B}31m\u{202E}a\r\n")]
            }
            return [
                RawServer.ok(
                    Self.hostile,
                    fields: "Cache-Control: max-age=100\r\nX-A: \u{9B}31m\u{202E}a\r\n"
                )
            ]
        }
        try files.write(Self.document, to: "a.json")
        try files.write(#"{"a": "b"}"#, to: "b.json")
        try files.write(Self.document + "}", to: Self.hostileName)
        try files.write("targets: { \"\(Self.hostileYAML)\": 7 }", to: Self.hostileName + ".yaml")
        try files.write(workspace, to: "flows.yaml")
    }

    /// C0 are escaped there, as JSON must have them; the rest is raw.
    private static var document: String {
        let escaped = hostile.replacing("\u{1B}", with: #"\u001b"#).replacing(
            "\u{7}",
            with: #"\u0007"#
        )
        return "{\"\(escaped)\": [\"\(escaped)\"], \"plain\": \"\(escaped)\"}"
    }

    private var workspace: String {
        """
        environments:
          "local \(Self.hostileYAML)": { baseURL: "http://\(server.authority)" }
        variables: { "v": "\(Self.hostileYAML)" }
        targets:
          "T \(Self.hostileYAML)": GET /json
          Two: GET /json?q={{ v }}
        batches:
          B: ["T \(Self.hostileYAML)", Two]
        chains:
          C:
            - { step: "s \(Self.hostileYAML)", target: Two, capture: { x: $.plain } }
            - { step: last, target: Two }
        """
    }

    private func url(_ path: String) -> String { "http://\(server.authority)/\(path)" }

    @Test(
        "no command lets a control, an override, a hidden character or a tower through",
        arguments: [
            ["query", "$", "a.json"], ["query", "$..*", "a.json", "--paths"],
            ["query", "$[" + hostile, "a.json"], ["query", "$", hostileName],
            ["query", "$", "no" + hostileName],
            ["format", "a.json"], ["format", "a.json", "--minify"],
            ["format", "a.json", "--canonical"],
            ["format", hostileName], ["diff", "a.json", "b.json"],
            ["diff", "a.json", "b.json", "--patch"],
            ["diff", "b.json", hostileName], ["view", "no" + hostileName],
            ["query", "$.plain", "a.json", "--raw"], ["no" + hostileName], ["--" + hostile],
            ["send", "--" + hostile], ["send", "http://127.0.0.1:1/", "-X", hostile],
            ["send", hostile], ["send", "http://" + hostile + "/"],
            ["send", "http://h/", "-H", hostile],
            ["send", "T", "-w", hostileName + ".yaml"], ["send", hostile, "-w", "flows.yaml"],
            ["batch", hostile, "-w", "flows.yaml"], ["batch", "B", "-w", "flows.yaml"],
            ["batch", "B", "-w", "flows.yaml", "--json"],
            ["batch", "B", "-w", "flows.yaml", "-e", hostile],
            ["chain", "C", "-w", "flows.yaml"], ["chain", "C", "-w", "flows.yaml", "--json"],
            ["chain", "C", "-w", "flows.yaml", "--draw"], ["chain", hostile, "-w", "flows.yaml"],
            ["chain", "C", "-w", "flows.yaml", "--resume", "s", "--from", hostile],
            ["cache", "show", hostile], ["cache", "clear", hostile],
            ["cache", "list", "--url", hostile],
            ["cache", "explain", hostile], ["help", hostile], ["--theme", hostile, "flows.yaml"],
            ["demo", "--port", hostile], ["pipe", "-w", "no" + hostileName], ["--version"],
            ["help"],
            ["send", "--help"], ["--generate-completion-script", "bash"],
        ]
    )
    func commands(arguments: [String]) throws {
        let shown = try TerminalOutput.run(arguments, files: files)
        #expect(shown.harm == [], "\(arguments)")
        // An empty cache has nothing to say.
        #expect(!shown.bytes.isEmpty || arguments.first == "cache", "\(arguments)")
    }

    @Test("responses, entries and traces are shown so too")
    func answers() throws {
        for path in ["json", "text?q=\u{202E}"] {
            for more in [["--json"], ["-i"], ["-v"], []] {
                let sent = try TerminalOutput.run(
                    ["send", url(path), "--cache", "default"] + more,
                    files: files
                )
                #expect(sent.harm == [], "\(path) \(more)")
                #expect(sent.status == .exited(0))
            }
        }
        for more in [
            ["list"], ["list", "--json"], ["show", "*text*"], ["show", "*text*", "--json"],
        ] {
            let shown = try TerminalOutput.run(["cache"] + more, files: files)
            #expect(shown.harm == [], "\(more)")
            #expect(shown.status == .exited(0))
        }
    }

    @Test("JSON on a terminal is the same JSON")
    func sameJSON() throws {
        for arguments in [["query", "$"], ["format"], ["format", "--canonical"]] {
            let shown = try TerminalOutput.run(arguments + ["a.json"], files: files)
            #expect(try JSON(parsing: shown.text) == JSON(parsing: Self.document))
        }
        let sent = try TerminalOutput.run(["send", url("json"), "--json"], files: files)
        #expect(try JSON(parsing: sent.text)["body"].string == Self.document)
    }

    @Test("bytes that are promised as they are do not go to a terminal, unless by --force")
    func refused() throws {
        _ = try PipedProgram.run(["send", url("text"), "--cache", "default"], files: files)
        for arguments in [
            ["query", "$.plain", "a.json", "--raw"], ["send", url("text"), "-o", "-"],
            ["send", url("text"), "-o", "/dev/stdout"], ["cache", "show", "*text*", "--body"],
        ] {
            let refused = try TerminalOutput.run(arguments, files: files)
            #expect(refused.status == .exited(2))
            #expect(refused.harm == [])
            #expect(refused.text.contains("--force"))
            let forced = try TerminalOutput.run(arguments + ["--force"], files: files)
            #expect(forced.status == .exited(0))
            #expect(forced.text.contains(Self.hostile))
        }
        let plain = try TerminalOutput.run(["query", "$.a", "b.json", "--raw"], files: files)
        #expect(plain.text == "b\r\n")
    }

    @Test("a file or a pipe gets every byte as it is")
    func exact() throws {
        func output(_ arguments: String...) throws -> String {
            try PipedProgram.run(arguments, files: files).output
        }
        #expect(try output("query", "$.plain", "a.json", "--raw") == Self.hostile + "\n")
        #expect(try output("send", url("text")) == Self.hostile)
        #expect(try output("send", url("text"), "-o", "-") == Self.hostile)
        #expect(try output("send", url("json")) == Self.document)
        let kept = ["\u{9B}31m\u{7F}\u{202E}\u{200B}\u{FEFF}e" + Self.tower]
        for arguments in [
            ["query", "$", "a.json"], ["format", "a.json"],
            ["diff", "a.json", "b.json", "--patch"],
            ["send", url("json"), "--json"],
        ] {
            let output = try PipedProgram.run(arguments, files: files).output
            #expect(kept.allSatisfy { output.contains($0) }, "\(arguments)")
        }
        let fault = try PipedProgram.run(["query", "$", "no" + Self.hostileName], files: files)
        #expect(fault.errors.contains(Self.hostileName))
    }

    @Test("plain apus in a folder with a hostile file says what is wrong with it, and no more")
    func folder() throws {
        _ = try files.write(
            "targets: { \"\(Self.hostileYAML)\": 7 }",
            to: Self.hostileName + ".apus.yaml"
        )
        let shown = try TerminalOutput.run([], files: files)
        #expect(shown.status == .exited(2))
        #expect(shown.text.contains("apus.yaml"))
        // The screen has sequences of its own, and none of these.
        for sequence in [
            "\u{1B}]0", "\u{1B}]52", "\u{9B}", "\u{7F}", "\u{202E}", "\u{200B}", Self.tower,
        ] {
            #expect(!shown.text.contains(sequence))
        }
    }
}
