import Workspaces

/// The variables of an imported file: the names that they have in a workspace, and which of them are used and set.
///
/// A name of another program may have any characters (`base.url`), and may be that of a template's function (`uuid`).
package struct ImportNames: Sendable {
    private var names: [String: String] = [:]
    private var taken: Set<String> = []
    /// The workspace's names that templates use, in the order of their first use.
    package private(set) var used: [String] = []
    private var isUsed: Set<String> = []
    /// The name of the variable that has an open brace, which no text can have before `{{ name }}`; nil if none is
    /// needed.
    package private(set) var braceName: String?

    /// Makes a register without names.
    package init() {}

    /// The name in a workspace of a variable; the same for the same original.
    package mutating func name(of original: String) -> String {
        if let name = names[original] { return name }
        let base = Self.valid(original)
        var name = base
        var number = 2
        while taken.contains(name) {
            name = "\(base)_\(number)"
            number += 1
        }
        names[original] = name
        taken.insert(name)
        return name
    }

    /// `{{ name }}` for a variable of the file, which then counts as used.
    package mutating func reference(to original: String) -> String {
        "{{ \(use(original)) }}"
    }

    /// The name in a workspace of a variable that an expression uses, such as `name` in `{{ name | base64 }}`.
    package mutating func use(_ original: String) -> String {
        let name = name(of: original)
        if isUsed.insert(name).inserted { used.append(name) }
        return name
    }

    /// A text that is none of the file's templates, as a template that stands for it.
    package func literal(_ text: String) -> String { ImportNames.literal(text) }

    /// A text as a template that stands for it: braces that would begin `{{ name }}` or `${name}` are escaped.
    package static func literal(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard scalars.contains("{") else { return text }
        var result = String.UnicodeScalarView()
        var previous: Unicode.Scalar = " "
        var before: Unicode.Scalar = " "
        for scalar in scalars {
            if scalar == "{", previous == "{" || previous == "$" {
                // `{{{` has one escape for its first two.
                if !(previous == "{" && before == "\\") {
                    result.removeLast()
                    result.append("\\")
                    result.append(previous)
                    result.append(scalar)
                    (before, previous) = ("\\", " ")
                    continue
                }
            }
            result.append(scalar)
            (before, previous) = (previous, scalar)
        }
        return String(result)
    }

    /// A text with the file's own templates in it: `reference` is asked for each `open`…`close`, with what is between
    /// them, trimmed; nil leaves it as it stands.
    package mutating func template(
        _ text: String,
        open: String = "{{",
        close: String = "}}",
        _ reference: (inout ImportNames, String) -> String?
    ) -> String {
        guard text.contains(open) else { return literal(text) }
        var result = ""
        var plain = ""
        var rest = text[...]
        while let start = rest.firstRange(of: open) {
            var inner = rest[start.upperBound...]
            // `{"id":{{{ id }}}` has a brace of the text before the template's.
            while open == "{{", inner.first == "{" { inner.removeFirst() }
            guard let end = inner.firstRange(of: close) else { break }
            let name = inner[..<end.lowerBound]
            let opening = rest.index(inner.startIndex, offsetBy: -open.count)
            plain += rest[..<opening]
            let expression = String(name).trimmingBlanks
            if open != "{{" || !Self.isOfOtherTemplates(expression),
                let replaced = reference(&self, expression)
            {
                if replaced.hasPrefix("{{"), plain.hasSuffix("{") {
                    let brace = use("open brace")
                    braceName = brace
                    result += literal(String(plain.dropLast())) + "{{ \(brace) }}" + replaced
                } else {
                    result += literal(plain) + replaced
                }
                plain = ""
            } else {
                plain += rest[opening..<end.upperBound]
            }
            rest = inner[end.upperBound...]
        }
        return result + literal(plain + String(rest))
    }

    /// Whether what stands between braces is of a page's or a script's own templates, which are sent as they stand:
    /// `{{#if a}}`, `{{/if}}`, `{{> part}}`, `{{ width: 1 }}`.
    private static func isOfOtherTemplates(_ expression: String) -> Bool {
        guard let first = expression.utf8.first else { return true }
        if "#/^>&".utf8.contains(first) || expression.utf8.contains(UInt8(ascii: ";")) {
            return true
        }
        let word = expression.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        let rest = expression[word.endIndex...]
        return !word.isEmpty && (rest.hasPrefix(": ") || rest.hasPrefix(":\n"))
    }

    /// The text with everything but letters, digits, `_` and `-` changed, so that a template can name it.
    private static func valid(_ original: String) -> String {
        var name = ""
        for character in original {
            let isPlain = character.isLetter || character.isNumber || "_-".contains(character)
            if isPlain { name.append(character) } else if name.last != "_" { name.append("_") }
        }
        while name.last == "_", name != "_", original.last != "_" { name.removeLast() }
        if name.isEmpty { name = "value" }
        if let first = name.first, !first.isLetter, first != "_" { name = "_" + name }
        let isFunction = TemplateFunction.all.contains { $0.name == name }
        return isFunction || ["index", "raw", "true", "false", "null"].contains(name)
            ? "\(name)_" : name
    }
}

extension StringProtocol {
    /// The text without blanks and line ends at both ends.
    package var trimmingBlanks: String {
        // Most texts have letters at both ends, which one byte tells.
        let bytes = Substring(self).utf8
        if let first = bytes.first, let last = bytes.last, (0x21..<0x7F).contains(first),
            (0x21..<0x7F).contains(last)
        {
            return String(self)
        }
        let start = Substring(drop(while: \.isWhitespace))
        guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
        return String(start[...last])
    }
}
