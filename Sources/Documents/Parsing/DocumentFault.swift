/// Why a document could not be read to its end, and where.
public struct DocumentFault: Error, Equatable, Sendable {
    /// What can be wrong with a JSON text.
    public enum Kind: Sendable, CaseIterable {
        /// The text ends before the value does.
        case unexpectedEnd
        /// No value begins here.
        case expectedValue
        /// A word that is not `true`, `false` or `null`.
        case badLiteral
        /// Digits are missing in a number.
        case badNumber
        /// A backslash followed by a character that JSON does not escape.
        case badEscape
        /// A `\u` without four hexadecimal digits.
        case badUnicodeEscape
        /// A raw control character in a string.
        case controlCharacter
        /// Bytes that are not UTF-8.
        case badUTF8
        /// A member without a key.
        case expectedKey
        /// A key without a colon.
        case expectedColon
        /// Neither a comma nor the array's end.
        case expectedCommaOrBracket
        /// Neither a comma nor the object's end.
        case expectedCommaOrBrace
        /// Something after the outermost value.
        case trailingBytes
        /// More than about four billion values.
        case tooManyValues
        /// A text of more than 1 TiB.
        case textTooLong
        /// The system could not provide memory for the tree.
        case outOfMemory
        /// The tree would take more memory than its `TreeMemoryLimit`.
        case treeTooLarge
    }

    /// What is wrong with the text.
    public let kind: Kind
    /// The offset of the byte where the fault was noticed.
    public let offset: Int
    /// The bytes that a resumed parse skipped because of the fault; empty before that.
    public internal(set) var skipped: Range<Int>

    /// Creates a fault; `skipped` is empty by default.
    public init(_ kind: Kind, at offset: Int, skipped: Range<Int>? = nil) {
        self.kind = kind
        self.offset = offset
        self.skipped = skipped ?? offset..<offset
    }

    /// Whether a parse can continue after the fault.
    var isRecoverable: Bool {
        switch kind {
        case .unexpectedEnd, .tooManyValues, .textTooLong, .outOfMemory, .treeTooLarge: false
        default: true
        }
    }

    /// Whether a limit was reached, so that the text itself may be valid.
    var isLimit: Bool {
        switch kind {
        case .tooManyValues, .textTooLong, .outOfMemory, .treeTooLarge: true
        default: false
        }
    }
}

/// The faults of one text; keeps the first ones and counts all.
struct FaultLog {
    /// The number of faults that are kept.
    static let most = 1000

    private(set) var faults: [DocumentFault] = []
    private(set) var count = 0
    /// The fault that is a limit rather than an error in the text; nil if there is none.
    private(set) var limit: DocumentFault?

    mutating func append(_ fault: DocumentFault) {
        count += 1
        if fault.isLimit { limit = fault }
        if faults.count < Self.most { faults.append(fault) }
    }

    /// Records the range that was skipped because of the last fault.
    mutating func setSkipped(_ range: Range<Int>) {
        if count == faults.count, count > 0 { faults[count - 1].skipped = range }
    }
}

extension DocumentFault: CustomStringConvertible {
    /// One sentence for people, without the position.
    public var description: String {
        switch kind {
        case .unexpectedEnd: "the text ends in the middle of a value"
        case .expectedValue: "a value was expected here"
        case .badLiteral: "this is not true, false or null"
        case .badNumber: "digits are missing in this number"
        case .badEscape: "this is not a valid JSON escape"
        case .badUnicodeEscape: "\\u must be followed by four hexadecimal digits"
        case .controlCharacter: "a control character in a string must be escaped"
        case .badUTF8: "these bytes are not valid UTF-8"
        case .expectedKey: "a key in double quotes was expected here"
        case .expectedColon: "a colon was expected after the key"
        case .expectedCommaOrBracket: "a comma or ] was expected here"
        case .expectedCommaOrBrace: "a comma or } was expected here"
        case .trailingBytes: "there is more text after the end of the value"
        case .tooManyValues: "the text has more values than a tree can hold"
        case .textTooLong: "the text is larger than 1 TiB"
        case .outOfMemory: "not enough memory for the tree"
        case .treeTooLarge:
            "too large for a tree (limit \(TreeMemoryLimit.standardWords))"
        }
    }
}

extension TreeMemoryLimit {
    /// The standard limit in words.
    static let standardWords = "512 MiB + 8 times the text"
}
