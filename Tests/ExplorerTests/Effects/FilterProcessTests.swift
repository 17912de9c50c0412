import Documents
import Glibc
import TestSupport
import Testing
import Workspaces

@testable import Apus
@testable import Explorer

@Suite("A body through a command", .timeLimit(.minutes(5)))
struct FilterProcessTests {
    /// As the screen does: a command need not read all.
    init() { signal(SIGPIPE, SIG_IGN) }

    private func run(
        _ command: String,
        on text: String = "",
        limits: ShellProcess.Limits = .init(duration: .seconds(60))
    ) async -> BodyFilter.Outcome {
        await FilterProcess.run(command, on: .body(.bytes(Array(text.utf8))), limits: limits)
    }

    @Test("the body goes in at the standard input, and nowhere else")
    func input() async {
        let hostile = "$(touch /tmp/never); `id` \"'\u{1B}[31m\n"
        let outcome = await run("cat; printf '%s' \"$#\"", on: hostile)
        #expect(outcome.ending == .exited(0))
        #expect(String(decoding: outcome.output, as: UTF8.self) == hostile + "0")
    }

    @Test("a body in a file goes in, and one larger than a pipe holds")
    func large() async throws {
        let folder = TemporaryFolder()
        let bytes = [UInt8](repeating: 0x61, count: 3 << 20)
        let outcome = await FilterProcess.run("wc -c", on: .body(.bytes(bytes)))
        #expect(String(decoding: outcome.output, as: UTF8.self).contains("3145728"))
        let path = "\(folder.path)/body"
        try bytes.withUnsafeBytes { bytes in
            let file = try #require(fopen(path, "w"))
            fwrite(bytes.baseAddress, 1, bytes.count, file)
            fclose(file)
        }
        let body = ResponseBody.file(
            BodyFile(path: path, count: bytes.count, ownership: .borrowed)
        )
        let counted = await FilterProcess.run("wc -c", on: .body(body))
        #expect(String(decoding: counted.output, as: UTF8.self).contains("3145728"))
    }

    @Test("a value of the body goes in as it is written")
    func value() async throws {
        let document = Document.parse(DocumentBytes(Array(#"{"a": {"b": [1, 2]}}"#.utf8)))
        let node = try #require(document.nodes(matching: try JSONPath("$.a.b")).first)
        let outcome = await FilterProcess.run("cat", on: .value(document, node))
        #expect(outcome.output == Array("[1, 2]".utf8))
    }

    @Test(
        "what ended it is told",
        arguments: [
            ("echo out; echo no >&2; exit 3", ShellProcess.Ending.exited(3), "out\n", "no\n"),
            ("kill -TERM $$", .signalled(SIGTERM), "", ""), ("true", .exited(0), "", ""),
            // What takes only the first lines is no failure.
            ("head -c 3", .exited(0), "aaa", ""),
        ]
    )
    func endings(command: String, ending: ShellProcess.Ending, output: String, errors: String) async
    {
        let outcome = await run(command, on: String(repeating: "a", count: 1 << 20))
        #expect(outcome.ending == ending)
        #expect(outcome.output == Array(output.utf8))
        #expect(outcome.errors == errors)
    }

    @Test("what is not found is said by the shell")
    func notFound() async {
        let outcome = await run("no-such-command-anywhere")
        #expect(outcome.ending == .exited(127))
        #expect(outcome.errors.contains("no-such-command-anywhere"))
    }

    @Test("it is ended when it takes too long, also where it has closed its output")
    func tooLong() async {
        let limits = ShellProcess.Limits(duration: .milliseconds(50))
        for command in ["sleep 1000", "exec >&- 2>&-; sleep 1000"] {
            let outcome = await run(command, limits: limits)
            #expect(outcome.ending == .tookTooLong(.milliseconds(50)))
        }
    }

    @Test("it is ended when it writes too much, and what came is kept")
    func tooMuch() async {
        let limits = ShellProcess.Limits(duration: .seconds(60), output: 1000)
        let outcome = await run("yes", limits: limits)
        #expect(outcome.ending == .wroteTooMuch(1000))
        #expect(outcome.output.count == 1000)
    }

    @Test("what it leaves in the background ends with it")
    func background() async throws {
        let outcome = await run("sleep 1000 & echo $!")
        #expect(outcome.ending == .exited(0))
        let text = String(decoding: outcome.output.dropLast(), as: UTF8.self)
        let process = try #require(pid_t(text))
        try await isGone(process)
    }

    @Test("cancelling ends it, with what it has started")
    func cancelling() async throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/process"
        let told = "echo $! > \(path).new; mv \(path).new \(path)"
        let task = Task { await run("sleep 1000 & \(told); wait") }
        while access(path, F_OK) != 0 { await Task.yield() }
        task.cancel()
        #expect(await task.value.ending == .signalled(SIGKILL))
        try await isGone(try #require(pid_t(firstLine(of: path))))
    }

    @Test("it has no terminal, and none of our descriptors")
    func alone() async {
        let outcome = await run("ls /proc/self/fd; (: </dev/tty) 2>/dev/null || echo none")
        // `ls` has the folder that it lists open.
        #expect(String(decoding: outcome.output, as: UTF8.self) == "0\n1\n2\n3\nnone\n")
    }

    /// Waits until a process has ended; what nobody waits for stays a zombie in a container.
    private func isGone(_ process: pid_t) async throws {
        while kill(process, 0) == 0 {
            if firstLine(of: "/proc/\(process)/stat").contains(") Z ") { return }
            await Task.yield()
        }
    }

    private func firstLine(of path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var line = [UInt8](repeating: 0, count: 256)
        let count = fread(&line, 1, line.count, file)
        return String(decoding: line[..<count].prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
