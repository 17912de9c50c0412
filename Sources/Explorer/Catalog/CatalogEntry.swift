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
