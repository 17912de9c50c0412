/// Why a document could not be read to its end, and where.
public struct DocumentFault: Error, Equatable, Sendable {
    /// What was wrong.
    public enum Kind: Sendable, CaseIterable {
        /// The text ends before the value does.
        case unexpectedEnd
        /// Something that begins no value.
        case expectedValue
        /// A word that is not `true`, `false` or `null`.
        case badLiteral
        /// Digits are missing in a number.
        case badNumber
        /// A backslash with something after it that JSON does not know.
        case badEscape
        /// A `\u` without four hexadecimal digits.
        case badUnicodeEscape
        /// A raw control character in a string.
        case controlCharacter
        /// Bytes that are not UTF-8.
        case badUTF8
        /// A member without its key.
        case expectedKey
        /// A key without its colon.
        case expectedColon
        /// Neither a comma nor the array's end.
        case expectedCommaOrBracket
        /// Neither a comma nor the object's end.
        case expectedCommaOrBrace
        /// Something after the outermost value.
        case trailingBytes
        /// More than about four thousand million values.
        case tooManyValues
        /// A text of more than 1 TiB.
        case textTooLong
        /// The system gave no memory for the tree.
        case outOfMemory
        /// The tree would take more memory than its `TreeMemoryLimit`.
        case treeTooLarge
    }

    /// What was wrong.
    public let kind: Kind
    /// The byte at which it was seen.
    public let offset: Int
    /// The bytes that a resumed parse left out because of it; empty before.
    public internal(set) var skipped: Range<Int>

    /// Says what was wrong and where.
    public init(_ kind: Kind, at offset: Int, skipped: Range<Int>? = nil) {
        self.kind = kind
        self.offset = offset
        self.skipped = skipped ?? offset..<offset
    }

    /// Whether the parse can go on behind it.
    var canBePassed: Bool {
        switch kind {
        case .unexpectedEnd, .tooManyValues, .textTooLong, .outOfMemory, .treeTooLarge: false
        default: true
        }
    }

    /// Whether the text may be right, and only its tree is more than there is room for.
    var isLimit: Bool {
        switch kind {
        case .tooManyValues, .textTooLong, .outOfMemory, .treeTooLarge: true
        default: false
        }
    }
}
