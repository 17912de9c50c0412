import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import Apus
@testable import Workspaces

@Suite("Commands of a workspace", .timeLimit(.minutes(5)))
struct ShellCommandTests {
    private let folder = TemporaryFolder()

    private func output(_ text: String, within limit: Duration = .seconds(60)) async throws
        -> String
    {
        try await ShellCommand(text, in: folder.path).output(within: limit)
    }

    @Test("a command runs in its file's folder, reads nothing, and its output has no line's end")
    func output() async throws {
        try Data("from here\n\n".utf8).write(to: URL(filePath: "\(folder.path)/secret"))
        #expect(try await output("cat secret -") == "from here")
        #expect(try await output("printf 'two\\nlines'") == "two\nlines")
    }

    @Test("a command has no terminal to write to")
    func terminal() async throws {
        #expect(
            try await output("test -t 0 || test -t 2 || (: > /dev/tty) 2>/dev/null || echo none")
                == "none"
        )
    }

    @Test(
        "what goes wrong is said with the first line of its errors",
        arguments: [
            ("echo no such thing >&2; echo more >&2; exit 3", "exit status 3: no such thing"),
            ("kill -9 $$", "ended by signal 9"),
            (":", "it wrote nothing"),
            ("printf '\\377'", "it did not write UTF-8"),
            ("yes | head -c 70000", "cut after 65.5 kB"),
        ]
    )
    func faults(command: String, words: String) async {
        await #expect(throws: ShellCommandError.self) { try await output(command) }
        do {
            _ = try await output(command)
        } catch {
            #expect("\(error)" == "`\(command)`: \(words)")
        }
    }

    @Test("a command that does not end is killed after its time")
    func late() async {
        let error = await #expect(throws: ShellCommandError.self) {
            try await output("sleep 600", within: .milliseconds(50))
        }
        #expect(error?.problem == "ended after 50 ms")
    }

    @Test("cancelling the task kills the command")
    func cancelled() async throws {
        let pipe = "\(folder.path)/started"
        #expect(mkfifo(pipe, 0o600) == 0)
        let command = ShellCommand("echo $$ > started; exec sleep 600", in: folder.path)
        let task = Task { try await command.output(within: .seconds(60)) }
        // Blocks until the command has opened the pipe.
        let text = await Task.detached {
            guard let file = fopen(pipe, "r") else { return "" }
            defer { fclose(file) }
            var bytes: [UInt8] = []
            while case let byte = fgetc(file), byte >= 0 { bytes.append(UInt8(byte)) }
            return String(decoding: bytes, as: UTF8.self)
        }.value
        task.cancel()
        let error = await #expect(throws: ShellCommandError.self) { try await task.value }
        #expect(error?.problem == "ended by signal 9")
        let process = try #require(pid_t(text.dropLast()))
        #expect(kill(process, 0) != 0 && errno == ESRCH)
    }
}

@Suite("Trust in a workspace's commands")
struct WorkspaceTrustTests {
    private let folder = TemporaryFolder()
    private var trust: WorkspaceTrust { WorkspaceTrust(folder: "\(folder.path)/state") }
    private let commands = [ShellCommand("pass show api", in: "/w"), ShellCommand("id", in: "/w")]

    @Test("commands are trusted once they were kept, and only those, there")
    func kept() throws {
        let path = "\(folder.path)/api.apus.yaml"
        #expect(!trust.isTrusted(commands, at: path))
        try trust.keep(commands, at: path)
        #expect(trust.isTrusted(commands, at: path))
        #expect(!trust.isTrusted(commands.dropLast(), at: path))
        #expect(!trust.isTrusted(commands + [ShellCommand("rm -r .", in: "/w")], at: path))
        #expect(!trust.isTrusted([ShellCommand("pass show api", in: "/x"), commands[1]], at: path))
        #expect(!trust.isTrusted(commands, at: "\(path)2"))
        #expect(!trust.isTrusted(commands, at: nil))
        #expect(trust.isTrusted([], at: nil))
    }

    @Test("a file of trust that others could read or that is a link trusts nothing else")
    func files() throws {
        let path = "\(folder.path)/api.apus.yaml"
        try trust.keep(commands, at: path)
        let names = Folders.names(in: "\(folder.path)/state/trust")
        let file = try #require(names.first.map { "\(folder.path)/state/trust/\($0)" })
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(rename(file, "\(file)-moved") == 0 && symlink("\(file)-moved", file) == 0)
        #expect(!trust.isTrusted(commands, at: path))
    }
}
