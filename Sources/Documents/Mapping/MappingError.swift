/// Why a value could not be mapped, and where it is.
public struct MappingError: Error, Equatable, Sendable {
    /// What was wrong.
    public enum Reason: Equatable, Sendable {
        /// There is no value, or it is `null`.
        case missing
        /// The value is of another kind than the named type needs, or out of its range.
        case mismatch(expected: String)
        /// The type's own initializer or a transform refused the value.
        case refused(by: String)
        /// More levels than a mapping goes down.
        case tooDeep
    }

    /// What was wrong.
    public let reason: Reason
    /// The normalised path of the value.
    public let path: String
    /// The byte of the document where the value begins; nil for one that is missing or was built.
    public let offset: Int?

    /// Says what was wrong with a value.
    public init(_ reason: Reason, at json: JSON) {
        self.reason = reason
        guard let source = json.source else {
            path = json.error?.path ?? "$"
            offset = nil
            return
        }
        path = source.document.path(of: source.node)
        offset = source.document.valueRange(of: source.node).lowerBound
    }
}
