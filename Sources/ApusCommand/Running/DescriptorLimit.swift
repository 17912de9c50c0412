import Glibc

/// How many files and sockets the process may have open.
enum DescriptorLimit {
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
