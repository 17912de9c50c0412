/// A format of a date, as Day.js, .NET or Java write it, as one of strftime.
struct DateFormat {
    /// `iso`, `http`, or a format of strftime.
    private(set) var text = ""
    /// Whether strftime has all of it.
    private(set) var isWhole = true

    init(_ format: String) {
        switch format {
        case "iso8601": text = "iso"
        case "rfc1123": text = "http"
        default:
            read(format)
            // Without a token it is no format.
            if !text.contains("%") { (text, isWhole) = ("iso", false) }
        }
    }

    private mutating func read(_ format: String) {
        // `yyyy` is a year for .NET and Java only.
        let tokens = Self.common + (format.contains("yy") ? Self.dotNET : Self.dayJS)
        var rest = format.replacing("%", with: "%%")[...]
        while let first = rest.first {
            let close: Character = first == "[" ? "]" : first
            if first == "[" || first == "'", let end = rest.dropFirst().firstIndex(of: close) {
                text += rest[..<end].dropFirst()
                rest = rest[end...].dropFirst()
            } else if let token = tokens.first(where: { rest.hasPrefix($0.0) }) {
                text += token.1
                rest = rest.dropFirst(token.0.count)
                // strftime knows no part of a second.
                if token.1 == "000" { isWhole = false }
            } else {
                if first.isLetter, first != "T", first != "Z" { isWhole = false }
                if first != "'" { text.append(first) }
                rest = rest.dropFirst()
            }
        }
    }

    /// Longer ones first.
    private static let common = [
        ("MMMM", "%B"), ("MMM", "%b"), ("MM", "%m"), ("M", "%-m"), ("HH", "%H"), ("H", "%-H"),
        ("hh", "%I"), ("h", "%-I"), ("mm", "%M"), ("m", "%-M"), ("ss", "%S"), ("SSS", "000"),
        ("s", "%-S"),
    ]

    private static let dayJS = [
        ("YYYY", "%Y"), ("YY", "%y"), ("DD", "%d"), ("D", "%-d"), ("dddd", "%A"), ("ddd", "%a"),
        ("A", "%p"), ("a", "%P"), ("ZZ", "+0000"), ("Z", "+00:00"), ("X", "%s"),
    ]

    private static let dotNET = [
        ("yyyy", "%Y"), ("yy", "%y"), ("dddd", "%A"), ("ddd", "%a"), ("EEEE", "%A"), ("EEE", "%a"),
        ("dd", "%d"), ("d", "%-d"), ("tt", "%p"), ("a", "%p"), ("fff", "000"), ("zzz", "+00:00"),
        ("XXX", "Z"),
    ]
}
