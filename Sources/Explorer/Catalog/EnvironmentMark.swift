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

    /// Makes a mark.
    public init(isDangerous: Bool = false, color: Color? = nil) {
        (self.isDangerous, self.color) = (isDangerous, color)
    }
}
