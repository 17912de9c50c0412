import FoundationEssentials
import Glibc

/// The built program without a terminal: what it was given, and all that it said.
struct PipedProgram {
    let status: EndStatus
    let output: String
    let errors: String

    /// Runs `apus` with its standard input, output and errors redirected, and waits for its end.
    static func run(
        _ arguments: [String],
        input: String = "",
        files: PrivateFiles
    ) throws -> PipedProgram {
        // Files, not pipes: nobody has to read while it runs. A story about pipes uses a shell.
        try files.write(input, to: "stdin")
        return try run([BuiltProgram.path] + arguments, in: files)
    }

    /// Runs a script of the shell's in the home folder; `$1` in it is `apus`.
    static func shell(_ script: String, files: PrivateFiles) throws -> PipedProgram {
        try files.write("", to: "stdin")
        return try run(["/bin/sh", "-c", script, "sh", BuiltProgram.path], in: files)
    }

    private static func run(_ command: [String], in files: PrivateFiles) throws -> PipedProgram {
        let status = try spawn(command, in: files)
        return PipedProgram(
            status: status,
            output: try files.read("stdout"),
            errors: try files.read("stderr")
        )
    }

    private static func spawn(_ command: [String], in files: PrivateFiles) throws -> EndStatus {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, files.home + "/stdin", O_RDONLY, 0)
        let written = O_WRONLY | O_CREAT | O_TRUNC
        posix_spawn_file_actions_addopen(&actions, 1, files.home + "/stdout", written, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, files.home + "/stderr", written, 0o600)
        return wait(for: try start(command, in: files, &actions))
    }

    /// Starts a program in the home folder, its descriptors as the actions say.
    static func start(
        _ command: [String],
        in files: PrivateFiles,
        _ actions: inout posix_spawn_file_actions_t
    ) throws -> pid_t {
        var child: pid_t = 0
        // Libraries open sockets without it, and the program has to get by with what it opens itself.
        for descriptor in 3..<Int32(1024) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        // A test run under nohup ignores it, and what it starts would too.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGHUP)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
        // The shell, because Swift sees no way to spawn into another folder.
        let shell = ["sh", "-c", #"cd "$0" && exec "$@""#, files.home]
        let code = withMutableCStrings(shell + command) { arguments in
            withMutableCStrings(files.environment.map { "\($0)=\($1)" }) { environment in
                posix_spawn(&child, "/bin/sh", &actions, &attributes, arguments, environment)
            }
        }
        guard code == 0 else { throw NoTerminal(errno: code) }
        return child
    }

    /// Waits for a program's end.
    static func wait(for child: pid_t) -> EndStatus {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 && errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(by: signal)
    }

    private static func withMutableCStrings<Result>(
        _ strings: [String],
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
    ) -> Result {
        var copies = strings.map { strdup($0) } + [nil]
        defer { for copy in copies { free(copy) } }
        return copies.withUnsafeMutableBufferPointer { pointers in
            guard let first = pointers.baseAddress else { preconditionFailure("it has an end") }
            return body(first)
        }
    }
}
