import Glibc

/// Commands of the shell.
enum Shell {
    struct Failure: Error {
        let status: Int32
    }

    /// Runs a script and waits for it.
    static func run(_ script: String) throws {
        let process = try spawn(script + "\n", input: "/dev/null", quiet: true)
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw Failure(status: status) }
    }

    /// Starts a script whose standard input ends with this process.
    static func start(_ script: String) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure(status: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = try spawn(script, input: nil, inputDescriptor: ends[0], quiet: true)
        close(ends[0])
    }

    private static func spawn(
        _ script: String,
        input: String?,
        inputDescriptor: Int32 = -1,
        quiet: Bool
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        } else {
            posix_spawn_file_actions_adddup2(&actions, inputDescriptor, 0)
        }
        if quiet {
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
        // The threads that tests run on block signals, and a child inherits that:
        // it could not be ended.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var process = pid_t()
        // Debian keeps nginx in /usr/sbin, which is not in everybody's path.
        let text = "PATH=$PATH:/usr/sbin:/sbin; " + script
        let failure = text.withCString { text in
            "/bin/sh".withCString { shell in
                "-c".withCString { option in
                    var arguments = [
                        UnsafeMutablePointer(mutating: shell),
                        UnsafeMutablePointer(mutating: option),
                        UnsafeMutablePointer(mutating: text), nil,
                    ]
                    return posix_spawn(&process, shell, &actions, &attributes, &arguments, environ)
                }
            }
        }
        guard failure == 0 else { throw Failure(status: failure) }
        return process
    }
}
