/// Takes the secrets of a request out of any text about it.
package struct SecretMask: Sendable, CustomStringConvertible, CustomReflectable {
    /// What stands for a secret.
    package static let placeholder = "••••••"

    /// What is taken out.
    private(set) var secrets: Set<String> = []

    /// Adds a secret; the empty text is none.
    mutating func insert(_ secret: String) {
        if !secret.isEmpty { secrets.insert(secret) }
    }

    /// The text with every secret in it replaced, the longest first.
    package func masking(_ text: String) -> String {
        var text = text
        for secret in secrets.sorted(by: { ($0.count, $0) > ($1.count, $1) }) {
            text = text.replacing(secret, with: Self.placeholder)
        }
        return text
    }

    package var description: String { "\(secrets.count) secrets" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
