import Documents

extension Workspace {
    /// The files that say what is sent: its own, and those that they name, such as tables.
    package var definingFiles: [String] { files + otherFiles.keys.sorted() }

    /// The names of the targets, batches and chains whose definitions, or those that they are like, differ from older
    /// texts of the files, in order; so do those whose table under `rows` differs.
    ///
    /// - Parameter old: The older texts by the files' names; a file without one is new as a whole.
    /// - Returns: The names; empty if nothing differs.
    package func names(changedSince old: [String: String]) -> [String] {
        let before = old.filter { otherFiles[$0.key] == nil }.values
            .compactMap { YAMLEditor($0)?.model }
        let now = sources.compactMap { source in
            YAMLEditor(source.text).map { (file: source.name, model: $0.model) }
        }
        func differs(_ path: [YAMLStep]) -> Bool {
            let values = { (models: [Value]) in
                models.lazy.compactMap { $0.value(at: path[...]) }.first?.sorted
            }
            return values(before) != values(now.map(\.model)) || hasOtherTable(path)
        }
        func hasOtherTable(_ path: [YAMLStep]) -> Bool {
            let rows = path + [.key("rows")]
            return now.contains { file, model in
                guard case .string(let name)? = model.value(at: rows[...]) else { return false }
                let table = TextFile.resolve(name, besideFile: file)
                return old[table] != otherFiles[table]
            }
        }
        func differs(_ target: TargetDefinition) -> Bool {
            let names = target.id.rawValue.split(separator: "/").map { YAMLStep.key(String($0)) }
            return differs([.key("targets")] + names) || target.base.map(differs) ?? false
        }
        return targets.filter(differs).map(\.id.rawValue)
            + batches.map(\.name).filter { differs([.key("batches"), .key($0)]) }
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
