/// How a scalar's tag and style determine the type of its text (YAML 1.2.2, section 10.3).
struct YAMLTag {
    private static let standard = "tag:yaml.org,2002:"

    private enum Schema {
        /// A plain scalar: the text decides.
        case core
        case string
        case only(String)
    }

    /// The tag to show; nil for none and for YAML's own tags that have an equivalent in JSON.
    let shownName: String?
    private let schema: Schema

    init(_ tag: String?, isPlain: Bool) {
        guard let tag, tag != "!" else {
            shownName = nil
            schema = tag == nil && isPlain ? .core : .string
            return
        }
        guard tag.hasPrefix(Self.standard) else {
            shownName = tag
            schema = isPlain ? .core : .string
            return
        }
        let name = String(tag.dropFirst(Self.standard.count))
        switch name {
        case "null", "bool", "int", "float":
            shownName = nil
            schema = .only(name)
        case "str", "map", "seq":
            shownName = nil
            schema = .string
        default:
            // `!!binary`, `!!timestamp`, `!!set`: text or containers, but the tag adds information.
            shownName = "!!" + name
            schema = .string
        }
    }

    /// The JSON literal that a text stands for; nil if none.
    func token(for text: UnsafeBufferPointer<UInt8>) -> String? {
        guard text.count <= 5 else { return nil }
        switch String(decoding: text, as: UTF8.self) {
        case "", "~", "null", "Null", "NULL": return allows("null") ? "null" : nil
        case "true", "True", "TRUE": return allows("bool") ? "true" : nil
        case "false", "False", "FALSE": return allows("bool") ? "false" : nil
        default: return nil
        }
    }

    /// Whether a text is a number that is also valid in JSON.
    func isNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = text.first, first == 0x2D || (0x30...0x39).contains(first),
            allows("int") || allows("float")
        else { return false }
        return NumberParts(UnsafeRawBufferPointer(text)) != nil
    }

    /// The decimal digits of `0x1F` or `0o17`; nil for other texts, and for more than 64 bits.
    func integer(_ text: UnsafeBufferPointer<UInt8>) -> String? {
        guard (3...24).contains(text.count), text[0] == 0x30, allows("int") else { return nil }
        let digits = text.dropFirst(2)
        // Swift's own reading would take a sign too.
        guard digits.first != 0x2B, digits.first != 0x2D else { return nil }
        let radix: Int
        switch text[1] {
        case UInt8(ascii: "x"): radix = 16
        case UInt8(ascii: "o"): radix = 8
        default: return nil
        }
        return UInt64(String(decoding: digits, as: UTF8.self), radix: radix).map { String($0) }
    }

    private func allows(_ name: String) -> Bool {
        switch schema {
        case .core: true
        case .string: false
        case .only(let only): only == name
        }
    }
}
