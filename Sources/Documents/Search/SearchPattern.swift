/// What to search for: a text, a regular expression or bytes.
///
/// A text is compared by code points with the decoded text of the document, so that `é` also finds
/// `\u00e9`. If case does not matter, an ASCII text is compared by the case of ASCII letters, any other
/// text by Unicode's simple case folding.
package struct SearchPattern: Sendable {
    enum Kind: Sendable {
        case literal(Needle)
        case expression(RegularExpression)
    }

    /// The pattern as typed; for bytes, their hexadecimal digits.
    package let text: String
    /// The parts of a JSON text to search.
    package let scope: SearchScope
    /// Whether uppercase and lowercase letters differ.
    package let isCaseSensitive: Bool
    let kind: Kind

    /// Searches for a text; an empty one is never found.
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
    /// It is matched with the decoded content of each key and value of a JSON text, or with each line of any
    /// other text. `^` and `$` match at the ends of these, and no match crosses them. Empty matches do not
    /// count. The error says where the pattern is wrong.
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

    /// Searches for bytes, as in a hex pane.
    package init(bytes: [UInt8]) {
        text = bytes.map { HexDigit.pair($0) }.joined(separator: " ")
        scope = .everything
        isCaseSensitive = true
        kind = .literal(Needle(bytes: bytes))
    }

    /// Searches for bytes given as digits such as `1f 8b`, `1f8b`, `0x1F8B` or `\x1f\x8b`; nil if the text
    /// has another form.
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

    /// Whether the pattern is empty, so that nothing can be found.
    package var isEmpty: Bool { text.isEmpty }

    /// The pattern without escapes such as `\W`, which are not uppercase letters.
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

/// Whether case matters in a search.
package enum SearchCase: Sendable {
    /// Case matters.
    case sensitive
    /// Case does not matter.
    case insensitive
    /// Case matters if the pattern has an uppercase letter.
    case smart

    func isSensitive(for text: some Sequence<Unicode.Scalar>) -> Bool {
        switch self {
        case .sensitive: true
        case .insensitive: false
        case .smart: text.contains { $0.properties.isUppercase }
        }
    }
}

/// The parts of a JSON text to search.
package enum SearchScope: Sendable, CaseIterable {
    /// The whole text with escapes decoded, so that `"id": 7` is found as it is written.
    case everything
    /// Keys of members, including their quotes.
    case keys
    /// Strings including their quotes, numbers, and the three literals, but no keys.
    case values
}

/// The spellings of a character that are equal by Unicode's simple case folding.
enum CaseVariants {
    /// Characters that no case mapping of their partners yields, with one partner each.
    private static let oneWay: [(UInt32, UInt32)] = [
        (0xB5, 0x3BC), (0x17F, 0x73), (0x345, 0x3B9), (0x3C2, 0x3C3), (0x3D0, 0x3B2),
        (0x3D1, 0x3B8), (0x3D5, 0x3C6), (0x3D6, 0x3C0), (0x3F0, 0x3BA), (0x3F1, 0x3C1),
        (0x3F4, 0x3B8), (0x3F5, 0x3B5), (0x1C80, 0x432), (0x1C81, 0x434), (0x1C82, 0x43E),
        (0x1C83, 0x441), (0x1C84, 0x442), (0x1C85, 0x442), (0x1C86, 0x44A), (0x1C87, 0x463),
        (0x1C88, 0xA64B), (0x1E9B, 0x1E61), (0x1E9E, 0xDF), (0x1FBE, 0x3B9), (0x2126, 0x3C9),
        (0x212A, 0x6B), (0x212B, 0xE5),
    ]

    /// A character and its other spellings, at most four in all.
    static func all(of scalar: Unicode.Scalar) -> [UInt32] {
        // The Turkish dotted and dotless i fold to themselves.
        if scalar.value == 0x130 || scalar.value == 0x131 { return [scalar.value] }
        var found = [scalar.value]
        var next = 0
        while next < found.count {
            for other in mappings(of: found[next]) where !found.contains(other) {
                found.append(other)
            }
            next += 1
        }
        return found
    }

    private static func mappings(of value: UInt32) -> [UInt32] {
        guard let properties = Unicode.Scalar(value)?.properties else { return [] }
        let mapped = [
            properties.lowercaseMapping, properties.uppercaseMapping, properties.titlecaseMapping,
        ]
        let single = mapped.map(\.unicodeScalars).filter { $0.count == 1 }.map { $0.first?.value }
        let others = oneWay.filter { $0.1 == value }.map { $0.0 }
        // The dotted capital I would become "i" and a dot, two characters, but it does not get here.
        return single.compactMap { $0 } + others
    }
}
