import Glibc

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

/// The faults of one text, the first ones in full.
struct FaultLog {
    /// More are only counted.
    static let most = 1000

    private(set) var faults: [DocumentFault] = []
    private(set) var count = 0
    /// The one that is about memory and not about the text.
    private(set) var limit: DocumentFault?

    mutating func append(_ fault: DocumentFault) {
        count += 1
        if fault.isLimit { limit = fault }
        if faults.count < Self.most { faults.append(fault) }
    }

    /// Says what was left out because of the last fault.
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
        case .badLiteral: "this is none of true, false and null"
        case .badNumber: "digits are missing in this number"
        case .badEscape: "JSON has no such escape"
        case .badUnicodeEscape: "\\u needs four hexadecimal digits"
        case .controlCharacter: "a control character in a string must be escaped"
        case .badUTF8: "these bytes are not UTF-8"
        case .expectedKey: "a key in double quotes was expected here"
        case .expectedColon: "a colon was expected after the key"
        case .expectedCommaOrBracket: "a comma or ] was expected here"
        case .expectedCommaOrBrace: "a comma or } was expected here"
        case .trailingBytes: "the value is over, but the text goes on"
        case .tooManyValues: "more values than a tree can hold"
        case .textTooLong: "a text of more than 1 TiB"
        case .outOfMemory: "the system gave no memory for the tree"
        case .treeTooLarge:
            "too large for a tree (limit \(TreeMemoryLimit.standardWords))"
        }
    }
}

extension TreeMemoryLimit {
    /// The limit that counts when nobody sets another one.
    static let standardWords = "512 MiB + 8 times the text"
}

extension DocumentError: CustomStringConvertible {
    /// One sentence for people.
    public var description: String {
        let name = path ?? "the input"
        return switch stage {
        case .open: "\(name) cannot be opened: \(reason)"
        case .read: "\(name) cannot be read: \(reason)"
        case .memory: "no memory for \(name): \(reason)"
        case .limit: "\(name): \(reason)"
        }
    }

    /// Why, without the file's name.
    package var reason: String {
        switch stage {
        case .open, .read, .memory: String(cString: strerror(code))
        case .limit(let bytes): "it is larger than \(bytes >> 20) MiB, the most that is read"
        }
    }
}
