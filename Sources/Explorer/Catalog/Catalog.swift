public import Apus

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

/// Names a line of a catalog, for as long as the program runs: the names of its
/// groups and its own, as in "Users/Show user".
public struct CatalogID: Hashable, Sendable, CustomStringConvertible {
    /// The path of names.
    public let description: String

    /// Makes an identity from a path.
    public init(_ path: String) { description = path }
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

/// A request, ready to be sent and shown.
public struct ResolvedTarget: Sendable {
    /// What is sent.
    public var target: any TargetType
    /// Where its answers come from, if it has a wish of its own.
    public var source: DataSource?
    /// The URL, secrets masked.
    public var url: String
    /// What else there is to know, in short pieces, most useful first.
    ///
    /// Header fields, credentials (masked), what is kept.
    public var details: [String]

    /// Makes a resolved target.
    public init(target: any TargetType, source: DataSource?, url: String, details: [String]) {
        self.target = target
        self.source = source
        self.url = url
        self.details = details
    }
}

/// A batch in the catalog.
public struct CatalogBatch: Sendable {
    /// Its identity.
    public let id: CatalogID
    /// Its name.
    public var name: String
    /// Makes the batch for an environment.
    public var resolve: @Sendable (_ environment: Int) throws(CatalogProblem) -> ResolvedBatch

    /// Makes a catalog entry.
    public init(
        id: CatalogID,
        name: String,
        resolve: @escaping @Sendable (_ environment: Int) throws(CatalogProblem) -> ResolvedBatch
    ) {
        self.id = id
        self.name = name
        self.resolve = resolve
    }
}

/// A batch, ready to run.
public struct ResolvedBatch: Sendable {
    /// What is sent.
    public var batch: Batch
    /// A line for each target of the batch: "GET /users/7".
    public var titles: [String]

    /// Makes a resolved batch.
    public init(batch: Batch, titles: [String]) {
        self.batch = batch
        self.titles = titles
    }
}

/// A chain in the catalog.
public struct CatalogChain: Sendable {
    /// Its identity.
    public let id: CatalogID
    /// Its name.
    public var name: String
    /// Makes the chain for an environment; a chain is run once.
    public var resolve: @Sendable (_ environment: Int) throws(CatalogProblem) -> ResolvedChain

    /// Makes a catalog entry.
    public init(
        id: CatalogID,
        name: String,
        resolve: @escaping @Sendable (_ environment: Int) throws(CatalogProblem) -> ResolvedChain
    ) {
        self.id = id
        self.name = name
        self.resolve = resolve
    }
}

/// A chain, ready to run.
public struct ResolvedChain: Sendable {
    /// What is sent.
    public var chain: Chain
    /// The steps that are planned, in order.
    public var steps: [Step]
    /// What the chain takes out of a step's answer, secrets masked.
    public var captures: @Sendable (ChainStep) -> [Capture]

    /// A named value that a later step uses.
    public struct Capture: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// Its text.
        public var value: String

        /// Makes a capture.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A planned step.
    public struct Step: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// What it sends: "POST /users".
        public var title: String

        /// Makes a step.
        public init(name: String, title: String) {
            self.name = name
            self.title = title
        }
    }

    /// Makes a resolved chain.
    public init(
        chain: Chain,
        steps: [Step],
        captures: @escaping @Sendable (ChainStep) -> [Capture] = { _ in [] }
    ) {
        self.chain = chain
        self.steps = steps
        self.captures = captures
    }
}

/// Why a line of the catalog cannot be sent.
public struct CatalogProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, and where, in words for people.
    public let description: String

    /// Makes a problem.
    public init(_ description: String) { self.description = description }
}
