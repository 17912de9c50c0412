package import Apus
import Documents
package import Sharing
package import Workspaces

/// Makes the requests of a catalog's targets, and applies and saves edits of them.
///
/// There are two: `WorkspaceSource` for the files of a workspace, and `ProgramSource` for a program's own targets.
/// An environment is given by its index in `Catalog.environments`. What is thrown says what is wrong in words for
/// people, and the missing value that would help.
package protocol CatalogSource: Sendable {
    /// A target's request, with the edits that it has, ready to be sent.
    func resolve(
        _ target: CatalogTarget,
        in environment: Int
    ) throws(CatalogError) -> ResolvedTarget

    /// A target as it is exported, with the edits that it has; nil if it is not of a workspace.
    func exportable(_ target: CatalogTarget, in environment: Int) -> ExportableTarget?

    // MARK: Edits

    /// A target's request as written, with the edits that it has and what it inherits in an environment.
    ///
    /// It throws if the request cannot be edited.
    func draft(
        of target: CatalogTarget,
        in environment: Int
    ) throws(CatalogError) -> TargetDraft
    /// The target with a draft as its edits. Nothing is written, and nothing but the target is checked.
    func applying(
        _ draft: TargetDraft,
        to target: CatalogTarget
    ) throws(CatalogError) -> CatalogTarget
    /// A new target, with an identity of its own in the group of new ones, which is in no file.
    func adding(
        _ draft: TargetDraft,
        named name: String
    ) throws(CatalogError) -> CatalogTarget

    // MARK: Files

    /// Whether there is a file to save to.
    var isSavable: Bool { get }
    /// Whether the files still are as they were last read or saved, so that there is nothing to load.
    var isCurrent: Bool { get }
    /// The store that responses are shared through; nil for none.
    ///
    /// It throws if there is one that cannot be used.
    func sharedStore() throws(SharedStoreError) -> (any SharedStore)?
    /// A batch as workers send it.
    ///
    /// It throws if it cannot be sent so.
    func workersPlan(
        of batch: CatalogBatch,
        in environment: Int
    ) throws(CatalogError) -> WorkersPlan
    /// The server of that store, on which sessions can be shared, too; nil for none.
    ///
    /// It throws if there is one that cannot be used.
    func teamServer() throws(SharedStoreError) -> TeamServer?
    /// Looks for what is wrong with the targets, if that was too much to do before the list is shown.
    func check() throws(CatalogError)
    /// The paths of further files whose changes change the catalog.
    var watchedFiles: [String] { get }
    /// Writes a target's edits to its file, and changes nothing else there.
    ///
    /// It throws, and leaves the file alone, if the file has changed in the meantime.
    ///
    /// - Returns: The catalog of the files as they are now; nil if they must be loaded.
    func save(
        _ target: CatalogTarget,
        to destination: SaveDestination
    ) throws(CatalogError) -> Catalog?
    /// Sets the name of the file that the first save makes; throws if no such file can be made.
    func nameNewFile(_ name: String) throws(CatalogError)
    /// Makes that file with what the catalog has, without any edit.
    func makeNewFile() throws(CatalogError)

    // MARK: Changes of the files

    /// Why groups, targets, environments and variables cannot be changed here; nil if they can.
    var changeRefusal: String? { get }
    /// Makes a change in the files, and changes nothing else there.
    ///
    /// - Returns: The catalog of the files as they are now; nil if they must be loaded.
    func change(_ change: WorkspaceChange) throws(CatalogError) -> Catalog?
    /// Takes back the last thing that was written to the files here; throws if they have changed since.
    func undo() throws(CatalogError) -> (what: String, change: WorkspaceChange?, catalog: Catalog)
    /// Whether an environment is written in a file.
    func isInFiles(environment: String) -> Bool
    /// The settings of an environment that are listed with its variables; of nil, those of the defaults.
    func settings(of environment: String?) -> [Workspace.Definition]
    /// The variables that hold in an environment; of nil, those that hold in every one.
    func definitions(in environment: String?) -> [Workspace.Definition]

    // MARK: Importing

    /// Why nothing can be imported here; nil if it can.
    var importRefusal: String? { get }
    /// Merges a file of another program into the files, where it changes nothing that people have written.
    func importing(_ read: ReadImport) throws(CatalogError) -> ImportOutcome

    /// Whether targets with a sample are answered by it, without their server.
    var usesSamples: Bool { get }

    // MARK: Variables and cookies

    /// The variables that `{{ name }}` can use in an environment.
    func variables(in environment: Int) -> [CatalogVariable]
    /// Sets a missing value until the program ends.
    func supply(_ value: String, for name: String)
    /// Forgets the values that were asked for, run or sent for; returns the names of their variables.
    func forgetValues(in environment: Int) -> [String]
    /// The cookie jar of an environment, to look at and change; nil if there is none.
    func cookies(in environment: Int) -> CookieJar?
}

