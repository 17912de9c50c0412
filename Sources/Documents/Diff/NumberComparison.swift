/// When two numbers are equal.
public enum NumberComparison: Sendable {
    /// When they have the same value: `1.0` is `1`, `1e2` is `100`, at any length.
    case value
    /// When they are written the same.
    case text
}
