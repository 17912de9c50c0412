import Explorer
import Glibc

/// What `apus view` reads, checked before the terminal is taken over.
struct ViewInput {
    /// The file; nil for standard input.
    let path: String?

    /// Throws what is wrong with a file that cannot be read.
    init(file: String?) throws {
        path = file == "-" ? nil : file
        if let path {
            try Self.check(path)
        } else if isatty(STDIN_FILENO) == 1 {
            throw CommandFailure("name a file, or pipe a document into apus view")
        }
    }

    /// What the screen calls it.
    var name: String {
        path.map { String($0.split(separator: "/").last ?? "/") } ?? "standard input"
    }

    /// Where the viewer reads from.
    ///
    /// When that is standard input, the keys come from the terminal itself: it takes the place of
    /// standard input, which moves to another descriptor.
    func origin() throws -> ViewerSource.Origin {
        if let path { return .file(path) }
        let input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard input >= 0, terminal >= 0, dup2(terminal, STDIN_FILENO) == STDIN_FILENO else {
            throw CommandFailure("there is no terminal to read keys from")
        }
        close(terminal)
        return .descriptor(input)
    }

    /// Writes the document as it is.
    func copyToStandardOutput() throws {
        let descriptor = path.map { open($0, O_RDONLY | O_CLOEXEC) } ?? STDIN_FILENO
        defer { if path != nil { close(descriptor) } }
        var output = StandardOutput(.bytes(force: false))
        try FileCopy.copy(descriptor, named: name, to: &output)
    }

    private static func check(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw CommandFailure("\(path): \(systemMessage(errno))")
        }
        if status.st_mode & S_IFMT == S_IFDIR { throw CommandFailure("\(path): Is a directory") }
        guard access(path, R_OK) == 0 else {
            throw CommandFailure("\(path): \(systemMessage(errno))")
        }
    }
}
