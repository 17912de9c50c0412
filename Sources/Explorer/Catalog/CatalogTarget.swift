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
