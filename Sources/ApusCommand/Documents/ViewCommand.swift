import ArgumentParser
import Explorer
import Glibc
import TreeView

/// `apus view FILE`: shows one document as a tree, full screen.
struct ViewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view",
        _superCommandName: "apus",
        abstract: "Look at a document as a tree, full screen.",
        discussion: """
            Opens a file of any size immediately. Without FILE, or with -, it reads standard \
            input. If standard output is not a terminal, the document is copied to it unchanged.
            """
    )

    @Argument(help: "A file, or - for standard input.", completion: .file())
    var file: String?

    @OptionGroup var document: DocumentOptions

    @Option(help: "An initial query: a JSONPath, or a short path like a.b[0].")
    var query: String?

    @Option(help: "How many levels to unfold at the start.")
    var depth: Int?

    @OptionGroup var screen: ScreenOptions

    func run() throws {
        let input = try ViewInput(file: file)
        if isatty(STDOUT_FILENO) == 0 {
            try input.copyToStandardOutput()
            return
        }
        let format = document.format ?? input.path.flatMap(FormatName.init(fileName:))
        let source = ViewerSource(
            origin: try input.origin(),
            name: input.name,
            contentType: format?.contentType
        )
        let status = MainActor.assumeIsolated {
            var program = ViewerProgram(
                source: source,
                theme: screen.theme,
                query: query,
                depth: depth
            )
            program.settings = .ofUser(keepsState: screen.state)
            return program.run()
        }
        if status != 0 { throw ExitCode(status) }
    }

    func validate() throws {
        if let depth, depth < 1 { throw ValidationError("--depth must be 1 or more.") }
    }
}

/// The input of `apus view`, checked before the terminal is taken over.
struct ViewInput {
    /// The file; nil for standard input.
    let path: String?

    /// Throws `CommandError` if the file cannot be read, or if standard input is a terminal.
    init(file: String?) throws {
        path = file == "-" ? nil : file
        if let path {
            try Self.check(path)
        } else if isatty(STDIN_FILENO) == 1 {
            throw CommandError("name a file, or pipe a document into apus view")
        }
    }

    /// The name shown on the screen.
    var name: String {
        path.map { String($0.split(separator: "/").last ?? "/") } ?? "standard input"
    }

    /// Where the viewer reads from.
    ///
    /// If the document comes from standard input, that moves to another descriptor, and the terminal, which
    /// sends the keys, becomes standard input.
    func origin() throws -> ViewerSource.Origin {
        if let path { return .file(path) }
        let input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
        let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
        guard input >= 0, terminal >= 0, dup2(terminal, STDIN_FILENO) == STDIN_FILENO else {
            throw CommandError("there is no terminal to read keys from")
        }
        close(terminal)
        return .descriptor(input)
    }

    /// Copies the document to standard output unchanged.
    func copyToStandardOutput() throws {
        let descriptor = path.map { open($0, O_RDONLY | O_CLOEXEC) } ?? STDIN_FILENO
        defer { if path != nil { close(descriptor) } }
        var output = StandardOutput(.bytes(force: false))
        try FileCopy.copy(descriptor, named: name, to: &output)
    }

    private static func check(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw CommandError("\(path): \(systemMessage(errno))")
        }
        if status.st_mode & S_IFMT == S_IFDIR { throw CommandError("\(path): Is a directory") }
        guard access(path, R_OK) == 0 else {
            throw CommandError("\(path): \(systemMessage(errno))")
        }
    }
}
