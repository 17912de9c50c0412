public import FoundationEssentials
package import Workspaces

/// What the explorer lists on the left: targets in groups, batches and chains, and their environments.
///
/// It is only a list: its `source`, which is a workspace or a program, makes the requests of its targets.
public struct Catalog: Sendable {
    /// The name in the title bar.
    public var name: String
    /// What the title bar shows in place of the file's path; nil for that.
    package var title: String?
    /// The names of the environments; never empty.
    public var environments: [String]
    /// The marks of environments, by environment name.
    public var marks: [String: EnvironmentMark] = [:]
    /// Groups, targets, batches and chains, in order.
    public var nodes: [CatalogNode]
    /// The line that is selected at first; nil for the first target.
    public var selected: CatalogID?
    /// What its author says of it, in Markdown; nil if nothing.
    package var note: String?
    /// What its author says of groups, by their paths, in Markdown.
    package var groupNotes: [String: String] = [:]
    /// Messages about the catalog, shown at the start.
    public var notes: [String] = []
    /// What saving another program's file did with its credentials, in words; nil if it did nothing.
    var credentialWords: String?
    /// The file that the first save makes; nil if there is one, or if nothing can be saved.
    package var newFile: CatalogNewFile?
    /// The request that the catalog is opened with.
    package var given: GivenRequest?
    /// What makes the requests of its targets.
    package var source: any CatalogSource

    /// Makes a catalog of batches and chains; without environments it gets one named "default".
    public init(name: String, environments: [String] = [], nodes: [CatalogNode]) {
        self.init(name: name, environments: environments, nodes: nodes, source: ProgramSource())
    }

    /// Makes a catalog whose targets are a source's.
    package init(
        name: String,
        environments: [String] = [],
        nodes: [CatalogNode],
        source: any CatalogSource
    ) {
        self.name = name
        self.environments = environments.isEmpty ? ["default"] : environments
        self.nodes = nodes
        self.source = source
    }
}

extension Catalog {
    /// The names of the variables of all environments.
    package var variableNames: Set<String> {
        Set(environments.indices.flatMap { source.variables(in: $0).map(\.name) })
    }

    /// The catalog with a target added at the end of a group, which is made if it is missing.
    func adding(_ target: CatalogTarget, to group: String) -> Catalog {
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

/// A batch or a chain in the catalog.
public struct CatalogEntry<Resolved: Sendable>: Sendable {
    /// What distinguishes it from everything else in the catalog, also after the files have changed.
    public let id: CatalogID
    /// The name in the list and in the history, without its groups.
    public var name: String
    /// What it is for, in the words of its author; nil if there are none.
    public var summary: String?
    /// Where it is written, for an editor; nil if it is in no file.
    public var place: FilePlace?
    /// Makes what is sent in an environment; each chain that it makes is run once.
    public var resolve: @Sendable (_ environment: Int) throws(CatalogError) -> Resolved

    /// Makes a catalog entry.
    public init(
        id: CatalogID,
        name: String,
        summary: String? = nil,
        place: FilePlace? = nil,
        resolve: @escaping @Sendable (_ environment: Int) throws(CatalogError) -> Resolved
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
public struct CatalogError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
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

    /// The description; also returned by `localizedDescription`.
    public var errorDescription: String? { description }
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
    /// What distinguishes it from everything else in the catalog, also after the files have changed.
    public let id: CatalogID
    /// The name in the list, without its groups.
    public var name: String
    /// Its method, as far as it is known without an environment.
    public var method: String
    /// Its path as written, for the filter.
    public var path: String
    /// What it is for, in the words of its author; nil if there are none.
    public var summary: String?
    /// What its author says of it, in Markdown; nil if nothing.
    package var note: String?
    /// Where it is written, for an editor; nil if it is in no file.
    public var place: FilePlace?
    /// The request to send in place of the catalog's, or of a target that is in no file; nil for the catalog's.
    package var edits: TargetDraft?

    /// Makes a target whose requests the catalog's source makes.
    package init(
        id: CatalogID,
        name: String,
        method: String,
        path: String = "",
        summary: String? = nil,
        place: FilePlace? = nil,
        edits: TargetDraft? = nil
    ) {
        self.id = id
        self.name = name
        self.method = method
        self.path = path
        self.summary = summary
        self.place = place
        self.edits = edits
    }
}

/// A value that a request needs and nothing provides: a variable, or a secret whose source is empty.
public struct MissingValue: Sendable, Hashable {
    /// The name of the variable, or of the secret as the workspace has it.
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
