/// Finds where a key stands for the second time, knowing where it stands first.
struct RepeatedKeyFinder {
    struct Place {
        var line: Int
        var column: Int
        var length: Int
    }

    private var lines: [[Unicode.Scalar]]
    private let forms: [[Unicode.Scalar]]

    init(text: String, key: String) {
        lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .map { Array($0.unicodeScalars) }
        forms = [key, "\"\(key)\"", "'\(key)'"].map { Array($0.unicodeScalars) }
    }

    /// The second place; lines and columns from 1.
    mutating func find(afterLine line: Int, column: Int) -> Place? {
        inBlock(line, column) ?? inFlow(line, column)
    }

    /// The text with the key at `place` replaced, character by character.
    func masking(_ place: Place, with mask: Unicode.Scalar) -> String {
        var lines = lines
        for at in place.column - 1..<place.column - 1 + place.length {
            lines[place.line - 1][at] = mask
        }
        return lines.map { line in
            var view = String.UnicodeScalarView()
            view.append(contentsOf: line)
            return String(view)
        }.joined(separator: "\n")
    }

    /// The keys of a block mapping stand in one column.
    private func inBlock(_ line: Int, _ column: Int) -> Place? {
        guard column >= 1, line < lines.count else { return nil }
        for number in line..<lines.count {
            let text = lines[number]
            guard let indent = text.firstIndex(where: { $0 != " " }), text[indent] != "#" else {
                continue
            }
            if indent < column - 1 { return nil }
            if indent == column - 1, let length = keyLength(at: indent, of: text) {
                return Place(line: number + 1, column: column, length: length)
            }
        }
        return nil
    }

    /// The keys of a flow mapping stand after its commas.
    private func inFlow(_ line: Int, _ column: Int) -> Place? {
        guard line >= 1, column >= 1 else { return nil }
        var depth = 0
        var quote: Unicode.Scalar?
        var isAtKey = false
        for number in line - 1..<lines.count {
            let text = lines[number]
            let start = number == line - 1 ? column - 1 : 0
            for at in text.indices where at >= start {
                let scalar = text[at]
                if let open = quote {
                    if scalar == open { quote = nil }
                    continue
                }
                if isAtKey, scalar != " ", depth == 0 {
                    if let length = keyLength(at: at, of: text) {
                        return Place(line: number + 1, column: at + 1, length: length)
                    }
                    isAtKey = false
                }
                switch scalar {
                case "\"", "'": quote = scalar
                case "[", "{": depth += 1
                case "]", "}":
                    depth -= 1
                    if depth < 0 { return nil }
                case ",": isAtKey = depth == 0
                default: break
                }
            }
        }
        return nil
    }

    /// The length of the key's text at `start`, if a colon follows it.
    private func keyLength(at start: Int, of line: [Unicode.Scalar]) -> Int? {
        for form in forms where line[start...].starts(with: form) {
            if line[(start + form.count)...].first(where: { $0 != " " }) == ":" {
                return form.count
            }
        }
        return nil
    }
}

/// Swaps single scalars, so that columns stay what they are.
enum KeyMask {
    static func replacing(
        _ scalar: Unicode.Scalar,
        with other: Unicode.Scalar,
        in text: String
    ) -> String {
        guard text.unicodeScalars.contains(scalar) else { return text }
        var out = String.UnicodeScalarView()
        for each in text.unicodeScalars { out.append(each == scalar ? other : each) }
        return String(out)
    }
}
