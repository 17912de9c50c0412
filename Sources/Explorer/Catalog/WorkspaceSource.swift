package import Apus
import HTTPTypes
package import Sharing
import Synchronization
package import Workspaces

/// What is kept until the program ends, over all catalogs of the same files: values entered for variables without
/// one, cookies, and how the files are.
package final class WorkspaceSession: Sendable {
    private let values = Mutex<[String: String]>([:])
    /// The workspace whose texts are those of the files; nil if there is none.
    private let inFiles = Mutex<Workspace?>(nil)
    /// Keeps the values that were asked for, run or sent for.
    let supplier = VariableSupplier()
    /// What was written here, the newest last.
    private let changes = Mutex<[Change]>([])
    /// What was done with the credentials of another program's file, to be said when its workspace is read.
    private let words = Mutex<String?>(nil)
    /// A jar for each environment, in memory.
    let cookies = CookieJars.ofSession()

    /// Something that was written to the files.
    private struct Change {
        /// What it has done, in words.
        var what: String
        /// The change of names, groups, variables and the like; nil for other things that were saved.
        var change: WorkspaceChange?
        var before: Workspace.Texts
        var after: Workspace.Texts
        /// The files beside the workspace that were written with it.
        var files: [FileBeside]
    }

    /// What `?` says about what was imported, by the names of the files, in order.
    private let imports = Mutex<[(name: String, note: String)]>([])

    /// More than anybody takes back.
    private static let mostChanges = 100

    /// Whether targets are answered by their samples.
    let usesSamples: Bool

    /// Makes a session without values.
    package init(usesSamples: Bool = false) { self.usesSamples = usesSamples }

    /// The workspace with the values and cookies that were added since it was read.
    func completing(_ workspace: Workspace) -> Workspace {
        workspace.supplying(values.withLock(\.self)).keeping(cookiesIn: cookies)
            .keeping(valuesIn: supplier)
            .usingSamples(usesSamples)
    }

    /// What was done with credentials since it was last asked for.
    func consumeCredentialWords() -> String? {
        words.withLock { words in
            defer { words = nil }
            return words
        }
    }

    /// Makes the file of a workspace that has none.
    func make(_ workspace: Workspace, newFile: String?) throws(WorkspaceError) {
        let said = try workspace.save(newFile: newFile)
        words.withLock { $0 = said }
    }

    /// What `?` says about the files that were imported here; nil if there is nothing to say.
    var importNote: String? {
        let notes = imports.withLock(\.self)
        guard !notes.isEmpty else { return nil }
        return notes.map { "## Imported from \($0.name)\n\n\($0.note)" }.joined(separator: "\n\n")
    }

    /// Has `?` say this about an imported file, in place of what it said before; nil for nothing.
    func show(_ note: String?, ofImport name: String) {
        imports.withLock { imports in
            imports.removeAll { $0.name == name }
            if let note { imports.append((name, note)) }
        }
    }

    func supply(_ value: String, for name: String) { values.withLock { $0[name] = value } }

    /// Whether the files are as they were last read or saved.
    var isCurrent: Bool { inFiles.withLock(\.self)?.isAsInFiles ?? false }

    /// Remembers what the files have, to see whether they change.
    func remember(inFiles workspace: Workspace) { inFiles.withLock { $0 = workspace } }

    /// Writes an edited workspace, and returns it as it is after that.
    ///
    /// `what` says what is done with it: "deleted Users/Show".
    func save(
        _ edited: Workspace,
        newFile: String?,
        _ what: String,
        _ change: WorkspaceChange? = nil,
        with files: [FileBeside] = []
    ) throws(WorkspaceError) -> Workspace {
        let before = inFiles.withLock(\.self)
        let saved = try FileBeside.write(files) { () throws(WorkspaceError) in
            try write(edited, newFile: newFile)
        }
        // A file that was just made is not removed again.
        guard !edited.isNew, let before else { return saved }
        changes.withLock { changes in
            changes.append(
                Change(
                    what: what,
                    change: change,
                    before: before.texts,
                    after: saved.texts,
                    files: files
                )
            )
            if changes.count > Self.mostChanges { changes.removeFirst() }
        }
        return saved
    }

    /// Takes back what was written last.
    func undo() throws(WorkspaceError) -> (
        what: String, change: WorkspaceChange?, saved: Workspace
    ) {
        guard let last = changes.withLock(\.last), let current = inFiles.withLock(\.self) else {
            throw WorkspaceError([
                Problem(file: "", "nothing has been written here that could be undone")
            ])
        }
        guard current.texts == last.after, current.isAsInFiles else {
            throw WorkspaceError([
                Problem(
                    file: "",
                    "the file has changed since apus \(last.what): its older versions are a matter of git"
                )
            ])
        }
        let reverted = try completing(current).replacing(texts: last.before)
        let saved = try write(reverted, newFile: nil)
        // A file that has changed since is left as it is: what the workspace says is what counts.
        for file in last.files.reversed() { try? file.reversed.write() }
        changes.withLock { _ = $0.popLast() }
        return (last.what, last.change, saved)
    }

    private func write(_ edited: Workspace, newFile: String?) throws(WorkspaceError) -> Workspace {
        let before = inFiles.withLock(\.self)
        let saved = edited.asSaved
        // Before it is written, because whoever watches the files looks at once.
        inFiles.withLock { $0 = saved }
        do throws(WorkspaceError) {
            try make(edited, newFile: newFile)
        } catch {
            inFiles.withLock { $0 = before }
            throw error
        }
        return saved
    }
}

