import Apus
import Terminal
import TreeView

/// What can be sent, and the environment to send it in.
struct WorkspaceState {
    /// The file that the workspace comes from, for the title bar.
    var sourceName: String
    /// What can be sent; nil while the workspace is being read.
    var catalog: Catalog?
    /// Why the files do not make a catalog now; the previous catalog stays.
    var problem: CatalogError?
    /// Whether the catalog itself has the problem, for there is no previous one.
    var isProblemInUse = false
    /// Why the cache that a team shares cannot be used now; nil if it can, or there is none.
    var sharedCacheProblem: String?
    /// What was last refused of what that cache has, and why, with its key; nil if nothing was.
    var sharedCacheRefusal: String?
    /// The environment, as an index into the catalog's.
    var environment = 0
    /// What opens files.
    var editor = Editor([:])
    /// Whether the files were requested, which the first event does.
    var isRequested = false

    /// The name of the environment; nil if there is no catalog or it has none.
    var environmentName: String? {
        guard let names = catalog?.environments, names.indices.contains(environment) else {
            return nil
        }
        return names[environment]
    }

    /// The variables that can be used in braces.
    var variables: [CatalogVariable] { catalog?.source.variables(in: environment) ?? [] }

    /// How an environment is marked.
    func mark(ofEnvironment index: Int) -> EnvironmentMark {
        guard let catalog, catalog.environments.indices.contains(index) else {
            return EnvironmentMark()
        }
        return catalog.marks[catalog.environments[index]] ?? EnvironmentMark()
    }

    /// Whether an environment is marked as dangerous.
    var hasDanger: Bool { catalog?.marks.values.contains(where: \.isDangerous) ?? false }

    /// What is wrong with the files, as a notice.
    var notice: Notice? {
        problem.map { problem in
            let line = problem.description.prefix { !$0.isNewline }
            let advice =
                isProblemInUse
                ? "what it concerns cannot be sent; o opens the file"
                : "the previous version is still in use; o opens the file"
            return Notice(kind: .failure, text: "\(line) (\(advice))")
        }
    }
}
