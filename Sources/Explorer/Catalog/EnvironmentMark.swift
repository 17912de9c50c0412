/// What tells an environment apart from the others.
public struct EnvironmentMark: Sendable, Hashable {
    /// A colour by name; each theme has its own tone of it.
    public enum Color: String, Sendable, Hashable, CaseIterable {
        case red, orange, yellow, green, cyan, blue, violet, pink, grey
    }

    /// Whether what changes something there is asked about before it is sent.
    public var isDangerous: Bool
    /// Its colour; nil for that of all, and red for one that is dangerous.
    public var color: Color?

    /// Makes a mark.
    public init(isDangerous: Bool = false, color: Color? = nil) {
        (self.isDangerous, self.color) = (isDangerous, color)
    }
}
