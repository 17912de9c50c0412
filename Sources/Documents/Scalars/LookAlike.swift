/// Two texts that differ and look the same: `é` in one scalar and in two, a blank and a no-break space.
///
/// Side by side they would seem equal, so both are spelled with JSON's escapes.
package enum LookAlike {
    /// Both texts with every character beyond ASCII as an escape, `\\u00e9`; nil unless they differ and look alike.
    package static func spelled(_ a: String, _ b: String) -> (a: String, b: String)? {
        guard !a.utf8.elementsEqual(b.utf8), looks(of: a) == looks(of: b) else { return nil }
        return (escaped(a), escaped(b))
    }

    /// The text with all kinds of blanks as one; `==` of strings compares by canonical equivalence.
    private static func looks(of text: String) -> String {
        var looks = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            looks.append(scalar.value >= 0x80 && scalar.properties.isWhitespace ? " " : scalar)
        }
        return String(looks)
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            guard scalar.value >= 0x80 else {
                escaped.unicodeScalars.append(scalar)
                continue
            }
            for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                let digits = String(unit, radix: 16)
                escaped += #"\u"# + String(repeating: "0", count: 4 - digits.utf8.count) + digits
            }
        }
        return escaped
    }
}
