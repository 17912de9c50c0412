extension DocumentDecoder {
    /// How infinity and not-a-number are written, for which JSON has no numbers.
    public enum NonConformingFloatDecodingStrategy: Sendable {
        /// Not at all.
        case `throw`
        /// As these strings.
        case convertFromString(positiveInfinity: String, negativeInfinity: String, nan: String)
    }
}
