import Documents
import Terminal

/// A value in a row: a count of what is in it, or its text as written.
struct ValueText {
    let kind: ValueKind
    /// A scalar as written.
    var text = ""
    /// Whether it goes on behind the text.
    var isCut = false
    /// What lies in a container.
    var childCount = 0
    /// Whether a container has no end.
    var isIncomplete = false

    /// The line of it; `style` overrules what the kind looks like.
    func line(_ look: Look, style: StyleID? = nil) -> StyledText {
        if kind.isContainer { return StyledText(count, style ?? look[.treeCount]) }
        let end = isCut ? String(look.symbols.ellipsis) : ""
        guard style == nil, kind == .string, text.utf8.contains(UInt8(ascii: "\\")) else {
            return StyledText(text + end, style ?? look[scope])
        }
        var line = escaped(look)
        line.append(end, look[.treeString])
        return line
    }

    private var count: String {
        let count = "\(Readable.count(childCount))\(isIncomplete ? "+" : "")"
        return kind == .array ? "[\(count)]" : "{\(count)}"
    }

    private var scope: Scope {
        switch kind {
        case .string: .treeString
        case .integer, .decimal: .treeNumber
        case .true, .false: .treeBoolean
        case .null: .treeNull
        case .object, .array: .treeCount
        }
    }

    /// The string with its escapes in a tone of their own.
    private func escaped(_ look: Look) -> StyledText {
        var line = StyledText()
        var plain = ""
        var rest = Substring(text)
        while let character = rest.first {
            guard character == "\\" else {
                plain.append(character)
                rest.removeFirst()
                continue
            }
            line.append(plain, look[.treeString])
            plain = ""
            let isUnicode = rest.dropFirst().first == "u"
            line.append(String(rest.prefix(isUnicode ? 6 : 2)), look[.treeEscape])
            rest = rest.dropFirst(isUnicode ? 6 : 2)
        }
        line.append(plain, look[.treeString])
        return line
    }
}

extension TreeRow {
    /// What stands at the right of its key.
    var valueText: ValueText {
        ValueText(
            kind: kind,
            text: value,
            isCut: isValueCut,
            childCount: childCount,
            isIncomplete: isIncomplete
        )
    }
}
