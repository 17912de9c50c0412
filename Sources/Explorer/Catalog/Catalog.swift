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
