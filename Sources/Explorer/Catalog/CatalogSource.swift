package import Apus
import Documents
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
    ) throws(CatalogProblem) -> ResolvedTarget

    // MARK: Edits

    /// A target's request as written, with the edits that it has and what it inherits in an environment.
    ///
    /// It throws if the request cannot be edited.
    func draft(
        of target: CatalogTarget,
        in environment: Int
    ) throws(CatalogProblem) -> TargetDraft
    /// The target with a draft as its edits. Nothing is written, and nothing but the target is checked.
    func applying(
        _ draft: TargetDraft,
        to target: CatalogTarget
    ) throws(CatalogProblem) -> CatalogTarget
    /// A new target, with an identity of its own in the group of new ones, which is in no file.
    func adding(
        _ draft: TargetDraft,
        named name: String
    ) throws(CatalogProblem) -> CatalogTarget

    // MARK: Files

    /// Whether there is a file to save to.
    var isSavable: Bool { get }
    /// Whether the files still are as they were last read or saved, so that there is nothing to load.
    var isCurrent: Bool { get }
    /// Writes a target's edits to its file, and changes nothing else there.
    ///
    /// It throws, and leaves the file alone, if the file has changed in the meantime.
    ///
    /// - Returns: The catalog of the files as they are now; nil if they must be loaded.
    func save(
        _ target: CatalogTarget,
        to destination: SaveDestination
    ) throws(CatalogProblem) -> Catalog?
    /// Sets the name of the file that the first save makes; throws if no such file can be made.
    func nameNewFile(_ name: String) throws(CatalogProblem)
    /// Makes that file with what the catalog has, without any edit.
    func makeNewFile() throws(CatalogProblem)

    // MARK: Variables and cookies

    /// The variables that `{{ name }}` can use in an environment.
    func variables(in environment: Int) -> [CatalogVariable]
    /// Sets a missing value until the program ends.
    func supply(_ value: String, for name: String)
    /// The cookie jar of an environment, to look at and change; nil if there is none.
    func cookies(in environment: Int) -> CookieJar?
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
