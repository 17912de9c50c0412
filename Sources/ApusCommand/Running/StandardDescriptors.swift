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
