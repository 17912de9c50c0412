/// Names a line of a catalog, for as long as the program runs: the names of its
/// groups and its own, as in "Users/Show user".
public struct CatalogID: Hashable, Sendable, CustomStringConvertible {
    /// The path of names.
    public let description: String

    /// Makes an identity from a path.
    public init(_ path: String) { description = path }
}
