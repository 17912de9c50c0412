/// Why a line of the catalog cannot be sent.
public struct CatalogProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, and where, in words for people.
    public let description: String

    /// Makes a problem.
    public init(_ description: String) { self.description = description }
}
