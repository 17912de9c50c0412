import ArgumentParser
import Explorer
import Glibc

/// `apus view FILE`: one document as a tree, full screen.
struct ViewCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "view",
        _superCommandName: "apus",
        abstract: "Look at a document as a tree, full screen.",
        discussion: """
            Opens a file of any size at once. Without FILE, or with -, it reads standard input. \
            When standard output is no terminal, the document is written to it as it is.
            """
    )

    @Argument(help: "A file, or - for standard input.", completion: .file())
    var file: String?

    @OptionGroup var document: DocumentOptions

    @Option(help: "A query to begin with: a JSONPath, or a short path like a.b[0].")
    var query: String?

    @Option(help: "How many levels are unfolded at first.")
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
            ViewerProgram(source: source, theme: screen.theme, query: query, depth: depth).run()
        }
        if status != 0 { throw ExitCode(status) }
    }

    func validate() throws {
        if let depth, depth < 1 { throw ValidationError("--depth is 1 or more.") }
    }
}
