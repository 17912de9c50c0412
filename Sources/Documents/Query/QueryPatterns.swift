/// An RFC 9485 pattern (I-Regexp), checked and translated for PCRE2.
///
/// PCRE2 accepts much that I-Regexp does not have: lookaround, back references, lazy quantifiers, `\d`.
/// All of these make a pattern invalid here. `^` and `$` are ordinary characters in the grammar of
/// RFC 9485 but anchors in its own translation rules (section 5): both interpretations match.
struct InteroperableRegexp {
    /// The pattern for PCRE2.
    private(set) var translation = ""
    private let scalars: [Unicode.Scalar]
    private var at = 0
    /// A byte of the translation, the last piece that begins at or before it, and the next piece.
    private var watched = Int.max
    private var lastPiece = (translated: 0, scalar: 0)
    private var nextPiece: Int?

    /// Checks a pattern; nil if it is invalid.
    init?(_ pattern: UnsafeBufferPointer<UInt8>) {
        guard let text = String(validating: pattern, as: UTF8.self) else { return nil }
        scalars = Array(text.unicodeScalars)
        guard translate() else { return nil }
    }

    /// The offset in the pattern's UTF-8 for an offset in the translation.
    func offset(ofTranslated offset: Int) -> Int {
        // Translates again, so that positions are only tracked if they are needed.
        var other = self
        (other.translation, other.at, other.watched) = ("", 0, offset)
        _ = other.translate()
        let inside = other.lastPiece.scalar + offset - other.lastPiece.translated
        let end = min(inside, other.nextPiece ?? scalars.count, scalars.count)
        return scalars[..<end].reduce(0) { $0 + UTF8.width($1) }
    }

    private mutating func notePiece() {
        if translation.utf8.count <= watched {
            lastPiece = (translation.utf8.count, at)
        } else if nextPiece == nil {
            nextPiece = at
        }
    }

    private var scalar: Unicode.Scalar? { at < scalars.count ? scalars[at] : nil }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard self.scalar == scalar else { return false }
        at += 1
        return true
    }

    /// Translates branches, pieces and groups; only counts the open groups.
    private mutating func translate() -> Bool {
        var open = 0
        while let scalar {
            notePiece()
            at += 1
            switch scalar {
            case "(":
                open += 1
                translation += "(?:"
                continue
            case "|":
                translation += "|"
                continue
            case ")":
                guard open > 0 else { return false }
                open -= 1
                translation += ")"
            case ".": translation += #"[^\n\r]"#
            case "^": translation += #"(?:\A|\^)"#
            case "$": translation += #"(?:\z|\$)"#
            case "[":
                guard translateClass() else { return false }
            case "\\":
                guard translateEscape() else { return false }
            case "*", "+", "?", "{", "}", "]": return false
            default: append(scalar)
            }
            notePiece()
            guard translateQuantifier() else { return false }
        }
        return open == 0
    }

    private mutating func translateQuantifier() -> Bool {
        switch scalar {
        case "*", "+", "?":
            translation.unicodeScalars.append(scalars[at])
            at += 1
            return true
        case "{":
            at += 1
            guard let least = digits() else { return false }
            var range = least
            if skip(",") { range += "," + (digits() ?? "") }
            translation += "{" + range + "}"
            return skip("}")
        default: return true
        }
    }

    /// One digit or more, with leading zeros dropped; nil if there is none.
    private mutating func digits() -> String? {
        let start = at
        while let scalar, ("0"..."9").contains(scalar) { at += 1 }
        guard at > start else { return nil }
        let significant = scalars[start..<at].drop { $0 == "0" }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: significant)
        return text.isEmpty ? "0" : String(text)
    }

    // MARK: - Characters

    /// Translates what follows a backslash: one character, or a category.
    private mutating func translateEscape() -> Bool {
        if let character = escapedCharacter() {
            append(character)
            return true
        }
        return translateCategory()
    }

    private mutating func escapedCharacter() -> Unicode.Scalar? {
        guard let scalar else { return nil }
        let meant: Unicode.Scalar
        switch scalar {
        case "n": meant = "\n"
        case "r": meant = "\r"
        case "t": meant = "\t"
        case "("..."+", "-", ".", "?", "["..."^", "{"..."}": meant = scalar
        default: return nil
        }
        at += 1
        return meant
    }

    private mutating func translateCategory() -> Bool {
        guard let letter = scalar, letter == "p" || letter == "P" else { return false }
        at += 1
        guard skip("{"), let group = scalar, let kinds = Self.categories[group] else {
            return false
        }
        at += 1
        translation += "\\"
        translation.unicodeScalars.append(letter)
        translation += "{"
        translation.unicodeScalars.append(group)
        if let kind = scalar, kinds.unicodeScalars.contains(kind) {
            translation.unicodeScalars.append(kind)
            at += 1
        }
        translation += "}"
        return skip("}")
    }

    private static let categories: [Unicode.Scalar: String] = [
        "L": "lmotu", "M": "cen", "N": "dlo", "P": "cdefios", "Z": "lps", "S": "ckmo", "C": "cfno",
    ]

    /// Appends a literal character, escaped if it may be special in PCRE2.
    private mutating func append(_ scalar: Unicode.Scalar) {
        let isPlain =
            ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
            || ("0"..."9").contains(scalar) || scalar.value >= 0xA0
        if isPlain {
            translation.unicodeScalars.append(scalar)
        } else {
            translation += "\\x{" + String(scalar.value, radix: 16) + "}"
        }
    }

    // MARK: - Classes

    /// Translates what follows a `[`.
    private mutating func translateClass() -> Bool {
        translation += skip("^") ? "[^" : "["
        var isEmpty = true
        if skip("-") {
            translation += "\\-"
            isEmpty = false
        }
        while let scalar {
            if skip("]") {
                translation += "]"
                return !isEmpty
            }
            if skip("-") {
                // Allowed only at the end; elsewhere it must be escaped.
                translation += "\\-]"
                return skip("]") && !isEmpty
            }
            guard scalar != "[", translateClassMember() else { return false }
            isEmpty = false
        }
        return false
    }

    private mutating func translateClassMember() -> Bool {
        if scalar == "\\", at + 1 < scalars.count, scalars[at + 1] == "p" || scalars[at + 1] == "P"
        {
            at += 1
            return translateCategory()
        }
        guard let first = classCharacter() else { return false }
        append(first)
        guard scalar == "-", at + 1 < scalars.count, scalars[at + 1] != "]" else { return true }
        at += 1
        guard let last = classCharacter(), first <= last else { return false }
        translation += "-"
        append(last)
        return true
    }

    private mutating func classCharacter() -> Unicode.Scalar? {
        guard let scalar else { return nil }
        at += 1
        switch scalar {
        case "\\": return escapedCharacter()
        case "-", "[", "]": return nil
        default: return scalar
        }
    }
}

