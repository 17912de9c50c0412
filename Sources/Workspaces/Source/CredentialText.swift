import Apus
import HTTPTypes

/// A text in which credentials are told from other words: URLs, and pairs such as `password: x`.
struct CredentialText {
    /// What stands for each of their characters.
    static let sign: Unicode.Scalar = "•"

    private let scalars: [Unicode.Scalar]

    init(_ text: String) {
        // A value goes on behind a template and its blanks.
        var scalars = Array(text.unicodeScalars)
        var index = 0
        while index < scalars.count {
            guard let end = Self.endOfTemplate(at: index, in: scalars) else {
                index += 1
                continue
            }
            for place in index..<end { scalars[place] = "_" }
            index = end
        }
        self.scalars = scalars
    }

    /// Where they are, in scalars.
    var parts: [Range<Int>] {
        guard scalars.contains(where: { $0 == ":" || $0 == "=" || $0 == "@" }) else { return [] }
        var parts = [maskedPart].compactMap(\.self)
        var index = 0
        while index < scalars.count {
            if scalars[index...].starts(with: "://".unicodeScalars) {
                let start = index + 3
                index = end(from: start, "/?#")
                if let at = scalars[start..<index].lastIndex(of: "@") {
                    let colon = scalars[start..<at].firstIndex(of: ":")
                    parts.append((colon.map { $0 + 1 } ?? start)..<at)
                }
                continue
            }
            if ":=".unicodeScalars.contains(scalars[index]), isSecret(before: index) {
                let end = scalars[index] == "=" ? end(from: index, "&") : scalars.count
                parts.append(index + 1..<end)
                index = end
                continue
            }
            index += 1
        }
        return parts
    }

    /// The text with a sign for each character of its credentials.
    static func hiding(in text: String) -> String {
        let parts = CredentialText(text).parts
        guard !parts.isEmpty else { return text }
        var scalars = Array(text.unicodeScalars)
        for index in parts.joined() { scalars[index] = sign }
        return scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
    }

    /// What the mask would hide, from the first place to the last.
    private var maskedPart: Range<Int>? {
        let text = scalars.reduce(into: "") { $0.unicodeScalars.append($1) }
        let masked = Array(CredentialMask().masking(line: text).unicodeScalars)
        guard masked != scalars else { return nil }
        let start = zip(scalars, masked).prefix { $0 == $1 }.count
        let same = zip(scalars.reversed(), masked.reversed()).prefix { $0 == $1 }.count
        return start..<max(start, scalars.count - same)
    }

    private func end(from start: Int, _ ends: String) -> Int {
        scalars[start...].firstIndex { ends.unicodeScalars.contains($0) } ?? scalars.count
    }

    /// Whether a credential's name stands before a place: `password`, `"token" `, `a[secret]`.
    private func isSecret(before index: Int) -> Bool {
        let around = " \t\"'\\[](){},".unicodeScalars
        let before = scalars[max(0, index - 80)..<index].reversed()
        let name = before.drop { around.contains($0) }.prefix { Self.isOfName($0) || $0 == "%" }
        return Self.isSecret(
            name.reversed().reduce(into: "") { $0.unicodeScalars.append($1) }
        )
    }

    /// Whether what is called so is a credential.
    static func isSecret(_ name: String) -> Bool {
        name.lowercased() == "bearer" || CredentialMask.isSecret(parameter: name)
            || HTTPField.Name(name).map(SecretFields.contains) == true
    }

    private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "-"
            || scalar == "_"
    }

    /// Where `{{ name }}` or `{{ name | raw }}` ends that begins here; nil if none does.
    static func endOfTemplate(at index: Int, in scalars: [Unicode.Scalar]) -> Int? {
        guard scalars[index...].starts(with: "{{".unicodeScalars) else { return nil }
        let blanks = { (index: Int) in
            scalars[index...].firstIndex { $0 != " " } ?? scalars.count
        }
        let name = blanks(index + 2)
        var end = scalars[name...].firstIndex { !isOfName($0) } ?? scalars.count
        guard end > name else { return nil }
        end = blanks(end)
        if scalars[end...].first == "|" {
            end = blanks(end + 1)
            guard scalars[end...].starts(with: "raw".unicodeScalars) else { return nil }
            end = blanks(end + 3)
        }
        return scalars[end...].starts(with: "}}".unicodeScalars) ? end + 2 : nil
    }
}
