import Workspaces

/// Names and texts as Swift writes them.
enum SwiftNames {
    /// A text as an identifier that begins with a small letter: `usersShowAll` for "Users/Show all".
    static func camelCase(_ text: String) -> String {
        let words = words(of: text)
        guard let first = words.first else { return "request" }
        let name = lowered(first) + words.dropFirst().map(capitalized).joined()
        return startsPlainly(name) ? name : "_\(name)"
    }

    /// A text as the name of a type: `ShopAPI` for "shop API".
    static func typeName(_ text: String) -> String {
        let name = words(of: text).map(capitalized).joined()
        if name.isEmpty { return "Requests" }
        if types.contains(name) { return "\(name)API" }
        return startsPlainly(name) ? name : "_\(name)"
    }

    /// A text as the name of a case or of a value: one that means nothing else after a dot or alone.
    static func memberName(_ text: String) -> String {
        let name = camelCase(text)
        return special.contains(name) ? "\(name)Value" : name
    }

    /// Names that backticks do not make ordinary everywhere.
    private static let special: Set<String> = [
        "self", "Self", "init", "type", "Type", "Protocol", "none", "some",
    ]

    /// The types that the file uses, which one of its own would hide.
    private static let types: Set<String> = [
        "String", "Data", "UUID", "URL", "UInt8", "Int", "Array", "Set", "Bool", "Secret", "Swift",
        "Unicode", "TargetType", "HTTPRequest", "HTTPFields", "HTTPField", "RequestTask",
        "MultipartForm", "TransportOptions", "ServerCredentials", "Apus", "Foundation", "HTTPTypes",
        "Self", "Any", "Type", "Protocol", "Never", "Optional", "Result", "Error", "Duration",
        "AnyObject", "Sendable", "Hashable", "Equatable", "CachePolicy", "Validation", "Stub",
    ]

    private static func startsPlainly(_ name: String) -> Bool {
        name.unicodeScalars.first.map { $0.properties.isXIDStart } ?? false
    }

    /// The name, in backticks if it is a keyword.
    static func escaped(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    private static func words(of text: String) -> [String] {
        var words: [String] = []
        var word = ""
        for scalar in text.unicodeScalars {
            // Letters of all scripts are identifiers' letters; marks and emoji are left out.
            let isLetter =
                scalar.properties.isAlphabetic && scalar.properties.isXIDContinue
                || ("0"..."9").contains(scalar)
            if isLetter {
                word.unicodeScalars.append(scalar)
            } else if !word.isEmpty, scalar != "'" {
                words.append(word)
                word = ""
            }
        }
        if !word.isEmpty { words.append(word) }
        return words
    }

    /// `URLOf` and `show` begin small: `urlOf`, `show`; `Show` becomes `show`.
    private static func lowered(_ word: String) -> String {
        let capitals = word.prefix(while: \.isUppercase)
        if capitals.count == word.count { return word.lowercased() }
        if capitals.count > 1 {
            return capitals.dropLast().lowercased() + word.dropFirst(capitals.count - 1)
        }
        return capitals.lowercased() + word.dropFirst(capitals.count)
    }

    private static func capitalized(_ word: String) -> String {
        word.prefix(1).uppercased() + word.dropFirst()
    }

    private static let keywords: Set<String> = [
        "associatedtype", "class", "deinit", "enum", "extension", "fileprivate", "func", "import",
        "init", "inout", "internal", "let", "open", "operator", "private", "precedencegroup",
        "protocol", "public", "rethrows", "static", "struct", "subscript", "typealias", "var",
        "break", "case", "catch", "continue", "default", "defer", "do", "else", "fallthrough",
        "for", "guard", "if", "in", "repeat", "return", "switch", "throw", "where", "while", "Any",
        "as", "await", "false", "is", "nil", "self", "Self", "super", "throws", "true", "try",
        "Type", "Protocol",
    ]

    /// A text between quotes, with everything escaped that is not seen or means something there.
    static func literal(_ text: String) -> String {
        StringLiteral.quoted(text) { scalar in
            isHidden(scalar) ? "\\u{\(String(scalar.value, radix: 16))}" : nil
        }
    }

    /// What stands between the quotes.
    static func contents(_ text: String) -> String {
        // Scalars, because a quote and a sign that joins it are one character.
        String(literal(text).unicodeScalars.dropFirst().dropLast())
    }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned,
            .surrogate, .nonspacingMark, .enclosingMark:
            true
        case .spaceSeparator: scalar != " "
        default: false
        }
    }

    /// A text in a comment: in one line, with nothing hidden.
    static func comment(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    let isMark = scalar.properties.generalCategory == .nonspacingMark
                    return isHidden(scalar) && !isMark ? " " : scalar
                }
            )
        )
    }
}
