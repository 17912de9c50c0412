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
        case .open: "\(name) cannot be opened (error \(code))"
        case .read: "\(name) cannot be read (error \(code))"
        case .map: "\(name) cannot be mapped into memory (error \(code))"
        case .memory: "no memory for \(name) (error \(code))"
        case .limit(let bytes):
            "\(name) has more than \(bytes >> 20) MiB, which is the most that is read of it"
        }
    }
}
