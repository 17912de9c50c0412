public import Apus
public import FoundationEssentials
public import Recordings
import Terminal

/// The explorer on a program's own targets.
///
/// ```swift
/// try await Explorer.run(targets: [GitHub.user("ada"), GitHub.repositories], provider: github)
/// ```
public enum Explorer {
    /// What the explorer lists; the name by which it can be told from a `Catalog` of one's own, although this enum
    /// hides the module of the same name.
    public typealias Catalog = ExplorerProgram.LoadedCatalog

    /// Shows targets until the user quits.
    ///
    /// - Parameters:
    ///   - name: the name in the title bar.
    ///   - targets: what can be sent; ``Catalog/init(name:targets:environments:)`` explains how they are named.
    ///   - environments: the environments to choose from; if empty, the targets' own are used.
    ///   - provider: what sends them, with its plugins, its cache and its stubs.
    ///   - theme: a theme's name or file; nil for the one that the user chose last.
    ///   - history: where requests and responses are recorded; nil to record nothing.
    /// - Throws: ``ExplorerError``.
    @MainActor
    public static func run(
        _ name: String = "targets",
        targets: [any TargetType],
        environments: [TargetEnvironment] = [],
        provider: AnyProvider = AnyProvider(),
        theme: String? = nil,
        history: History? = nil
    ) async throws(ExplorerError) {
        try await run(
            Catalog(name: name, targets: targets, environments: environments),
            provider: provider,
            theme: theme,
            history: history
        )
    }

    /// Shows a catalog, which can have batches and chains too, until the user quits.
    ///
    /// It holds the terminal and the main actor while it is shown. Other work for the main actor, such as a
    /// plugin's, still runs, provided that nothing was awaited before this call on the way from `main`.
    ///
    /// - Throws: ``ExplorerError``.
    @MainActor
    public static func run(
        _ catalog: Catalog,
        provider: AnyProvider = AnyProvider(),
        theme: String? = nil,
        history: History? = nil
    ) async throws(ExplorerError) {
        var program = ExplorerProgram(
            sourceName: catalog.name,
            theme: theme,
            transport: provider.transport,
            history: history
        ) { catalog }
        program.provider = provider
        let status: Int32
        do throws(ScreenStartError) {
            status = try program.show()
        } catch {
            throw .noScreen(error.text)
        }
        if status > 128 { throw .signal(status - 128) }
    }
}

/// Why the explorer could not be shown, or what ended it if not the user.
public enum ExplorerError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// There is no terminal that can show it; the text says why.
    case noScreen(String)
    /// A signal with this number ended it; the terminal has been restored.
    case signal(Int32)

    /// One line for people.
    public var description: String {
        switch self {
        case .noScreen(let reason): reason
        case .signal(let number): "The explorer was ended by signal \(number)."
        }
    }

    /// The same; also returned by `localizedDescription`.
    public var errorDescription: String? { description }
}
