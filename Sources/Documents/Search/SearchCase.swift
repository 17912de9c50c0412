/// Whether capital letters count.
package enum SearchCase: Sendable {
    /// They do.
    case sensitive
    /// They don't.
    case insensitive
    /// They do when the pattern has one.
    case smart

    func isSensitive(for text: some Sequence<Unicode.Scalar>) -> Bool {
        switch self {
        case .sensitive: true
        case .insensitive: false
        case .smart: text.contains { $0.properties.isUppercase }
        }
    }
}
