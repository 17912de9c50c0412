import HTTPTypes

/// Finds the credentials in a text: those in URLs, and those in pairs such as `password: x`.
package struct CredentialText {
    /// Replaces each character of a credential.
    package static let sign: Unicode.Scalar = "•"

    private let scalars: [Unicode.Scalar]

    /// Reads a text, which may have templates.
    package init(_ text: String) {
        // Replaces templates by underscores, because a value continues across a template and its blanks.
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

    /// The places of the credentials, in scalars.
    package var parts: [Range<Int>] {
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

    /// The text with each character of its credentials replaced by `sign`.
    package static func hiding(in text: String) -> String {
        let parts = CredentialText(text).parts
        guard !parts.isEmpty else { return text }
        var scalars = Array(text.unicodeScalars)
        for index in parts.joined() { scalars[index] = sign }
        return String(String.UnicodeScalarView(scalars))
    }

    /// What `CredentialMask` would hide, from the first hidden scalar to the last.
    private var maskedPart: Range<Int>? {
        let text = String(String.UnicodeScalarView(scalars))
        let masked = Array(CredentialMask().masking(line: text).unicodeScalars)
        guard masked != scalars else { return nil }
        let start = zip(scalars, masked).prefix { $0 == $1 }.count
        let same = zip(scalars.reversed(), masked.reversed()).prefix { $0 == $1 }.count
        return start..<max(start, scalars.count - same)
    }

    private func end(from start: Int, _ ends: String) -> Int {
        scalars[start...].firstIndex { ends.unicodeScalars.contains($0) } ?? scalars.count
    }

    /// Whether the name before a place is that of a credential: `password`, `"token" `, `a[secret]`.
    private func isSecret(before index: Int) -> Bool {
        let around = " \t\"'\\[](){},".unicodeScalars
        let before = scalars[max(0, index - 80)..<index].reversed()
        let name = before.drop { around.contains($0) }.prefix { Self.isOfName($0) || $0 == "%" }
        return Self.isSecret(String(String.UnicodeScalarView(name.reversed())))
    }

    /// Whether a value with this name is a credential.
    package static func isSecret(_ name: String) -> Bool {
        name.lowercased() == "bearer" || CredentialMask.isSecret(parameter: name)
            || HTTPField.Name(name).map(SecretFields.contains) == true
    }

    private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || scalar == "-"
            || scalar == "_"
    }

    /// Whether a text has templates and nothing else, so that it holds no credential itself.
    package static func isOnlyTemplates(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        var index = 0
        var count = 0
        while index < scalars.count {
            if let end = endOfTemplate(at: index, in: scalars) {
                (index, count) = (end, count + 1)
            } else if scalars[index] == " " {
                index += 1
            } else {
                return false
            }
        }
        return count > 0
    }

    /// The end of the `{{ name }}` or `{{ name | raw }}` that begins at `index`; nil if none does.
    package static func endOfTemplate(at index: Int, in scalars: [Unicode.Scalar]) -> Int? {
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
