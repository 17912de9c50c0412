public import Apus

/// What the explorer lists on the left: targets in groups, batches and chains, and their environments.
///
/// A workspace file becomes a catalog; a program can make one from its own `TargetType`s.
public struct Catalog: Sendable {
    /// The name in the title bar.
    public var name: String
    /// The names of the environments; never empty.
    public var environments: [String]
    /// The marks of environments, by environment name.
    public var marks: [String: EnvironmentMark] = [:]
    /// Groups, targets, batches and chains, in order.
    public var nodes: [CatalogNode]
    /// The line that is selected at first; nil for the first target.
    public var selected: CatalogID?
    /// Messages about the catalog, shown at the start.
    public var notes: [String] = []
    /// The file that the first save makes; nil if there is one, or if nothing can be saved.
    public var newFile: CatalogNewFile?
    /// The request that the catalog is opened with, which is in no file.
    package var given: GivenRequest?
    /// Makes a new request in the catalog's own form, with its own identity; nil if the catalog cannot take one.
    public var make:
        (@Sendable (_ name: String, TargetDraft) throws(CatalogProblem) -> CatalogEdit)?
    /// The variables that `{{ name }}` can use in the environment at an index; nil if there are none.
    public var variables: (@Sendable (_ environment: Int) -> [CatalogVariable])?
    /// Sets a missing value until the program ends; nil if the catalog cannot take one.
    public var supply: (@Sendable (_ name: String, _ value: String) -> Void)?
    /// The cookie jar of the environment at an index, to look at and change; nil if there is none.
    public var cookies: (@Sendable (_ environment: Int) -> CookieJar)?

    /// Makes a catalog; without environments it gets one named "default".
    public init(
        name: String,
        environments: [String] = [],
        nodes: [CatalogNode],
        make: (@Sendable (_ name: String, TargetDraft) throws(CatalogProblem) -> CatalogEdit)? =
            nil,
        variables: (@Sendable (_ environment: Int) -> [CatalogVariable])? = nil,
        supply: (@Sendable (_ name: String, _ value: String) -> Void)? = nil,
        cookies: (@Sendable (_ environment: Int) -> CookieJar)? = nil
    ) {
        self.cookies = cookies
        self.make = make
        self.variables = variables
        self.supply = supply
        self.name = name
        self.environments = environments.isEmpty ? ["default"] : environments
        self.nodes = nodes
    }
}

extension Catalog {
    /// The names of the variables of all environments.
    package var variableNames: Set<String> {
        guard let variables else { return [] }
        return Set(environments.indices.flatMap { variables($0).map(\.name) })
    }

    /// The catalog with a target added at the end of a group, which is made if it is missing.
    public func adding(_ target: CatalogTarget, to group: String) -> Catalog {
        var catalog = self
        for (index, node) in nodes.enumerated() {
            guard case .group(group, let inner) = node else { continue }
            catalog.nodes[index] = .group(name: group, inner + [.target(target)])
            return catalog
        }
        catalog.nodes.append(.group(name: group, [.target(target)]))
        return catalog
    }
}

/// A file that is made when something is saved.
public struct CatalogNewFile: Sendable {
    /// Its name, or the one that is offered.
    public var name: String
    /// Whether the user has named it already; if not, the first save asks.
    public var isNamed: Bool
    /// Sets the name that saving uses; throws if no such file can be made.
    public var choose: @Sendable (_ name: String) throws(CatalogProblem) -> Void
    /// Makes the file with what the catalog has, without any edit.
    public var make: @Sendable () throws(CatalogProblem) -> Void

    /// Makes a description of a file that is not there yet.
    public init(
        name: String,
        isNamed: Bool,
        choose: @escaping @Sendable (_ name: String) throws(CatalogProblem) -> Void,
        make: @escaping @Sendable () throws(CatalogProblem) -> Void
    ) {
        self.name = name
        self.isNamed = isNamed
        self.choose = choose
        self.make = make
    }

    /// The name of a file as it was typed, with the ending that workspaces have.
    package static func fileName(_ typed: String) -> String {
        let name = typed.trimmed
        let isWhole = [".yaml", ".yml"].contains { name.lowercased().hasSuffix($0) }
        return isWhole || name.isEmpty || name.hasSuffix("/") ? name : "\(name).apus.yaml"
    }
}

/// A request that a catalog is opened with.
package struct GivenRequest: Sendable {
    /// Its name.
    package var name: String
    /// The request.
    package var draft: TargetDraft
    /// What the catalog made of it.
    package var edit: CatalogEdit

    /// Makes a given request.
    package init(name: String, draft: TargetDraft, edit: CatalogEdit) {
        self.name = name
        self.draft = draft
        self.edit = edit
    }
}

/// A batch or a chain in the catalog.
public struct CatalogEntry<Resolved: Sendable>: Sendable {
    /// Its identity.
    public let id: CatalogID
    /// Its name.
    public var name: String
    /// What it is for, in the words of its author; nil if there are none.
    public var summary: String?
    /// Where it is written, for an editor; nil if it is in no file.
    public var place: FilePlace?
    /// Makes what is sent in an environment; each chain that it makes is run once.
    public var resolve: @Sendable (_ environment: Int) throws(CatalogProblem) -> Resolved

