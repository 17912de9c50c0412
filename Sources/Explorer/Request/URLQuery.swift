import Apus
import Documents
import Workspaces

/// A URL as it is written, with the parameters of its query apart; `{{ name }}` stays as it is.
///
/// ```
/// {{ host }}/users?name=a%20b&user={{ user }}#top
/// └─ path ───────┘ └─ pieces ───────────────┘└end┘
/// ```
struct URLQuery: Equatable {
    var path: String
    /// The parameters as they are written: `name=value`.
    var pieces: [String]
    /// The fragment, with its sign.
    var end: String

    init(path: String, pieces: [String], end: String) {
        (self.path, self.pieces, self.end) = (path, pieces, end)
    }

    init(_ url: String) {
        let marks = Self.marks(in: url)
        let fragment = marks.first { url[$0] == "#" } ?? url.endIndex
        end = String(url[fragment...])
        guard let mark = marks.first(where: { url[$0] == "?" && $0 < fragment }) else {
            (path, pieces) = (String(url[..<fragment]), [])
            return
        }
        let start = url.index(after: mark)
        var ends = marks.filter { url[$0] == "&" && $0 > mark && $0 < fragment }
        ends.append(fragment)
        var found: [String] = []
        var begin = start
        for next in ends {
            let piece = String(url[begin..<next])
            // An empty piece belongs to the one before it, so that nothing of the text is lost.
            if piece.isEmpty, !found.isEmpty {
                found[found.count - 1] += "&"
            } else {
                found.append(piece)
            }
            if next < url.endIndex { begin = url.index(after: next) }
        }
        let isEmpty = found.allSatisfy { $0.allSatisfy { $0 == "&" } }
        path = String(url[..<(isEmpty ? fragment : mark)])
        pieces = isEmpty ? [] : found
    }

    /// The URL.
    var text: String {
        guard !pieces.isEmpty else { return path + end }
        return
            "\(path)\(Self.marks(in: path).contains { path[$0] == "?" } ? "&" : "?")\(pieces.joined(separator: "&"))\(end)"
    }

    /// The indexes of the signs that divide a URL, but not those in double braces.
    private static func marks(in url: String) -> [String.Index] {
        var marks: [String.Index] = []
        var rest = url[...]
        while !rest.isEmpty {
            let open = rest.firstRange(of: "{{")?.lowerBound ?? rest.endIndex
            marks += rest[..<open].indices.filter { "?&#".contains(rest[$0]) }
            guard open < rest.endIndex else { break }
            guard let close = rest[open...].firstRange(of: "}}") else {
                marks += rest[open...].indices.filter { "?&#".contains(rest[$0]) }
                break
            }
            rest = rest[close.upperBound...]
        }
        return marks
    }

    // MARK: Rows

    /// A parameter as a row; escapes are shown as what they stand for if they can be written again.
    static func row(_ piece: String) -> TargetDraft.Row {
        let (name, value) = parts(of: piece)
        return TargetDraft.Row(shown(name), shown(value ?? ""))
    }

    /// A row as a parameter, with the escapes that it needs; `piece` is the one that it replaces.
    static func piece(_ row: TargetDraft.Row, like piece: String?) -> String {
        let old = piece.map { parts(of: $0) }
        let name = written(row.name, like: old?.name)
        let value = row.value ?? ""
        // A word alone stays one.
        if let old, old.value == nil, value.isEmpty { return name }
        let (text, end) = (written(value, like: old?.value), piece?.reversed().prefix { $0 == "&" })
        return "\(name)=\(text)\(end.map { String($0) } ?? "")"
    }

    private static func parts(of piece: String) -> (name: String, value: String?) {
        let text = piece[
            ..<(piece.lastIndex { $0 != "&" }.map { piece.index(after: $0) } ?? piece.startIndex)
        ]
        var rest = text
        // The sign that divides them stands outside of braces.
        while let sign = rest.firstIndex(of: "=") {
            let open = text[..<sign].ranges(of: "{{").count
            guard open > text[..<sign].ranges(of: "}}").count else {
                return (String(text[..<sign]), String(text[text.index(after: sign)...]))
            }
            rest = rest[rest.index(after: sign)...]
        }
        return (String(text), nil)
    }

    /// Whether a text is what escaping gives, so that it can be shown without escapes.
    private static func isRegular(_ text: String) -> Bool {
        map(text) { PercentEncoding.component(decoded($0)) } == text
    }

    private static func shown(_ text: String) -> String {
        isRegular(text) ? map(text, decoded) : text
    }

    /// The text with escapes; in a text like one that has other escapes, only what cannot stand in a URL.
    private static func written(_ text: String, like old: String?) -> String {
        guard let old, !isRegular(old) else { return map(text, PercentEncoding.component) }
        return map(text) { plain in
            let scalars = Array(plain.unicodeScalars)
            return scalars.indices.map { index in
                let scalar = scalars[index]
                let isEscape =
                    scalar == "%" && index + 2 < scalars.count
                    && scalars[(index + 1)...(index + 2)].allSatisfy(\.properties.isASCIIHexDigit)
                let mayStand =
                    scalar.isASCII && scalar.value > 0x20
                    && !"&#\"<>%".unicodeScalars.contains(scalar)
                return isEscape || mayStand
                    ? String(scalar) : PercentEncoding.component(String(scalar))
            }.joined()
        }
    }

    private static func decoded(_ text: String) -> String {
        let decoded = PercentEncoding.decode(Array(text.utf8), plusIsSpace: false)
        guard decoded.firstFault == nil else { return text }
        return String(validating: decoded.bytes, as: UTF8.self) ?? text
    }

    /// Changes what is outside of `{{ name }}`, and of a backslash before braces.
    private static func map(_ text: String, _ change: (String) -> String) -> String {
        var (result, rest) = ("", text[...])
        while let open = rest.firstRange(of: "{{"),
            let close = rest[open.upperBound...].firstRange(of: "}}")
        {
            let before = rest[..<open.lowerBound]
            let isEscaped = before.last == "\\"
            result += change(String(isEscaped ? before.dropLast() : before))
            result += (isEscaped ? "\\" : "") + rest[open.lowerBound..<close.upperBound]
            rest = rest[close.upperBound...]
        }
        return result + change(String(rest))
    }
}
