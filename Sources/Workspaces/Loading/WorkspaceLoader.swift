/// Reads a workspace's files.
enum WorkspaceLoader {
    private static let suffix = ".apus.yaml"
    /// The files of a folder together; one alone has a limit of its own.
    private static let maximumSize = 64 << 20

    static func load(
        path: String,
        given: [String: String],
        secrets: SecretReader
    ) throws(WorkspaceError) -> Workspace {
        let log = ProblemLog()
        var sources: [SourceText] = []
        var size = 0
        for file in try files(at: path) {
            do throws(FileFault) {
                let text = try TextFile.read(file)
                size += text.utf8.count
                guard size <= maximumSize else {
                    throw FileFault(detail: "makes the workspace larger than 64 MiB")
                }
                sources.append(SourceText(name: file, text: text))
            } catch {
                log.add(Problem(file: file, "the file \(error.detail)"))
                if size > maximumSize { break }
            }
        }
        return try read(sources, given: given, secrets: secrets, log)
    }

    static func read(
        _ sources: [SourceText],
        given: [String: String],
        secrets: SecretReader,
        _ log: ProblemLog
    ) throws(WorkspaceError) -> Workspace {
        var builder = WorkspaceBuilder(log: log, secrets: secrets)
        for source in sources { builder.add(source) }
        let files = sources.map(\.name)
        let workspace = builder.build(files: files, given: given)
        ReferenceChecker(workspace: workspace, log: log).check()
        try log.throwIfAny(files: files)
        return workspace
    }

    private static func files(at path: String) throws(WorkspaceError) -> [String] {
        guard TextFile.isFolder(path) else { return [path] }
        let folder = path.hasSuffix("/") ? path : path + "/"
        do throws(FileFault) {
            let names = try TextFile.names(inFolder: path).filter { $0.hasSuffix(suffix) }
            guard names.isEmpty else { return names.map { folder + $0 } }
        } catch {
            throw WorkspaceError([Problem(file: path, "the folder \(error.detail)")])
        }
        throw WorkspaceError([
            Problem(
                file: path,
                "the folder has no workspace in it",
                hint: "workspace files are called `name\(suffix)`"
            )
        ])
    }
}
