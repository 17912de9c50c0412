/// What is searched for: a text, a regular expression or bytes.
///
/// A text is compared by code points with the decoded text of the document, so that `é` is found
/// written as `\u00e9` too. When capital letters do not count, a text of ASCII is compared by the
/// cases of ASCII, any other by Unicode's simple case folding.
package struct SearchPattern: Sendable {
    enum Kind: Sendable {
        case literal(Needle)
        case expression(RegularExpression)
    }

    /// What was typed.
    package let text: String
    /// What of a JSON text is searched.
    package let scope: SearchScope
    /// Whether capital letters count.
    package let isCaseSensitive: Bool
    let kind: Kind

    /// Searches for a text; an empty one is found nowhere.
    package init(
        text: String,
        case letterCase: SearchCase = .smart,
        in scope: SearchScope = .everything
    ) {
        self.text = text
        self.scope = scope
        isCaseSensitive = letterCase.isSensitive(for: text.unicodeScalars)
        kind = .literal(Needle(text, isCaseSensitive: isCaseSensitive))
    }

    /// Searches for a regular expression in PCRE2's syntax.
    ///
    /// In a JSON text it is matched with the decoded content of each key and each value, in other
    /// texts with each line: these are what `^` and `$` mean, and no match crosses their borders.
    /// Empty matches do not count. The error says where the pattern is wrong.
    package init(
        expression: String,
        case letterCase: SearchCase = .smart,
        in scope: SearchScope = .everything
    ) throws(RegularExpressionError) {
        text = expression
        self.scope = scope
        isCaseSensitive = letterCase.isSensitive(for: Self.withoutEscapes(expression))
        var options: RegularExpression.Options = [.unicodeClasses, .dotMatchesLineEnds]
        if !isCaseSensitive { options.insert(.caseInsensitive) }
        kind = .expression(try RegularExpression(expression, options: options))
    }

    /// Searches for bytes, as a hex pane does.
    package init(bytes: [UInt8]) {
        text = bytes.map { HexDigit.pair($0) }.joined(separator: " ")
        scope = .everything
        isCaseSensitive = true
        kind = .literal(Needle(bytes: bytes))
    }

    /// Searches for bytes given as digits such as `1f 8b`, `1f8b`, `0x1F8B` or `\x1f\x8b`; nil when
    /// the text is nothing of the kind.
    package init?(hexText: String) {
        var digits: [UInt8] = []
        var rest = Substring(hexText)
        while let first = rest.first {
            if first == " " {
                rest.removeFirst()
            } else if digits.count % 2 == 0, rest.hasPrefix("\\x") || rest.hasPrefix("0x") {
                rest.removeFirst(2)
            } else if let byte = first.asciiValue, let value = HexDigit.value(byte) {
                digits.append(value)
                rest.removeFirst()
            } else {
                return nil
            }
        }
        guard !digits.isEmpty, digits.count % 2 == 0 else { return nil }
        let pairs = stride(from: 0, to: digits.count, by: 2)
        self.init(bytes: pairs.map { digits[$0] << 4 | digits[$0 + 1] })
    }

    /// Whether nothing can be found.
    package var isEmpty: Bool { text.isEmpty }

    /// A pattern without `\W` and the like, which are no capital letters.
    private static func withoutEscapes(_ pattern: String) -> [Unicode.Scalar] {
        var kept: [Unicode.Scalar] = []
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            if !isEscaped && scalar != "\\" { kept.append(scalar) }
            isEscaped = !isEscaped && scalar == "\\"
        }
        return kept
    }
}

extension HexDigit {
    /// A byte as two digits.
    static func pair(_ byte: UInt8) -> String {
        String(decoding: [digit(byte >> 4), digit(byte)], as: UTF8.self)
    }
}
