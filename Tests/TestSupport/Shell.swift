import Glibc

/// Commands of the shell.
package enum Shell {
    package struct Failure: Error {
        package let status: Int32
    }

    /// Runs a script and waits for it.
    package static func run(_ script: String) throws {
        let process = try spawn(script) { actions in
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
        }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        guard status == 0 else { throw Failure(status: status) }
    }

    /// Starts a script whose standard input ends with this process, however that ends, and returns
    /// when the script has written something.
    ///
    /// - Throws: if the script ends without having done so.
    package static func start(_ script: String) throws {
        // A pair of sockets, because Swift sees no pipe2: an end that another program inherits, if
        // only by chance, would keep the script waiting for ever. Ours is never closed.
        var ends: [Int32] = [0, 0]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Failure(status: errno) }
        let process = Result {
            try spawn(script) { actions in
                for descriptor in [0, 1] as [Int32] {
                    posix_spawn_file_actions_adddup2(&actions, ends[1], descriptor)
                }
            }
        }
        close(ends[1])
        _ = try process.get()
        var byte: UInt8 = 0
        var count = 0
        repeat { count = read(ends[0], &byte, 1) } while count < 0 && errno == EINTR
        guard count == 1 else { throw Failure(status: 1) }
    }

    private static func spawn(
        _ script: String,
        _ redirect: (inout posix_spawn_file_actions_t) -> Void
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        redirect(&actions)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        // The threads that tests run on block signals, and a child inherits that:
        // it could not be ended.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // A signal for the tests' process group is none for what has to end their servers.
        posix_spawnattr_setflags(
            &attributes,
            Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP)
        )
        // Libraries open sockets without it, and a server that inherits one keeps it open.
        for descriptor in 3..<Int32(1024) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
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
