/// Swaps single scalars, so that columns stay what they are.
enum KeyMask {
    static func replacing(
        _ scalar: Unicode.Scalar,
        with other: Unicode.Scalar,
        in text: String
    ) -> String {
        guard text.unicodeScalars.contains(scalar) else { return text }
        var out = String.UnicodeScalarView()
        for each in text.unicodeScalars { out.append(each == scalar ? other : each) }
        return String(out)
    }
}
