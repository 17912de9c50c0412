import Documents

/// Texts that are not templates, in a draft whose texts are: `{{ name }}` and `${name}` of other programs.
extension TargetDraft {
    /// The text as a template that stands for it: with `\` before double braces that are not a `{{ name }}`, and
    /// before `${`, which a template does not let pass everywhere.
    static func literal(_ text: String, inJSON: Bool = false) -> String {
        let bytes = Array(text.utf8)
        guard bytes.contains(UInt8(ascii: "{")) else { return text }
        let escape = Array((inJSON ? "\\\\" : "\\").utf8)
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            let isEscaped = index > 0 && bytes[index - 1] == UInt8(ascii: "\\")
            switch (bytes[index], index + 1 < bytes.count ? bytes[index + 1] : 0) {
            case (UInt8(ascii: "{"), UInt8(ascii: "{")):
                if isEscaped || reference(at: index, in: bytes) == nil { result += escape }
                result += "{{".utf8
                index += 2
            case (UInt8(ascii: "$"), UInt8(ascii: "{")):
                if isEscaped || isDollarName(bytes[(index + 2)...]) { result += escape }
                result.append(bytes[index])
                index += 1
            default:
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The text with `\` also before each `{{ name }}` that has one of these names.
    static func keeping(_ names: Set<String>, asTextIn text: String, inJSON: Bool) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        for index in bytes.indices {
            let isEscaped = index > 0 && bytes[index - 1] == UInt8(ascii: "\\")
            if !isEscaped, let name = reference(at: index, in: bytes), names.contains(name) {
                result += (inJSON ? "\\\\" : "\\").utf8
            }
            result.append(bytes[index])
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The name of the `{{ name }}` that begins at an index; nil if none does.
    private static func reference(at index: Int, in bytes: [UInt8]) -> String? {
        guard bytes[index...].starts(with: "{{".utf8) else { return nil }
        let inside = bytes[(index + 2)...].prefix { !"{}".utf8.contains($0) }
        guard bytes[inside.endIndex...].starts(with: "}}".utf8) else { return nil }
        let name = String(decoding: inside, as: UTF8.self).trimmed
        return isName(name[...]) ? name : nil
    }

    /// Whether `name}` follows, which a template reads as another program's variable.
    private static func isDollarName(_ rest: ArraySlice<UInt8>) -> Bool {
        let name = rest.prefix { $0 != UInt8(ascii: "}") }
        return name.endIndex < rest.endIndex && isName(String(decoding: name, as: UTF8.self)[...])
    }

    static func isName(_ text: Substring) -> Bool { TemplateParser.isName(String(text).trimmed) }

    /// The names of the variables before the path of its URL.
    var namesBeforePath: [String] {
        let start = url.utf8.firstRange(of: "://".utf8)?.upperBound ?? url.startIndex
        let authority = url[start...].prefix { !"/?#".contains($0) }
        return TemplateNames.names(in: String(authority))
    }

    /// The names of the variables that it uses, in order.
    package var usedNames: [String] {
        var names: [String] = []
        for name in texts.flatMap(TemplateNames.names) where Self.isName(name[...]) {
            if !names.contains(name) { names.append(name) }
        }
        return names
    }
}

/// The variables in braces of a text.
package enum TemplateNames {
    /// The names in `{{ name }}`, without filters after a bar.
    package static func names(in text: String) -> [String] {
        pieces(text).compactMap { $0.name }
    }

    /// The text without its variables.
    package static func withoutNames(_ text: String) -> String {
        pieces(text).map { $0.text ?? "" }.joined()
    }

    private static func pieces(_ text: String) -> [(text: String?, name: String?)] {
        var rest = text[...]
        var pieces: [(text: String?, name: String?)] = []
        while let open = rest.firstRange(of: "{{") {
            // A backslash makes them plain braces.
            if rest[..<open.lowerBound].last == "\\" {
                pieces.append((String(rest[..<open.upperBound]), nil))
                rest = rest[open.upperBound...]
                continue
            }
            guard let close = rest[open.upperBound...].firstRange(of: "}}") else { break }
            pieces.append((String(rest[..<open.lowerBound]), nil))
            let inner = rest[open.upperBound..<close.lowerBound].split(separator: "|").first ?? ""
            pieces.append((nil, inner.split(separator: " ").joined(separator: " ")))
            rest = rest[close.upperBound...]
        }
        return pieces + [(String(rest), nil)]
    }
}