    /// Makes a catalog entry.
    public init(
        id: CatalogID,
        name: String,
        summary: String? = nil,
        place: FilePlace? = nil,
        resolve: @escaping @Sendable (_ environment: Int) throws(CatalogProblem) -> Resolved
    ) {
        self.id = id
        self.name = name
        self.summary = summary
        self.place = place
        self.resolve = resolve
    }
}

/// A batch in the catalog.
public typealias CatalogBatch = CatalogEntry<ResolvedBatch>

/// A chain in the catalog.
public typealias CatalogChain = CatalogEntry<ResolvedChain>

/// Identifies a line of a catalog while the program runs: its groups' names and its own, as in "Users/Show user".
public struct CatalogID: Hashable, Sendable, CustomStringConvertible {
    /// The path of names.
    public let description: String

    /// Makes an identity from a path.
    public init(_ path: String) { description = path }
}

/// A line of the catalog.
public indirect enum CatalogNode: Sendable {
    /// Nodes under a name.
    case group(name: String, [CatalogNode])
    /// One request.
    case target(CatalogTarget)
    /// Many requests side by side.
    case batch(CatalogBatch)
    /// Requests one after the other.
    case chain(CatalogChain)
}

/// Why a line of the catalog cannot be sent, or why a catalog cannot be loaded.
public struct CatalogProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, and where, in words for people.
    public let description: String
    /// Where the problem is written, for an editor; nil if it is in no file.
    public let place: FilePlace?
    /// The missing value that would fix it; nil if none would.
    public let missing: MissingValue?

    /// Makes a problem.
    public init(_ description: String, at place: FilePlace? = nil, missing: MissingValue? = nil) {
        self.description = description
        self.place = place
        self.missing = missing
    }
}

/// A line of a file that a catalog was read from.
public struct FilePlace: Sendable, Hashable {
    /// The file's path.
    public var file: String
    /// The line, from 1.
    public var line: Int

    /// Makes a place.
    public init(file: String, line: Int) {
        self.file = file
        self.line = line
    }
}

/// A request in the catalog.
public struct CatalogTarget: Sendable {
    /// Its identity.
    public let id: CatalogID
    /// Its name.
    public var name: String
    /// Its method, as far as it is known without an environment.
    public var method: String
    /// Its path as written, for the filter.
    public var path: String
    /// What it is for, in the words of its author; nil if there are none.
    public var summary: String?
    /// Where it is written, for an editor; nil if it is in no file.
    public var place: FilePlace?
    /// Makes the request for the environment at an index of `Catalog.environments`.
    public var resolve: @Sendable (_ environment: Int) throws(CatalogProblem) -> ResolvedTarget
    /// Makes the request as written, with what it inherits in an environment; nil if it cannot be edited.
    public var draft: (@Sendable (_ environment: Int) throws(CatalogProblem) -> TargetDraft)?
    /// Applies an edited draft in memory; nothing is written until the edit is saved.
    public var edit: (@Sendable (TargetDraft) throws(CatalogProblem) -> CatalogEdit)?

    /// Makes a catalog entry; one without `draft` and `edit` cannot be edited.
    public init(
        id: CatalogID,
        name: String,
        method: String,
        path: String = "",
        summary: String? = nil,
        place: FilePlace? = nil,
        draft: (@Sendable (_ environment: Int) throws(CatalogProblem) -> TargetDraft)? = nil,
        edit: (@Sendable (TargetDraft) throws(CatalogProblem) -> CatalogEdit)? = nil,
        resolve: @escaping @Sendable (_ environment: Int) throws(CatalogProblem) -> ResolvedTarget
    ) {
        self.id = id
        self.name = name
        self.method = method
        self.path = path
        self.summary = summary
        self.place = place
        self.draft = draft
        self.edit = edit
        self.resolve = resolve
    }
}

/// A variable that `{{ name }}` in a request can use, in one environment.
public struct CatalogVariable: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Its value, for the screen; nil if it is a secret or not known yet.
    public var value: String?
    /// Whether its value must not be shown.
    public var isSecret: Bool

    /// Makes a variable.
    public init(name: String, value: String?, isSecret: Bool = false) {
        self.name = name
        self.value = isSecret ? nil : value
        self.isSecret = isSecret
    }
}

/// A value that a request needs and nothing provides: a variable, or a secret whose source is empty.
public struct MissingValue: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Whether it must not be shown or recorded.
    public var isSecret: Bool

    /// Makes a missing value.
    public init(name: String, isSecret: Bool) {
        self.name = name
        self.isSecret = isSecret
    }
}

/// How an environment is set apart from the others.
public struct EnvironmentMark: Sendable, Hashable {
    /// A color by name; each theme has its own shade of it.
    public enum Color: String, Sendable, Hashable, CaseIterable {
        case red, orange, yellow, green, cyan, blue, violet, pink, grey
    }

    /// Whether requests that change something must be confirmed there.
    public var isDangerous: Bool
    /// Its color; nil for the usual one, which is red if the environment is dangerous.
    public var color: Color?
    /// What it is for, in the words of its author; nil if there are none.
    public var summary: String?

    /// Makes a mark.
    public init(isDangerous: Bool = false, color: Color? = nil) {
        (self.isDangerous, self.color) = (isDangerous, color)
    }
}
