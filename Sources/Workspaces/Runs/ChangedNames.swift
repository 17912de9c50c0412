import Documents

extension Workspace {
    /// The names of the targets, batches and chains whose definitions differ from older texts of the files, in order.
    ///
    /// - Parameter old: The older texts by the files' names; a file without one is new as a whole.
    /// - Returns: The names; empty if nothing differs.
    package func names(changedSince old: [String: String]) -> [String] {
        let before = old.values.compactMap { YAMLEditor($0)?.model }
        let now = sources.compactMap { YAMLEditor($0.text)?.model }
        func differs(_ path: [YAMLStep]) -> Bool {
            let values = { (models: [Value]) in
                models.lazy.compactMap { $0.value(at: path[...]) }.first?.sorted
            }
            return values(before) != values(now)
        }
        let changed = targets.map(\.id.rawValue).filter { id in
            differs([.key("targets")] + id.split(separator: "/").map { .key(String($0)) })
        }
        return changed + batches.map(\.name).filter { differs([.key("batches"), .key($0)]) }
            + chains.map(\.name).filter { differs([.key("chains"), .key($0)]) }
    }
}

/// The texts that files had in a revision of git.
package enum GitRevision {
    /// The texts of files in a revision, by the files' names; those that it does not have are left out.
    ///
    /// - Throws: `WorkspaceError` if there is no git, no repository or no such revision.
    package static func texts(
        of files: [String],
        in revision: String
    ) async throws(WorkspaceError) -> [String: String] {
        var texts: [String: String] = [:]
        var isKnown = false
        for file in files {
            let folder = TextFile.folder(of: file)
            let place = folder.isEmpty ? "." : folder
            if !isKnown {
                let check =
                    "git rev-parse --quiet --verify --end-of-options \(quoted("\(revision)^{commit}"))"
                let outcome = await ShellProcess.run(check, on: .bytes([]), in: place)
                guard outcome.ending.problem == nil else {
                    let words = outcome.errors.split(whereSeparator: \.isNewline).first.map(
                        String.init
                    )
                    throw WorkspaceError(
                        "--changed-since: git does not know such a revision"
                            + (words.map { " (\($0))" } ?? "; `git log` lists those that there are")
                    )
                }
                isKnown = true
            }
            let name = file.split(separator: "/").last.map(String.init) ?? file
            let command = "git show --end-of-options \(quoted("\(revision):./\(name)"))"
            let outcome = await ShellProcess.run(command, on: .bytes([]), in: place)
            guard outcome.ending.problem == nil else { continue }
            texts[file] = String(decoding: outcome.output, as: UTF8.self)
        }
        return texts
    }

    private static func quoted(_ text: String) -> String {
        "'\(text.replacing("'", with: "'\\''"))'"
    }
}
