/// The encoding that the first bytes of XML and HTML name.
enum DeclaredEncoding {
    /// Where HTML says it, at the latest (HTML standard, 13.2.3.2).
    private static let window = 1024

    /// The name in an XML declaration, or in HTML's `<meta charset>`; nil when there is none.
    static func find(in bytes: DocumentBytes, format: DocumentFormat?) -> String? {
        guard format == .xml || format == .html else { return nil }
        let head = bytes.array(in: 0..<min(bytes.count, window))
        let isDeclared = head.starts(with: "<?xml".utf8)
        if isDeclared, let end = head.firstIndex(of: 0x3E),
            let name = value(of: "encoding", in: head[..<end])
        {
            return utf8IfWide(name)
        }
        return format == .html ? value(of: "charset", in: head[...]).map(utf8IfWide) : nil
    }

    /// A text whose declaration could be read byte by byte is not in UTF-16, whatever it says.
    private static func utf8IfWide(_ name: String) -> String {
        let isWide = name.uppercased().hasPrefix("UTF-16") || name.uppercased().hasPrefix("UTF-32")
        return isWide ? "UTF-8" : name
    }

    private static func value(of name: String, in head: ArraySlice<UInt8>) -> String? {
        let name = Array(name.utf8)
        var at = head.startIndex
        while at + name.count < head.endIndex {
            defer { at += 1 }
            guard head[at..<at + name.count].elementsEqual(name, by: { $0 | 0x20 == $1 })
            else { continue }
            var rest = head[(at + name.count)...].drop { $0 <= 0x20 }
            guard rest.first == 0x3D else { continue }
            rest = rest.dropFirst().drop { $0 <= 0x20 || $0 == 0x22 || $0 == 0x27 }
            let value = rest.prefix { isNameByte($0) }
            return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
        }
        return nil
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5F: true
        default: false
        }
    }
}