/// The patterns of `match` and `search` in one evaluation, each compiled once.
final class PatternCache {
    /// Limited because a document may supply a new pattern with every value.
    static let capacity = 256

    private struct Key: Hashable {
        let pattern: [UInt8]
        let isWhole: Bool
    }

    private final class CompiledPattern {
        private let matcher: RegularExpression.Matcher

        /// Nil if it is not a valid I-Regexp, which matches nothing (RFC 9535, section 2.4.6).
        init?(
            _ pattern: UnsafeBufferPointer<UInt8>,
            isWhole: Bool
        ) throws(RegularExpressionError) {
            guard let regexp = InteroperableRegexp(pattern) else { return nil }
            do throws(RegularExpressionError) {
                let options: RegularExpression.Options = isWhole ? [.wholeText] : []
                matcher = try RegularExpression(regexp.translation, options: options).makeMatcher()
            } catch {
                // Reports the offset in the original pattern, because nobody wrote the translation.
                throw RegularExpressionError(
                    error.reason,
                    at: regexp.offset(ofTranslated: error.offset),
                    in: String(decoding: pattern, as: UTF8.self)
                )
            }
        }

        func matches(
            _ text: UnsafeBufferPointer<UInt8>,
            while shouldContinue: () -> Bool
        ) throws(RegularExpressionError) -> Bool {
            try matcher.firstMatch(
                in: text.baseAddress,
                count: text.count,
                while: shouldContinue
            ) != nil
        }
    }

    /// The first error of a pattern that could not be compiled or took too many steps, so that matches may
    /// be missing; nil if there is none.
    private(set) var error: RegularExpressionError?
    private var givenUp = 0

    private var patterns: [Key: CompiledPattern?] = [:]
    private var latest: (key: Key, pattern: CompiledPattern?)?

    /// Whether a text, or a part of it, matches an I-Regexp; false if the pattern is invalid.
    ///
    /// With a long text, `shouldContinue` is called now and then; if it returns false, there is no match.
    func matches(
        _ text: UnsafeBufferPointer<UInt8>,
        pattern: UnsafeBufferPointer<UInt8>,
        isWhole: Bool,
        while shouldContinue: () -> Bool
    ) -> Bool {
        if let latest, latest.key.isWhole == isWhole, latest.key.pattern.elementsEqual(pattern) {
            return attempt(latest.pattern, text, while: shouldContinue)
        }
        let key = Key(pattern: Array(pattern), isWhole: isWhole)
        let compiled: CompiledPattern?
        if let known = patterns[key] {
            compiled = known
        } else {
            if patterns.count >= Self.capacity { patterns.removeAll(keepingCapacity: true) }
            compiled = compile(pattern, isWhole: isWhole)
            patterns[key] = .some(compiled)
        }
        latest = (key, compiled)
        return attempt(compiled, text, while: shouldContinue)
    }

    /// A valid I-Regexp that the library rejects matches nothing, but sets `error`.
    private func compile(
        _ pattern: UnsafeBufferPointer<UInt8>,
        isWhole: Bool
    ) -> CompiledPattern? {
        do {
            return try CompiledPattern(pattern, isWhole: isWhole)
        } catch {
            self.error = self.error ?? error
            return nil
        }
    }

    /// An attempt that takes too many steps does not match, because a filter has no other result.
    private func attempt(
        _ pattern: CompiledPattern?,
        _ text: UnsafeBufferPointer<UInt8>,
        while shouldContinue: () -> Bool
    ) -> Bool {
        guard let pattern, givenUp < ExpressionScan.mostGivenUp else { return false }
        do {
            return try pattern.matches(text, while: shouldContinue)
        } catch {
            givenUp += 1
            self.error = self.error ?? error
            return false
        }
    }
}
