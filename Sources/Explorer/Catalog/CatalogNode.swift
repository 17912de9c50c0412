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