/// A target of a workspace, to be written for another program.
package struct ExportableTarget: Sendable {
    /// The workspace and the environment.
    let workspace: NamedWorkspace
    /// The target, with its edits.
    let definition: TargetDefinition
}

/// What a source without files answers.
extension CatalogSource {
    /// A program's own targets are none of a workspace.
    package func exportable(
        _ target: CatalogTarget,
        in environment: Int
    ) -> ExportableTarget? { nil }
    /// None.
    package func forgetValues(in environment: Int) -> [String] { [] }
    /// Nothing is left to look at.
    package func check() throws(CatalogError) {}
    /// None.
    package var watchedFiles: [String] { [] }

    package var changeRefusal: String? {
        "these requests are a program's own: change them in its code"
    }

    package func change(_ change: WorkspaceChange) throws(CatalogError) -> Catalog? {
        throw CatalogError(changeRefusal ?? "")
    }

    package func undo() throws(CatalogError) -> (
        what: String, change: WorkspaceChange?, catalog: Catalog
    ) {
        throw CatalogError(changeRefusal ?? "")
    }

    package var importRefusal: String? {
        "these requests are a program's own: nothing can be imported here"
    }

    package func importing(_ read: ReadImport) throws(CatalogError) -> ImportOutcome {
        throw CatalogError(importRefusal ?? "")
    }

    package func isInFiles(environment: String) -> Bool { true }
    package var usesSamples: Bool { false }
    package func settings(of environment: String?) -> [Workspace.Definition] { [] }
    package func definitions(in environment: String?) -> [Workspace.Definition] { [] }
}

/// Where an edited target is written to.
package enum SaveDestination: Sendable, Hashable {
    /// In place of the target that was edited.
    case inPlace
    /// As a new target: next to it, or with slashes in the name in the groups that it names.
    case beside(name: String)
}

/// A variable that `{{ name }}` in a request can use, in one environment.
package struct CatalogVariable: Sendable, Hashable {
    /// The name between the braces.
    package var name: String
    /// What is put in its place, for the screen; nil if it is a secret or not known yet.
    package var value: String?
    /// Whether its value must not be shown.
    package var isSecret: Bool

    /// Makes a variable.
    package init(name: String, value: String?, isSecret: Bool = false) {
        self.name = name
        self.value = isSecret ? nil : value
        self.isSecret = isSecret
    }
}

/// A file that is made when something is saved.
package struct CatalogNewFile: Sendable {
    /// Its name, or the one that is offered.
    package var name: String
    /// Whether the user has named it already; if not, the first save asks.
    package var isNamed: Bool

    /// Makes a description of a file that is not there yet.
    package init(name: String, isNamed: Bool) {
        self.name = name
        self.isNamed = isNamed
    }

    /// The name of a file as it was typed, with the ending that workspaces have.
    package static func fileName(_ typed: String) -> String {
        let name = typed.trimmed
        let isWhole = [".yaml", ".yml"].contains { name.lowercased().hasSuffix($0) }
        return isWhole || name.isEmpty || name.hasSuffix("/") ? name : "\(name).apus.yaml"
    }
}

/// A request that a catalog is opened with, which is in no file.
package struct GivenRequest: Sendable {
    /// The name in the list; the target's, without its group.
    package var name: String
    /// The request as it was given, for edits and for making it again.
    package var draft: TargetDraft
    /// What the catalog made of it.
    package var target: CatalogTarget

    /// Makes a given request.
    package init(name: String, draft: TargetDraft, target: CatalogTarget) {
        self.name = name
        self.draft = draft
        self.target = target
    }
}

extension CatalogSource {
    /// None: only a workspace shares responses.
    package func sharedStore() throws(SharedStoreError) -> (any SharedStore)? { nil }

    package func workersPlan(
        of batch: CatalogBatch,
        in environment: Int
    ) throws(CatalogError) -> WorkersPlan {
        throw CatalogError("workers send only the batches of a workspace's files")
    }

    /// None, for the same reason.
    package func teamServer() throws(SharedStoreError) -> TeamServer? { nil }
}
