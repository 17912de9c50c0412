/// The name of one version of a representation (RFC 9110, 8.8.3).
struct EntityTag: Sendable, Hashable, CustomStringConvertible {
    /// Whether it is only said to be as good as the same.
    let isWeak: Bool
    /// With its quotes.
    let opaque: String
    /// As received.
    let description: String

    /// Any value of an `ETag` field.
    ///
    /// One that the grammar does not allow, such as one without quotes, can be
    /// sent back as it is; it counts as weak.
    init(_ value: some StringProtocol) {
        let text = Substring(value).trimmingBlanks
        description = String(text)
        let hasPrefix = text.hasPrefix("W/")
        opaque = String(hasPrefix ? text.dropFirst(2) : text)
        isWeak = hasPrefix || !Self.isQuoted(opaque)
    }

    /// Whether both are the same and neither is weak (RFC 9110, 8.8.3.2).
    func isStronglyEqual(to other: Self) -> Bool {
        !isWeak && !other.isWeak && opaque == other.opaque
    }

    /// Whether both are the same, weak or not.
    func isWeaklyEqual(to other: Self) -> Bool { opaque == other.opaque }

    private static func isQuoted(_ text: String) -> Bool {
        let bytes = text.utf8
        guard bytes.count >= 2, bytes.first == 0x22, bytes.last == 0x22 else { return false }
        return bytes.dropFirst().dropLast().allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x7f }
    }
}
