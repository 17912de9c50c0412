/// A rule of one's own for which responses are an answer.
///
/// Two rules are equal when their names are: give different rules different names.
public struct ValidationRule: Sendable, Hashable {
    /// What it is called.
    public let name: String
    /// Whether a response is an answer.
    public let accepts: @Sendable (Response) -> Bool

    /// Makes a rule with a name.
    public init(_ name: String, accepts: @escaping @Sendable (Response) -> Bool) {
        self.name = name
        self.accepts = accepts
    }

    /// Whether two rules have the same name.
    public static func == (a: ValidationRule, b: ValidationRule) -> Bool { a.name == b.name }
    /// Hashes the name.
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}
