/// The value of `Content-Disposition` (RFC 6266), as far as a file's name goes.
struct ContentDisposition {
    /// The name: that of `filename*` (RFC 8187) if it can be read, else of `filename`.
    let fileName: String?

    init(_ value: String) {
        var plain: String?
        var extended: String?
        for (name, value) in Self.parameters(value) {
            switch name {
            case "filename" where plain == nil: plain = value
            case "filename*" where extended == nil: extended = Self.extendedValue(value)
            default: break
            }
        }
        fileName = extended ?? plain
    }

    /// Reads `UTF-8''na%C3%AFve.txt` as "naïve.txt".
    private static func extendedValue(_ value: String) -> String? {
        let parts = value.unicodeScalars
            .split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, String(parts[0]).lowercased() == "utf-8" else { return nil }
        return PercentEncoding.decoded(String(parts[2]))
    }

    private static func parameters(_ value: String) -> [(name: String, value: String)] {
        var found: [(String, String)] = []
        // Not characters: a quote with an accent upon it ends a quoted text.
        var rest = value.unicodeScalars.drop { $0 != ";" }.dropFirst()
        while !rest.isEmpty {
            let name = rest.prefix { $0 != "=" && $0 != ";" }
            rest = rest[name.endIndex...]
            let key = String(name.filter { $0 != " " && $0 != "\t" }).lowercased()
            guard rest.first == "=" else {
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst().drop { $0 == " " || $0 == "\t" }
            found.append((key, takeValue(&rest)))
            rest = rest.drop { $0 != ";" }.dropFirst()
        }
        return found
    }

    private static func takeValue(_ rest: inout Substring.UnicodeScalarView) -> String {
        guard rest.first == "\"" else {
            let token = rest.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
            rest = rest[token.endIndex...]
            return String(token)
        }
        rest = rest.dropFirst()
        var text = String.UnicodeScalarView()
        while let scalar = rest.popFirst(), scalar != "\"" {
            if scalar == "\\", let escaped = rest.popFirst() {
                text.append(escaped)
            } else {
                text.append(scalar)
            }
        }
        return String(text)
    }
}
