import Glibc

/// The descriptors 0, 1 and 2 that the caller gives a program.
enum StandardDescriptors {
    /// Opens those that the caller has closed; the first call of `main`.
    ///
    /// The next file or socket would get their numbers, and with them what is meant for the caller.
    /// They are opened in the wrong direction, as the GNU tools do: reading or writing them fails
    /// as if they were closed.
    static func openClosed() {
        let directions = [STDIN_FILENO: O_WRONLY, STDOUT_FILENO: O_RDONLY, STDERR_FILENO: O_RDONLY]
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest number that is free is this one.
            guard open("/dev/null", directions[descriptor] ?? O_RDONLY) == descriptor else {
                _exit(ExitStatus.usage)
            }
        }
    }
}

/// How many files and sockets the process may have open.
enum DescriptorLimit {
    /// What the program needs before it has opened anything of its own: Swift's threads and the
    /// transport wait with descriptors, and libdispatch ends the process (SIGILL) without.
    private static let least: rlim_t = 24

    /// Makes sure that so many can be opened as the program cannot do without.
    ///
    /// - Throws: `CommandFailure` if the system does not allow it.
    static func check() throws(CommandFailure) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur < least
        else { return }
        limit.rlim_cur = min(least, limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_max < least else { return }
        throw CommandFailure(
            "\(limit.rlim_max) open files are too few, \(least) are needed (ulimit -n)"
        )
    }

    /// Raises the limit so that so many connections are possible, as far as the system allows.
    static func raise(forConnections count: Int) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        // Beside the connections: files of the cache, of bodies, of the program.
        let wanted = rlim_t(count + 256)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
