import TestSupport
import Testing

@Suite("what cannot be written")
struct OutputFailureTests {
    private let files: PrivateFiles
    private let server: RawServer

    init() throws {
        files = PrivateFiles()
        server = try RawServer(RawServer.ok("{}", fields: "Cache-Control: max-age=100\r\n"))
        try files.write(#"{"a": 1}"#, to: "a.json")
        try files.write(#"{"a": 2}"#, to: "b.json")
        try files.write(#"{"url": "\#(url)"}"#, to: "requests")
        try files.write(
            """
            environments: { local: { baseURL: "http://\(server.authority)" } }
            targets: { Look: GET /a }
            batches: { Many: [Look] }
            chains: { Long: [{ step: look, target: Look }] }
            """,
            to: "story.apus.yaml"
        )
    }

    private var url: String { "http://\(server.authority)/a" }

    private func shell(_ script: String) throws -> PipedProgram {
        try .shell(script.replacing("URL", with: url), files: files)
    }

    /// Every command, as it is typed; URL is the server's.
    private static let commands = [
        "--version", "help", "send --help", "--generate-completion-script bash", "demo --serve",
        "query '$.a' a.json", "query --count '$.a' a.json", "format a.json", "view a.json",
        "diff a.json b.json", "diff --patch a.json b.json", "send URL", "send URL --json",
        "send URL --include", "send URL -o -", "batch Many", "batch Many --json", "chain Long",
        "chain Long --json", "chain Long --draw", "cache list", "cache list --json",
        "cache show URL", "cache show URL --json", "cache show URL --body", "cache explain URL",
        "cache explain URL --json", "cache clear --all", "cache clear --expired --json",
        "cache verify", "cache verify --json", "pipe < requests",
    ]

    @Test("help is told on a terminal of any width", arguments: [1, 5, 20, 27, 40])
    func narrowHelp(columns: Int) throws {
        let help = try shell(
            "script -qec 'stty cols \(columns); $1 --help; echo =$?' /dev/null </dev/null"
                .replacing("$1", with: BuiltProgram.path)
        )
        #expect(help.output.contains("=0"))
        #expect(help.output.contains("OVERVIEW"))
    }

    @Test("is told with status 2, whatever the command", arguments: commands)
    func full(_ command: String) throws {
        if command.hasPrefix("cache") { _ = try shell(#""$1" send URL --cache default"#) }
        let full = try shell(#"exec "$1" \#(command) >/dev/full"#)
        #expect(full.status == .exited(2))
        #expect(
            full.errors.hasSuffix(
                "apus: standard output cannot be written: No space left on device\n"
            )
        )
        let closed = try shell(#"exec "$1" \#(command) >&-"#)
        #expect(closed.status == .exited(2))
        #expect(closed.errors.hasSuffix("apus: standard output is closed\n"))
    }

    @Test("closed descriptors are nobody's: no socket gets what is meant for the caller")
    func closedDescriptors() throws {
        let run = try shell(#"exec "$1" send URL -v <&- >&- 2>&-"#)
        #expect(run.status == .exited(2))
        #expect(server.received.count == 1)
        let read = try shell(#"exec "$1" query '$' - <&-"#)
        #expect(read.status == .exited(2))
        #expect(read.errors == "apus: standard input: Bad file descriptor\n")
        #expect(try shell(#"exec "$1" send URL -o kept >&- 2>&-"#).status == .exited(0))
        #expect(try files.read("kept") == "{}")
    }

    @Test("a signal ends it at once, though nobody reads", arguments: [15, 2] as [Int32])
    func unread(_ signal: Int32) throws {
        let piece = [UInt8](repeating: 0x61, count: 1 << 20)
        let server = try RawServer { _ in
            [.send("HTTP/1.1 200 OK\r\nContent-Length: \(20 << 20)\r\n\r\n")]
                + Array(repeating: .bytes(piece), count: 20)
        }
        let program = try PipedConversation(["send", "http://\(server.authority)/"], files: files)
        // The rest fits into no buffer of the system's.
        program.waitForOutput()
        program.signal(signal)
        #expect(program.wait() == .exited(130))
    }

    @Test("a pipe that waits for requests ends when its reader goes")
    func idlePipe() throws {
        let program = try PipedConversation(["pipe"], files: files)
        program.send(#"{"id": 1, "url": "\#(url)"}"#)
        #expect(program.nextLine()?.contains(#""status":200"#) == true)
        program.closeOutput()
        #expect(program.wait() == .exited(141))
        #expect(try files.read("stderr").isEmpty)
    }

    @Test("a pipe whose requests hang ends when its reader goes, also after its input's end")
    func hangingPipe() throws {
        let held = HeldRequests()
        let server = try RawServer { _ in
            held.hold()
            return [.hang]
        }
        let program = try PipedConversation(["pipe"], files: files)
        program.send(#"{"url": "http://\#(server.authority)/", "timeout": 0}"#)
        held.waitFor(1)
        program.closeInput()
        program.closeOutput()
        #expect(program.wait() == .exited(141))
        held.release(1)
    }

    @Test(
        "a reader that goes early ends the program without a word, whatever the command",
        arguments: [
            "send URL", "send URL -i", "send URL --json", "query '$' large.json",
            "format large.json", "sessions list", "--help", "pipe < lines", "help workspace",
            "schema", "list many.apus.yaml", "list many.apus.yaml --json",
            "run many.apus.yaml Batch --repeat 3 --jobs 2", "run many.apus.yaml Batch --json",
            "run many.apus.yaml Batch --tap", "batch Batch -w many.apus.yaml",
            "batch Batch -w many.apus.yaml --json",
        ]
    )
    func goneReader(command: String) throws {
        let server = try RawServer(
            .send("HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\n"),
            .send(String(repeating: "a", count: 3_000_000))
        )
        let command = command.replacing("URL", with: "http://\(server.authority)/")
        let item = String(repeating: "a", count: 1000)
        let list = Array(repeating: "\"\(item)\"", count: 2000).joined(separator: ",")
        try files.write("[\(list)]", to: "large.json")
        let line = #"{"url": "http://\#(server.authority)/"}"#
        try files.write(Array(repeating: line, count: 8).joined(separator: "\n"), to: "lines")
        let targets = (1...300).map { "  T\($0): GET /\($0)" }.joined(separator: "\n")
        let names = Array(repeating: "T1", count: 20).joined(separator: ", ")
        try files.write(
            """
            environments: { e: { baseURL: "http://\(server.authority)" } }
            targets:
            \(targets)
            batches: { Batch: [\(names)] }
            """,
            to: "many.apus.yaml"
        )
        let run = try PipedProgram.shell(
            #"("$1" \#(command); echo "=$?" >&2) | head -c 1"#,
            files: files
        )
        #expect(run.errors == "=141\n" || run.errors == "=0\n", "\(run.errors)")
        #expect(run.output.count == 1)
    }
}
