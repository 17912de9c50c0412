import Documents
import Workspaces

/// Translates texts of a file, which have the file's own templates in them, to templates of a workspace.
final class TextTranslation {
    /// The variables of the file.
    var names = ImportNames()
    /// The names of variables whose values may be numbers or lists, because responses have them.
    var typed: Set<String> = []
    /// What has no place and was met while translating, until somebody keeps it.
    var losses: [ImportLoss] = []
    /// The workspace's expression for one of the file's, such as `{{ name }}`; nil if it is a plain text.
    private let expression: (inout ImportNames, String) -> String?

    init(_ expression: @escaping (inout ImportNames, String) -> String?) {
        self.expression = expression
    }

    /// A text as a template.
    func text(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "{")) else { return text }
        return names.template(text, expression)
    }

    /// What was met since the last call.
    func takeLosses() -> [ImportLoss] {
        defer { losses = [] }
        return losses
    }

    /// JSON as values; nil if it is none, or if a value that is only `{{ name }}` may become a number, so that the
    /// request would differ from the text.
    func json(_ text: String) -> Value? {
        guard let json = try? JSON(parsing: text) else { return nil }
        let kept = names
        let lost = losses
        let value = Value(json) { string in
            let translated = self.text(string)
            if let only = TemplateScan.only(translated), !isText(only) { return nil }
            return translated
        }
        if value == nil { (names, losses) = (kept, lost) }
        return value
    }

    /// Whether the value of an expression is surely a text.
    private func isText(_ expression: String) -> Bool {
        if typed.contains(expression) { return false }
        return !expression.contains("(") || expression.hasPrefix("file(")
    }

    /// A body with a type; JSON and forms as what they are if that sends the same.
    func body(_ text: String, type: String?) -> RequestParts.Body {
        let type = type?.asciiLowercased.replacing(" ", with: "") ?? ""
        let plain = type.prefix { $0 != ";" }
        if plain.hasSuffix("json"), let value = json(text) {
            return RequestParts.Body(key: "json", value: value, type: "application/json")
        }
        if plain == "application/x-www-form-urlencoded", let value = form(text) {
            return RequestParts.Body(key: "form", value: value, type: String(plain))
        }
        return RequestParts.Body(key: "body", value: .string(self.text(text)), type: nil)
    }

    /// A form; nil if writing its names and values would not give the same text.
    private func form(_ text: String) -> Value? {
        var rows: [Value.Member] = []
        var last: String?
        for piece in text.split(separator: "&", omittingEmptySubsequences: false) {
            guard let sign = piece.firstIndex(of: "="),
                let name = Self.decoded(piece[..<sign]), !name.isEmpty, !name.contains("{{"),
                let value = Self.decoded(piece[piece.index(after: sign)...])
            else { return nil }
            // A list has its name only once, so equal names must follow each other.
            guard rows[name] == nil || last == name else { return nil }
            last = name
            rows.append(.string(self.text(value)), for: name)
        }
        return .object(rows)
    }

    /// The text that is encoded as it is written, or one with templates that needs no encoding; else nil.
    private static func decoded(_ text: Substring) -> String? {
        if text.contains("{{") {
            let rest = TemplateScan.withoutExpressions(String(text))
            return rest.utf8.allSatisfy { PercentEncoding.isUnreserved($0) } ? String(text) : nil
        }
        let decoded = PercentEncoding.decode(Array(text.utf8), plusIsSpace: true)
        guard decoded.firstFault == nil,
            let plain = String(validating: decoded.bytes, as: UTF8.self),
            PercentEncoding.form(plain) == text
        else { return nil }
        return plain
    }
}

extension TemplateScan {
    /// The text without `{{ … }}`.
    static func withoutExpressions(_ text: String) -> String {
        var result = ""
        var rest = text[...]
        while let open = rest.firstRange(of: "{{"),
            let close = rest[open.upperBound...].firstRange(of: "}}")
        {
            result += rest[..<open.lowerBound]
            rest = rest[close.upperBound...]
        }
        return result + rest
    }
}

/// Reads the text of a file whatever its encoding.
enum SourceText {
    /// UTF-8 without its mark, UTF-16 with one, else Latin-1; line ends are line feeds.
    static func decoded(_ bytes: [UInt8]) -> String {
        var text: String
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            let isLittle = bytes[0] == 0xFF
            var units: [UInt16] = []
            for index in stride(from: 2, to: bytes.count - 1, by: 2) {
                let (first, second) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
                units.append(isLittle ? first | second << 8 : first << 8 | second)
            }
            text = String(decoding: units, as: UTF16.self)
        } else {
            let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
            text =
                String(validating: bytes, as: UTF8.self)
                ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
        }
        if text.utf8.contains(0x0D) {
            text = text.replacing("\r\n", with: "\n").replacing("\r", with: "\n")
        }
        return text
    }

    /// The lines of a text.
    static func lines(_ text: String) -> [String] {
        text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            String(Substring($0))
        }
    }

    /// The bytes of a text in Base64; nil if it is none.
    static func base64(_ text: String) -> [UInt8]? {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
        )
        var bytes: [UInt8] = []
        var (buffer, bits) = (0, 0)
        for byte in text.utf8 where byte != UInt8(ascii: "=") && byte > 0x20 {
            guard let value = alphabet.firstIndex(of: byte) else { return nil }
            buffer = (buffer << 6 | value) & 0xFFFF
            bits += 6
            guard bits >= 8 else { continue }
            bits -= 8
            bytes.append(UInt8(buffer >> bits & 0xFF))
        }
        return bytes
    }
}
