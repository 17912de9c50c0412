public import FoundationEssentials

/// A token that gives access for some time.
public struct AccessToken: Sendable, Hashable {
    /// The token itself.
    public var value: Secret
    /// When it ends; nil if nobody said.
    public var expires: Date?

    /// Makes a token.
    public init(_ value: Secret, expires: Date? = nil) {
        self.value = value
        self.expires = expires
    }

    /// Whether it lasts for more than the leeway.
    func isGood(at date: Date, leeway: Duration) -> Bool {
        guard let expires else { return true }
        return date.addingTimeInterval(leeway / .seconds(1)) < expires
    }
}
