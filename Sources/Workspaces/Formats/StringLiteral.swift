/// A text between double quotes, as C, Python, Swift, YAML and their like write strings.
package enum StringLiteral {
    /// Quotes a text: quotes, backslashes, line ends and tabs are escaped.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - escape: What stands for another character; nil for the character itself.
    /// - Returns: The text with its quotes.
    package static func quoted(
        _ text: String,
        escaping escape: (Unicode.Scalar) -> String? = { _ in nil }
    ) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if let escaped = escape(scalar) {
                    result += escaped
                } else {
                    result.unicodeScalars.append(scalar)
                }
            }
        }
        return result + "\""
    }

    /// `\uXXXX`, or above 16 bits `\UXXXXXXXX`, as Python and YAML have it.
    package static func numbered(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        let width = scalar.value <= 0xFFFF ? 4 : 8
        return (width == 4 ? "\\u" : "\\U") + String(repeating: "0", count: width - digits.count)
            + digits
    }
}
