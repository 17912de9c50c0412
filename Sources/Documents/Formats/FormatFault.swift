/// What was wrong in a text of another format than JSON, and where.
public struct FormatFault: Error, Equatable, Sendable {
    /// What was wrong.
    public enum Kind: Equatable, Sendable {
        /// The text breaks a rule of its format, in the words of the library that read it.
        case broken(DocumentFormat, String)
        /// A quoted cell that the text ends in.
        case openQuote
        /// Something behind the closing quote of a cell.
        case textAfterQuote
        /// No line of the text is the boundary.
        case missingBoundary
        /// The text ends before the closing boundary does.
        case missingFinalBoundary
        /// A header line of a part that is none.
        case badHeader
        /// A percent sign without two hexadecimal digits.
        case badPercentEscape
        /// Bytes that are not of the encoding.
        case badEncoding(String)
        /// An encoding that the system does not know.
        case unknownEncoding(String)
        /// An alias that names nothing before it.
        case unknownAlias(String)
        /// The tree would be much larger than the text: aliases that name aliases, for example.
        case tooLarge
        /// The text is longer than the library can read.
        case textTooLong(DocumentFormat)
        /// The library that reads the format is not on this machine.
        case missingLibrary(String)
        /// The system gave no memory.
        case outOfMemory
        /// The task was cancelled.
        case cancelled
    }

    /// What was wrong.
    public let kind: Kind
    /// The byte of the text at which it was seen, in its original encoding where that is UTF-8.
    public let offset: Int
    /// The line and column of it.
    public let position: TextPosition

    /// Says what was wrong and where.
    public init(_ kind: Kind, at offset: Int, _ position: TextPosition) {
        self.kind = kind
        self.offset = offset
        self.position = position
    }
}
