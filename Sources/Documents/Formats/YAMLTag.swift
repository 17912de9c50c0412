/// What a scalar's tag and its style make of its text (YAML 1.2.2, section 10.3).
struct YAMLTag {
    private static let standard = "tag:yaml.org,2002:"

    private enum Schema {
        /// A plain scalar: by its text.
        case core
        case string
        case only(String)
    }

    /// A tag of somebody's own, which is shown; nil for YAML's.
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
            // `!!binary`, `!!timestamp`, `!!set`: text and containers, but the tag says more.
            shownName = "!!" + name
            schema = .string
        }
    }

    /// The literal of JSON that a text is.
    func token(for text: UnsafeBufferPointer<UInt8>) -> String? {
        guard text.count <= 5 else { return nil }
        switch String(decoding: text, as: UTF8.self) {
        case "", "~", "null", "Null", "NULL": return allows("null") ? "null" : nil
        case "true", "True", "TRUE": return allows("bool") ? "true" : nil
        case "false", "False", "FALSE": return allows("bool") ? "false" : nil
        default: return nil
        }
    }

    /// Whether a text is a number that JSON knows too.
    func isNumber(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = text.first, first == 0x2D || (0x30...0x39).contains(first),
            allows("int") || allows("float")
        else { return false }
        return JSONNumber.isNumber(text)
    }

    private func allows(_ name: String) -> Bool {
        switch schema {
        case .core: true
        case .string: false
        case .only(let only): only == name
        }
    }
}
