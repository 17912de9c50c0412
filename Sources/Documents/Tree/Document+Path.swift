/// Where a value is, as text.
extension Document {
    /// The normalised path of RFC 9535, section 2.7, such as `$['orders'][0]['name']`.
    public func path(of node: NodeIndex) -> String {
        path(of: node, maximumLength: .max) ?? "$"
    }

    /// The normalised path; nil when it is longer than so many bytes.
    package func path(of node: NodeIndex, maximumLength: Int) -> String? {
        var steps: [String] = []
        var length = 1
        var node = node
        while let parent = parent(of: node) {
            guard keyRange(of: node).map({ $0.count <= maximumLength }) ?? true else { return nil }
            let step = key(of: node).map(Self.normalised) ?? "[\(indexInParent(of: node))]"
            length += step.utf8.count
            guard length <= maximumLength else { return nil }
            steps.append(step)
            node = parent
        }
        return "$" + steps.reversed().joined()
    }

    /// A short path such as `orders[0].name`; the root is `$`.
    ///
    /// What is longer than about `maximumLength` characters is cut in front, behind a `…`.
    public func dottedPath(of node: NodeIndex, maximumLength: Int = 1000) -> String {
        var steps: [String] = []
        var length = 0
        var node = node
        while let parent = parent(of: node) {
            guard length < maximumLength else {
                steps.append("…")
                break
            }
            let step =
                shortKey(of: node, maximumLength: maximumLength).map(Self.dotted)
                ?? "[\(indexInParent(of: node))]"
            length += step.utf8.count
            steps.append(step)
            node = parent
        }
        if steps.isEmpty { return "$" }
        let path = steps.reversed().joined()
        return path.hasPrefix(".") ? String(path.dropFirst()) : path
    }

    /// A key; the beginning of one that is longer than so many bytes.
    private func shortKey(of node: NodeIndex, maximumLength: Int) -> String? {
        guard let range = keyRange(of: node), range.count > maximumLength else {
            return key(of: node)
        }
        return bytes.cutText(range, limit: maximumLength).text + "…"
    }

    /// A key as a step of a normalised path.
    static func normalised(_ key: String) -> String {
        var text = "['"
        for scalar in key.unicodeScalars {
            switch scalar {
            case "\u{8}": text += "\\b"
            case "\t": text += "\\t"
            case "\n": text += "\\n"
            case "\u{C}": text += "\\f"
            case "\r": text += "\\r"
            case "'": text += "\\'"
            case "\\": text += "\\\\"
            case "\0"..<" ":
                let code = UInt8(truncatingIfNeeded: scalar.value)
                let digits = [HexDigit.digit(code >> 4), HexDigit.digit(code)]
                text += "\\u00" + String(decoding: digits, as: UTF8.self)
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text + "']"
    }

    /// `.key` when it reads as a name, else as in a normalised path.
    ///
    /// A key `$` alone would read as the root.
    private static func dotted(_ key: String) -> String {
        let isName =
            !key.isEmpty && key != "$"
            && key.unicodeScalars.allSatisfy { scalar in
                scalar == "_" || scalar == "-" || scalar == "$" || scalar.properties.isAlphabetic
                    || ("0"..."9").contains(scalar)
            }
        return isName ? "." + key : normalised(key)
    }
}
