import Documents

/// A text that a regular expression matches, made from the expression (ECMA-262).
enum OpenAPIPattern {
    private static let maximumLength = 4096

    /// A text of a length within bounds that a pattern matches; nil if none is found in a few attempts.
    static func match(_ pattern: String, minimum: Int = 0, maximum: Int = .max) -> String? {
        guard pattern.utf8.count <= 2000 else { return nil }
        for more in [0, 1, minimum, max(0, minimum - 1), minimum * 2] where more <= 1000 {
            var parser = PatternParser(pattern, more: more)
            guard let text = parser.text(), minimum...max(minimum, maximum) ~= text.count,
                matches(text, pattern)
            else { continue }
            return text
        }
        return nil
    }

    private static func matches(_ text: String, _ pattern: String) -> Bool {
        do throws(RegularExpressionError) {
            return try RegularExpression(multiline: pattern).firstMatch(in: text) != nil
        } catch {
            // It has syntax that PCRE2 does not know; the text follows it all the same.
            return true
        }
    }

    /// Reads a pattern and writes the shortest text for it, the first of each choice.
    private struct PatternParser {
        private let scalars: [Unicode.Scalar]
        private var index = 0
        /// How often more than needed an unbounded part is repeated.
        private let more: Int
        private var depth = 0

        init(_ pattern: String, more: Int) {
            scalars = Array(pattern.unicodeScalars)
            self.more = more
        }

        mutating func text() -> String? {
            guard let text = alternatives(), index == scalars.count else { return nil }
            return text
        }

        private var next: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

        private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
            guard next == scalar else { return false }
            index += 1
            return true
        }

        private mutating func alternatives() -> String? {
            depth += 1
            defer { depth -= 1 }
            guard depth < 50, let first = sequence() else { return nil }
            while skip("|") { guard sequence() != nil else { return nil } }
            return first
        }

        private mutating func sequence() -> String? {
            var text = ""
            while let scalar = next, scalar != "|", scalar != ")" {
                guard let part = atom(), let count = repetitions() else { return nil }
                guard text.utf8.count + part.utf8.count * count <= maximumLength else { return nil }
                text += String(repeating: part, count: count)
            }
            return text
        }

        private mutating func atom() -> String? {
            guard let scalar = next else { return nil }
            index += 1
            switch scalar {
            case "^", "$": return ""
            case ".": return "a"
            case "(": return group()
            case "[": return set()
            case "\\": return escape().map { $0.isEmpty ? "" : String($0[0]) }
            default: return String(scalar)
            }
        }

        private mutating func group() -> String? {
            var isAhead = false
            if skip("?") {
                if skip(":") {
                } else if skip("=") || skip("!") {
                    isAhead = true
                } else if skip("<") {
                    if skip("=") || skip("!") {
                        isAhead = true
                    } else {
                        while let scalar = next, scalar != ">" { _ = skip(scalar) }
                        guard skip(">") else { return nil }
                    }
                } else {
                    while let scalar = next, scalar != ":", scalar != ")" { _ = skip(scalar) }
                    if next == ":" { index += 1 }
                }
            }
            guard let text = alternatives(), skip(")") else { return nil }
            return isAhead ? "" : text
        }

        /// How often the part before is repeated.
        private mutating func repetitions() -> Int? {
            guard let scalar = next else { return 1 }
            var count = 1
            switch scalar {
            case "*", "?":
                index += 1
                count = scalar == "*" ? more : min(more, 1)
            case "+":
                index += 1
                count = max(1, more)
            case "{":
                guard let bounds = bounds() else { return 1 }
                count = max(bounds.least, min(bounds.most, more))
            default: return 1
            }
            if next == "?" || next == "+" { index += 1 }
            return count <= maximumLength ? count : nil
        }

        private mutating func bounds() -> (least: Int, most: Int)? {
            let start = index
            index += 1
            let least = digits()
            var most = least
            if skip(",") { most = digits() ?? .max }
            guard skip("}"), let least = least ?? (most == nil ? nil : 0) else {
                index = start
                return nil
            }
            return (least, max(least, most ?? least))
        }

        private mutating func digits() -> Int? {
            var text = ""
            while let scalar = next, ("0"..."9").contains(scalar) {
                text.unicodeScalars.append(scalar)
                index += 1
            }
            return Int(text)
        }

        /// The scalars that an escape may stand for; none for a boundary; nil if it is not known.
        private mutating func escape() -> [Unicode.Scalar]? {
            guard let scalar = next else { return nil }
            index += 1
            switch scalar {
            case "d": return Array("0123456789".unicodeScalars)
            case "w": return Array("abcdefghijklmnopqrstuvwxyz0123456789_".unicodeScalars)
            case "s": return [" "]
            case "D", "S", "W": return scalar == "W" ? ["-"] : ["a"]
            case "b", "B", "A", "z", "Z": return []
            case "n": return ["\n"]
            case "r": return ["\r"]
            case "t": return ["\t"]
            case "p", "P":
                var name = ""
                guard skip("{") else { return nil }
                while let scalar = next, scalar != "}" {
                    name.unicodeScalars.append(scalar)
                    index += 1
                }
                guard skip("}") else { return nil }
                if scalar == "P" { return ["-", "a"] }
                return name.hasPrefix("N") ? ["1"] : name == "Lu" ? ["A"] : ["a"]
            case "u", "x":
                let isLong = scalar == "u" && skip("{")
                var text = ""
                let length = isLong ? 8 : scalar == "u" ? 4 : 2
                while text.count < length, let scalar = next, scalar.properties.isASCIIHexDigit {
                    text.unicodeScalars.append(scalar)
                    index += 1
                }
                if isLong { guard skip("}") else { return nil } }
                return UInt32(text, radix: 16).flatMap(Unicode.Scalar.init).map { [$0] }
            case "0"..."9": return nil
            default: return [scalar]
            }
        }

        private mutating func set() -> String? {
            let isNegated = skip("^")
            var members: [ClosedRange<Unicode.Scalar>] = []
            var isFirst = true
            while let scalar = next, scalar != "]" || isFirst {
                isFirst = false
                index += 1
                var low = scalar
                if scalar == "[", next == ":" {
                    while let scalar = next, scalar != "]" { _ = skip(scalar) }
                    guard skip("]") else { return nil }
                    members.append("a"..."a")
                    continue
                }
                if scalar == "\\" {
                    guard let values = escape() else { return nil }
                    guard values.count == 1 else {
                        members += values.map { $0...$0 }
                        continue
                    }
                    low = values[0]
                }
                guard next == "-", index + 1 < scalars.count, scalars[index + 1] != "]" else {
                    members.append(low...low)
                    continue
                }
                index += 1
                var high = scalars[index]
                index += 1
                if high == "\\" {
                    guard let values = escape(), values.count == 1 else { return nil }
                    high = values[0]
                }
                guard low <= high else { return nil }
                members.append(low...high)
            }
            guard skip("]") else { return nil }
            let preferred = "aA1bB0zZ9- _.".unicodeScalars
            if let scalar = preferred.first(where: { scalar in
                members.contains { $0.contains(scalar) } != isNegated
            }) {
                return String(scalar)
            }
            return isNegated ? nil : members.first.map { String($0.lowerBound) }
        }
    }
}
