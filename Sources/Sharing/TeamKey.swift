import Apus

/// The secret that a team signs with what it shares.
///
/// Who does not have it can neither read a value as the team's nor write one.
public struct TeamKey: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The fewest characters of a key.
    public static let shortest = 16

    /// The environment variable that has it, unless another is named.
    package static let variable = "TEAM_KEY"

    private let bytes: [UInt8]

    /// Makes a key from a text of at least 16 characters, such as `openssl rand -hex 32` prints.
    ///
    /// - Throws: `RedisFault` if it is too short.
    public init(_ text: String) throws(RedisFault) {
        guard text.utf8.count >= Self.shortest else {
            throw RedisFault(
                .key(
                    """
                    the team's key has fewer than \(Self.shortest) characters; make one by \
                    `openssl rand -hex 32`
                    """
                )
            )
        }
        bytes = Array(text.utf8)
    }

    /// The names of two teams on one server never meet, because each has its key's digits in them.
    var team: String {
        String(ContentDigest.hex(ofCode: code(["apus team"], [])).prefix(16))
    }

    /// The signature of bytes under names.
    func code(_ names: [String], _ bytes: [UInt8]) -> [UInt8] {
        // Names have no zero bytes, so that two lists of them are never one text.
        let label = names.map { $0 + "\0" }.joined()
        return ContentDigest.authenticationCode(of: Array(label.utf8) + bytes, key: self.bytes)
    }

    /// What to say if an environment variable has no key.
    package static func missing(_ variable: String = variable) -> String {
        "the environment variable \(variable) is not set: it has the key that the team signs with"
    }

    /// Nothing of the key.
    public var description: String { "••••••" }
    /// Nothing of the key.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
