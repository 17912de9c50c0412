/// What the explorer shows at the left: targets in groups, batches and chains,
/// in the environments that they can be sent in.
///
/// A workspace file becomes a catalog; a program can make one of its own
/// `TargetType`s.
public struct Catalog: Sendable {
    /// The name in the title bar.
    public var name: String
    /// The names of the environments; never empty.
    public var environments: [String]
    /// Groups, targets, batches and chains, in order.
    public var nodes: [CatalogNode]

    /// Makes a catalog; without an environment there is one named "default".
    public init(name: String, environments: [String] = [], nodes: [CatalogNode]) {
        self.name = name
        self.environments = environments.isEmpty ? ["default"] : environments
        self.nodes = nodes
    }
}

/// A batch or a chain in the catalog.
public struct CatalogEntry<Resolved: Sendable>: Sendable {
    /// Its identity.
    public let id: CatalogID
    /// Its name.
    public var name: String
    /// Makes what is sent, for an environment; a chain that it makes is run once.
    public var resolve: @Sendable (_ environment: Int) throws(CatalogProblem) -> Resolved

    /// Makes a catalog entry.
    public init(
        id: CatalogID,
        name: String,
        resolve: @escaping @Sendable (_ environment: Int) throws(CatalogProblem) -> Resolved
    ) {
        self.id = id
        self.name = name
        self.resolve = resolve
    }
}

/// A batch in the catalog.
public typealias CatalogBatch = CatalogEntry<ResolvedBatch>

/// A chain in the catalog.
public typealias CatalogChain = CatalogEntry<ResolvedChain>

/// Names a line of a catalog, for as long as the program runs: the names of its
/// groups and its own, as in "Users/Show user".
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

/// Why a line of the catalog cannot be sent.
public struct CatalogProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, and where, in words for people.
    public let description: String

    /// Makes a problem.
    public init(_ description: String) { self.description = description }
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
    /// Makes the request for the environment at an index of `Catalog.environments`.
    public var resolve: @Sendable (_ environment: Int) throws(CatalogProblem) -> ResolvedTarget

    /// Makes a catalog entry.
    public init(
        id: CatalogID,
        name: String,
        method: String,
        path: String = "",
        resolve: @escaping @Sendable (_ environment: Int) throws(CatalogProblem) -> ResolvedTarget
    ) {
        self.id = id
        self.name = name
        self.method = method
        self.path = path
        self.resolve = resolve
    }
}
