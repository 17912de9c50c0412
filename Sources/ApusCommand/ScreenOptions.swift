import ArgumentParser
import Explorer

/// How the explorer looks, and its way from the command line to the screen.
struct ScreenOptions: ParsableArguments {
    @Option(help: "A theme's name, or a theme file.")
    var theme: String?

    /// Runs the explorer; throws its exit status unless that is 0.
    func explore(
        named name: String,
        _ load: @escaping @Sendable () async throws -> Catalog
    ) throws {
        let status = MainActor.assumeIsolated {
            ExplorerProgram(sourceName: name, theme: theme, loadCatalog: load).run()
        }
        if status != 0 { throw ExitCode(status) }
    }
}