/// The files of a workspace.
///
///     send    edits ─▶ one definition, decoded and checked alone ─▶ request
///     save    edits ─▶ text, read again as a whole ─▶ file; the text that was read is the next catalog
package struct WorkspaceSource: CatalogSource {
    let workspace: Workspace
    let session: WorkspaceSession
    /// The file that the first save makes; nil if it is there.
    let file: NewWorkspaceFile?

    init(_ workspace: Workspace, _ session: WorkspaceSession, _ file: NewWorkspaceFile?) {
        self.workspace = workspace
        self.session = session
        self.file = file
        session.remember(inFiles: workspace)
    }

    var current: Workspace { session.completing(workspace) }

    /// Whether places in the text are places in a file.
    private var hasPlaces: Bool { workspace.isSavable && !workspace.isNew }

    /// A place in a file; nil if there is no file that an editor could open.
    func place(_ location: SourceLocation) -> FilePlace? {
        hasPlaces ? FilePlace(location) : nil
    }

    package func sharedStore() throws(SharedStoreError) -> (any SharedStore)? {
        try workspace.sharedStore()
    }

    package func teamServer() throws(SharedStoreError) -> TeamServer? {
        try workspace.teamServer()
    }

    package func workersPlan(
        of batch: CatalogBatch,
        in environment: Int
    ) throws(CatalogError) -> WorkersPlan {
        guard hasPlaces else {
            throw CatalogError("workers read the workspace's files, and this one is not saved")
        }
        return try orProblem(hasPlaces: hasPlaces) { () throws(WorkspaceError) in
            let name = name(ofEnvironment: environment)
            return try NamedWorkspace(workspace: workspace, environment: name)
                .workersPlan(ofBatch: batch.name)
        }
    }

    private func name(ofEnvironment index: Int) -> String {
        let environments = workspace.environments
        return environments.indices.contains(index) ? environments[index].name : ""
    }

    // MARK: Requests

    package func resolve(
        _ target: CatalogTarget,
        in environment: Int
    ) throws(CatalogError) -> ResolvedTarget {
        let hasPlaces = hasPlaces && target.edits == nil
        return try orProblem(hasPlaces: hasPlaces) { () throws(WorkspaceError) in
            let workspace = current
            let definition = try workspace.target(target.targetID, edited: target.edits)
            let name = name(ofEnvironment: environment)
            return ResolvedTarget(try workspace.resolve(definition, in: name))
        }
    }

    func resolve(
        _ batch: BatchDefinition,
        in environment: Int
    ) throws(CatalogError) -> ResolvedBatch {
        try orProblem(hasPlaces: hasPlaces) { () throws(WorkspaceError) in
            let name = name(ofEnvironment: environment)
            return ResolvedBatch(batch, of: try current.resolve(batch, in: name))
        }
    }

    func resolve(
        _ chain: ChainDefinition,
        in environment: Int
    ) throws(CatalogError) -> ResolvedChain {
        try orProblem(hasPlaces: hasPlaces) { () throws(WorkspaceError) in
            let name = name(ofEnvironment: environment)
            return ResolvedChain(
                graph: try current.graph(of: chain, in: name),
                steps: chain.steps.map { step in
                    ResolvedChain.Step(
                        name: step.name,
                        title: "\(step.target.method.rawValue) \(step.target.requestText)"
                    )
                }
            )
        }
    }

    package func exportable(
        _ target: CatalogTarget,
        in environment: Int
    ) -> ExportableTarget? {
        let workspace = current
        // What cannot be read is said when it is sent.
        return (try? workspace.target(target.targetID, edited: target.edits)).map { definition in
            ExportableTarget(
                workspace: NamedWorkspace(
                    workspace: workspace,
                    environment: name(ofEnvironment: environment)
                ),
                definition: definition
            )
        }
    }

    // MARK: Edits

    package func draft(
        of target: CatalogTarget,
        in environment: Int
    ) throws(CatalogError) -> TargetDraft {
        try orProblem(hasPlaces: false) { () throws(WorkspaceError) in
            let definition = try current.target(target.targetID, edited: target.edits)
            return workspace.written(definition, in: name(ofEnvironment: environment))
        }
    }

    package func applying(
        _ draft: TargetDraft,
        to target: CatalogTarget
    ) throws(CatalogError) -> CatalogTarget {
        try orProblem(hasPlaces: false) { () throws(WorkspaceError) in
            let definition = try current.target(target.targetID, edited: draft)
            return CatalogTarget(definition, at: target.place, edits: draft)
        }
    }

    package func adding(
        _ draft: TargetDraft,
        named name: String
    ) throws(CatalogError) -> CatalogTarget {
        try orProblem(hasPlaces: false) { () throws(WorkspaceError) in
            let name = name.split(separator: "/").joined(separator: " ")
            let definition = try current.making(draft, named: name)
            return CatalogTarget(definition, at: nil, edits: draft)
        }
    }

    // MARK: Files

    package var isSavable: Bool { workspace.isSavable }
    package var isCurrent: Bool { session.isCurrent }

    package func save(
        _ target: CatalogTarget,
        to destination: SaveDestination
    ) throws(CatalogError) -> Catalog? {
        try orProblem(hasPlaces: false) { () throws(WorkspaceError) in
            var (edited, id) = try current.editingText(of: target.targetID, to: target.edits)
            if case .beside(let name) = destination {
                (edited, id) = try edited.copying(id, to: name)
            }
            return try write(edited, "saved \(id)")
        }
    }

    func write(
        _ edited: Workspace,
        _ what: String,
        _ change: WorkspaceChange? = nil,
        with files: [FileBeside] = []
    ) throws(WorkspaceError) -> Catalog? {
        let saved = try session.save(edited, newFile: file?.path, what, change, with: files)
        // A new file may have got another name than its texts know.
        return edited.isNew ? nil : Catalog(saved, session: session, file: file)
    }

    package func nameNewFile(_ name: String) throws(CatalogError) {
        try orProblem(hasPlaces: false) { () throws(WorkspaceError) in try file?.choose(name) }
    }

    package func makeNewFile() throws(CatalogError) {
        try orProblem(hasPlaces: false) { () throws(WorkspaceError) in
            try session.make(workspace, newFile: file?.path)
        }
    }

    // MARK: Changes of the files

    package var changeRefusal: String? {
        workspace.isSavable ? nil : "\(workspace.name) is in no file that could be changed"
    }

    package func change(_ change: WorkspaceChange) throws(CatalogError) -> Catalog? {
        try orProblem(hasPlaces: false) { () throws(WorkspaceError) in
            try write(try current.changing(change), change.done, change)
        }
    }

    package func undo() throws(CatalogError) -> (
        what: String, change: WorkspaceChange?, catalog: Catalog
    ) {
        try orProblem(hasPlaces: false) { () throws(WorkspaceError) in
            let undone = try session.undo()
            return (undone.what, undone.change, Catalog(undone.saved, session: session, file: file))
        }
    }

    package var usesSamples: Bool { session.usesSamples }

    package func isInFiles(environment: String) -> Bool {
        workspace.settings(of: environment).contains(where: \.isEditable)
    }

    package func settings(of environment: String?) -> [Workspace.Definition] {
        workspace.settings(of: environment)
    }

    package func definitions(in environment: String?) -> [Workspace.Definition] {
        current.definitions(in: environment)
    }

    // MARK: Variables and cookies

    package func variables(in environment: Int) -> [CatalogVariable] {
        let name = name(ofEnvironment: environment)
        let workspace = current
        return workspace.variables(in: name).map { variable in
            CatalogVariable(
                name: variable.name,
                value: variable.text,
                isSecret: workspace.isSecret(variable.name, in: name)
            )
        }
    }

    package func supply(_ value: String, for name: String) { session.supply(value, for: name) }

    package func forgetValues(in environment: Int) -> [String] {
        session.supplier.forgetAll(in: name(ofEnvironment: environment))
    }

    package func check() throws(CatalogError) {
        do throws(WorkspaceError) {
            try workspace.resolveTargets()
        } catch {
            throw CatalogError(error.description, at: hasPlaces ? FilePlace(error) : nil)
        }
    }

    package var watchedFiles: [String] { workspace.watchedFiles }

    package func cookies(in environment: Int) -> CookieJar? {
        session.cookies.jar(for: name(ofEnvironment: environment))
    }
}

extension CatalogTarget {
    fileprivate var targetID: TargetID { TargetID(id.description) }
}

/// Rethrows a workspace's error as a `CatalogError`.
///
/// `hasPlaces` says whether a file has the text; otherwise its lines and columns say nothing.
package func orProblem<Value>(
    hasPlaces: Bool = true,
    _ body: () throws(WorkspaceError) -> Value
) throws(CatalogError) -> Value {
    do throws(WorkspaceError) {
        return try body()
    } catch {
        throw CatalogError(
            error.problems.map { hasPlaces ? $0.summary : $0.words }.joined(separator: "; "),
            at: hasPlaces ? FilePlace(error) : nil,
            missing: error.problems.lazy.compactMap(\.missing).first.map {
                MissingValue(name: $0.name, isSecret: $0.isSecret)
            }
        )
    }
}

extension FilePlace {
    /// A place in a file.
    package init(_ location: SourceLocation) {
        self.init(file: location.file, line: max(1, location.line))
    }

    /// The place of the first problem; nil if there is none.
    package init?(_ error: WorkspaceError) {
        guard let first = error.problems.first else { return nil }
        self.init(first.location)
    }
}
