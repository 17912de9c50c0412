/// A text that must not be shown: a password, a token, a key.
///
/// Printing, logging or reflecting it, or anything that holds it, gives a mask.
/// It is not wiped from memory.
public struct Secret: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The text itself.
    public let value: String

    /// Hides a text.
    public init(_ value: String) { self.value = value }
    /// Hides a text; for tests, as a literal in a program is no secret.
    public init(stringLiteral value: String) { self.value = value }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A mask, of the same length for every secret.
    public var description: String { CredentialMask.mask }
    /// The same mask.
    public var debugDescription: String { CredentialMask.mask }
    /// Nothing to see.
    public var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
