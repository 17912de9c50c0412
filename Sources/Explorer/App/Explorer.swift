public import Apus
public import Recordings

/// The explorer on a program's own targets.
///
/// ```swift
/// try await Explorer.run(targets: [GitHub.user("ada"), GitHub.repositories], provider: github)
/// ```
public enum Explorer {
    /// Shows targets until the user leaves.
    ///
    /// - Parameters:
    ///   - name: what the title bar calls them.
    ///   - targets: what can be sent; ``Catalog/init(name:targets:environments:)`` says under which names.
    ///   - environments: the environments to choose from; none for the targets' own.
    ///   - provider: what sends them, with its plugins, its cache and its stubs.
    ///   - theme: a theme's name or file; nil for the one that the user chose last.
    ///   - history: where what is sent is recorded; nil to record nothing.
    /// - Throws: ``ExplorerError``.
    @MainActor
    public static func run<Target: TargetType>(
        _ name: String = "targets",
        targets: [any TargetType],
        environments: [TargetEnvironment] = [],
        provider: Provider<Target> = Provider<MultiTarget>(),
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

    /// Shows a catalog until the user leaves: targets with batches and chains of them.
    ///
    /// It has the terminal, and the main actor, for as long as it is shown. Work for the main actor, such as
    /// a plugin's, is done meanwhile if nothing was awaited before on the way from `main`.
    ///
    /// - Throws: ``ExplorerError``.
    @MainActor
    public static func run<Target: TargetType>(
        _ catalog: Catalog,
        provider: Provider<Target> = Provider<MultiTarget>(),
        theme: String? = nil,
        history: History? = nil
    ) async throws(ExplorerError) {
        var program = ExplorerProgram(
            sourceName: catalog.name,
            theme: theme,
            transport: provider.transport,
            history: history
        ) { catalog }
        program.provider = provider.ofAny
        let status: Int32
        do throws(ScreenStartError) {
            status = try program.show()
        } catch {
            throw .noScreen(error.text)
        }
        if status > 128 { throw .signal(status - 128) }
    }
}

/// Why the explorer could not be shown, or ended without the user's leave.
public enum ExplorerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// There is no terminal, or not one that can show it; why, in words for people.
    case noScreen(String)
    /// A signal of this number ended it; the terminal is restored.
    case signal(Int32)

    /// One line for people.
    public var description: String {
        switch self {
        case .noScreen(let reason): reason
        case .signal(let number): "The explorer was ended by signal \(number)."
        }
    }
}
