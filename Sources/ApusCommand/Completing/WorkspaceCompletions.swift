import ArgumentParser
import Documents
import Interchange
import Recordings
import Synchronization
import Workspaces

/// The names that a shell offers while a command is typed: those of the workspace here, and of the history.
///
/// Whatever cannot be read offers nothing: a message would stand in the middle of what is typed.
enum WorkspaceCompletions {
    /// The targets, for `apus send`.
    static let targets = CompletionKind.custom { words, _, _ in
        workspace(of: words)?.targets.map(\.id.rawValue) ?? []
    }
    /// The batches.
    static let batches = CompletionKind.custom { words, _, _ in
        workspace(of: words)?.batches.map(\.name) ?? []
    }
    /// The chains.
    static let chains = CompletionKind.custom { words, _, _ in
        workspace(of: words)?.chains.map(\.name) ?? []
    }
    /// The environments.
    static let environments = CompletionKind.custom { words, _, _ in
        workspace(of: words)?.environments.map(\.name) ?? []
    }
    /// The targets and groups, for `apus export`.
    static let exportable = CompletionKind.custom { words, _, _ in
        guard let workspace = workspace(of: words) else { return [] }
        return workspace.targets.map(\.id.rawValue) + workspace.groups.map(\.id)
    }
    /// Everything that `apus run` takes.
    static let runnable = CompletionKind.custom { words, _, _ in
        guard let workspace = workspace(of: words) else { return [] }
        return workspace.targets.map(\.id.rawValue) + workspace.groups.map(\.id)
            + workspace.batches.map(\.name) + workspace.chains.map(\.name)
    }
    /// `name=` of each variable, for `--set`.
    static let variables = CompletionKind.custom { words, _, _ in
        workspace(of: words)?.names.sorted().map { "\($0)=" } ?? []
    }
    /// The sessions of the history.
    static let sessions = CompletionKind.custom { _, _, _ in
        let names = Mutex<[String]>([])
        try? HistoryWork.run { history in
            let found = try await history.sessions()
            names.withLock { $0 = found.map(\.name) }
            return 0
        }
        return names.withLock(\.self)
    }

    /// The workspace that the words before name, or that of this folder.
    private static func workspace(of words: [String]) -> Workspace? {
        var path = "."
        for (index, word) in words.enumerated() {
            if ["-w", "--workspace"].contains(word), words.indices.contains(index + 1) {
                path = words[index + 1]
            } else if word.hasPrefix("--workspace=") {
                path = String(word.dropFirst("--workspace=".count))
            }
        }
        // `apus run FILE NAME`.
        if words.count > 2, words[1] == "run", words[2].hasSuffix(".yaml") { path = words[2] }
        return try? Workspace.load(path: path, resolvingAtMost: 0, foreign: WorkspaceImporter())
    }
}
