public import FoundationEssentials

extension DocumentDecoder {
    /// How a `Data` is written.
    public enum DataDecodingStrategy: Sendable {
        /// As `Data` decodes itself: an array of numbers.
        case deferredToData
        /// A string in base 64 (RFC 4648, section 4).
        case base64
        /// Anything that a function decodes.
        case custom(@Sendable (any Decoder) throws -> Data)
    }
}
