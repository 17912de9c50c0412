import Apus
import HTTPTypes

/// The credentials that stand in a line of a workspace file, hidden for an error that shows the line.
///
///     auth: { basic: { user: ada, password: "x{{ nope }}" } }
///     auth: { basic: { user: ada, password: "•{{ nope }}" } }
///
/// Each character becomes one sign, so that columns stay. What a template names stays readable.
struct HiddenCredentials {
    private static let sign: Unicode.Scalar = "•"
    /// Beside the names that the mask knows.
    private static let names: Set<String> = ["bearer"]

    private let scalars: [Unicode.Scalar]
    private var isHidden: [Bool]

    /// The line without its credentials.
    static func hiding(in line: String) -> String {
        // Without one of these there is neither a value nor an address.
        guard line.utf8.contains(where: { ":=@".utf8.contains($0) }) else { return line }
        var line = HiddenCredentials(line)
        for index in line.scalars.indices {
            switch line.scalars[index] {
            case ":": line.hideValue(behind: index)
            case "=": line.hideParameter(behind: index)
            case "@": line.hideUser(before: index)
            default: break
            }
        }
        return line.text
    }

    private init(_ line: String) {
        scalars = Array(line.unicodeScalars)
        isHidden = Array(repeating: false, count: scalars.count)
    }

    private var text: String {
        var text = String.UnicodeScalarView()
        for (scalar, isHidden) in zip(scalars, isHidden) {
            text.append(isHidden ? Self.sign : scalar)
        }
        return String(text)
    }

    /// `password: x`, `"token": "x"`, `Authorization: Bearer x`.
    private mutating func hideValue(behind colon: Int) {
        guard Self.isSecret(name(before: colon)),
            let first = scalars[(colon + 1)...].firstIndex(where: { $0 != " " && $0 != "\t" })
        else { return }
        switch scalars[first] {
        case "\"", "'": hide(first + 1..<endOfQuote(from: first))
        case "[": hide(first + 1..<end(from: first) { $0 == "]" })
        // Its members have names of their own.
        case "{" where scalars[first...].dropFirst().first != "{": break
        default:
            let isInBraces = scalars[..<colon].contains { "{[".unicodeScalars.contains($0) }
            hide(first..<end(from: first) { isInBraces && ",}]".unicodeScalars.contains($0) })
        }
    }

    /// `?api_key=x`.
    private mutating func hideParameter(behind equals: Int) {
        guard Self.isSecret(name(before: equals)) else { return }
        hide(equals + 1..<end(from: equals + 1) { "&# \"'".unicodeScalars.contains($0) })
    }

    /// `https://ada:x@host`, `ada:x@host`.
    private mutating func hideUser(before at: Int) {
        let slashes = (0..<at).last { index in
            index > 1 && scalars[index - 2...index].elementsEqual("://".unicodeScalars)
        }
        let begin = slashes ?? (0..<at).last { "/\"'{[,= ".unicodeScalars.contains(scalars[$0]) }
        let start = begin.map { $0 + 1 } ?? 0
        guard start < at else { return }
        if let colon = scalars[start..<at].firstIndex(of: ":") {
            hide(colon + 1..<at)
        } else if slashes != nil {
            hide(start..<at)
        }
    }

    private func name(before index: Int) -> String {
        var end = index
        if end > 0, "\"'".unicodeScalars.contains(scalars[end - 1]) { end -= 1 }
        var start = end
        while start > 0, isOfName(scalars[start - 1]) { start -= 1 }
        return scalars[start..<end].reduce(into: "") { $0.unicodeScalars.append($1) }
    }

    private func isOfName(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "-"
            || scalar == "_"
    }

    private static func isSecret(_ name: String) -> Bool {
        guard !name.isEmpty else { return false }
        return names.contains(name.lowercased()) || CredentialMask.isSecret(parameter: name)
            || HTTPField.Name(name).map(SecretFields.contains) == true
    }

    /// The next place from `start` that ends a value, behind all templates; else the line's end.
    private func end(from start: Int, where isEnd: (Unicode.Scalar) -> Bool) -> Int {
        var index = start
        while index < scalars.count, !isEnd(scalars[index]) {
            index = endOfTemplate(at: index) ?? index + 1
        }
        return min(index, scalars.count)
    }

    private func endOfQuote(from quote: Int) -> Int {
        var index = quote + 1
        while index < scalars.count {
            let isDoubled = scalars[index...].prefix(2).elementsEqual("''".unicodeScalars)
            let isEscape = scalars[quote] == "'" ? isDoubled : scalars[index] == "\\"
            if scalars[index] == scalars[quote], !isEscape { break }
            index = endOfTemplate(at: index) ?? index + (isEscape ? 2 : 1)
        }
        return min(index, scalars.count)
    }

    /// Where `{{ name }}` ends that begins here; nil if none does.
    private func endOfTemplate(at index: Int) -> Int? {
        guard scalars[index...].starts(with: "{{".unicodeScalars) else { return nil }
        var end = index + 2
        while end + 1 < scalars.count {
            if scalars[end] == "}", scalars[end + 1] == "}" { return end + 2 }
            // No name has these: what only looks like a template is hidden, too.
            guard isOfName(scalars[end]) || " |.".unicodeScalars.contains(scalars[end]) else {
                return nil
            }
            end += 1
        }
        return nil
    }

    private mutating func hide(_ range: Range<Int>) {
        var index = range.lowerBound
        while index < range.upperBound {
            if let end = endOfTemplate(at: index) {
                index = end
            } else {
                isHidden[index] = true
                index += 1
            }
        }
    }
}
