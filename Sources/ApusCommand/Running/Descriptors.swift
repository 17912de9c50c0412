import Apus
import Glibc

/// The descriptors 0, 1 and 2, which a program gets from its caller.
enum StandardDescriptors {
    /// Opens the ones that the caller has closed; must be the first call in `main`.
    ///
    /// Otherwise the next file or socket would get such a number, and with it the output meant for the caller.
    /// As the GNU tools do, it opens them in the wrong direction, so that reading or writing them fails as if
    /// they were closed.
    static func openClosed() {
        let directions = [STDIN_FILENO: O_WRONLY, STDOUT_FILENO: O_RDONLY, STDERR_FILENO: O_RDONLY]
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) < 0 {
            // `open` takes the lowest free number, which is this one.
            guard open("/dev/null", directions[descriptor] ?? O_RDONLY) == descriptor else {
                _exit(ExitStatus.usage)
            }
        }
    }
}

/// The limit on files and sockets that the process may have open.
enum DescriptorLimit {
    /// What the program needs before it opens any files of its own.
    ///
    /// Swift's threads and the transport need descriptors for waiting; without them libdispatch ends the process
    /// (SIGILL).
    private static let least: rlim_t = 24

    /// Raises the limit to the least that the program needs.
    ///
    /// - Throws: `CommandError` if the system does not allow that many.
    static func check() throws(CommandError) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
            limit.rlim_cur < least
        else { return }
        limit.rlim_cur = min(least, limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_max < least else { return }
        throw CommandError(
            "the limit of \(limit.rlim_max) open files is too low; at least \(least) are needed "
                + "(ulimit -n)"
        )
    }

    /// Raises the limit so that `count` connections are possible, as far as the system allows.
    static func raise(forConnections count: Int) {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        // The other 256 are for files: those of the cache, of bodies, and the program's own.
        let wanted = rlim_t(count + 256)
        guard limit.rlim_cur < wanted else { return }
        limit.rlim_cur = min(wanted, limit.rlim_max)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

extension CurlTransport.Configuration {
    /// For `count` requests at once, all to one host if necessary.
    static func forMany(
        atOnce count: Int,
        sendsOnlyGivenFields: Bool = false
    ) -> CurlTransport.Configuration {
        // Background revalidations get a connection even if all others are in use.
        let connections = count + 4
        DescriptorLimit.raise(forConnections: connections)
        return CurlTransport.Configuration(
            maximumConnections: connections,
            connectionsPerHost: connections,
            sendsOnlyGivenFields: sendsOnlyGivenFields
        )
    }
}
