import Documents

/// An archive that ends in the middle, up to its last whole entry.
struct CutArchive {
    /// The archive with its brackets closed.
    let bytes: [UInt8]
    /// What is left out.
    let rest: String
    /// The line where that begins.
    let line: Int

    /// Nil if there is no whole entry.
    init?(_ source: [UInt8]) {
        let source =
            source.starts(with: [0xFE, 0xFF]) || source.starts(with: [0xFF, 0xFE])
            ? Array(SourceText.decoded(source).utf8) : source
        // The brackets that are open, and after which of their ends an entry is whole.
        var open: [UInt8] = []
        var end: (offset: Int, open: [UInt8])?
        var isQuoted = false
        var isEscaped = false
        for (offset, byte) in source.enumerated() {
            if isEscaped {
                isEscaped = false
            } else if isQuoted {
                if byte == UInt8(ascii: "\\") { isEscaped = true }
                if byte == UInt8(ascii: "\"") { isQuoted = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isQuoted = true
                case UInt8(ascii: "{"): open.append(UInt8(ascii: "}"))
                case UInt8(ascii: "["): open.append(UInt8(ascii: "]"))
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    guard open.popLast() == byte else { return nil }
                    if open.count <= 3 { end = (offset + 1, open) }
                default: break
                }
            }
        }
        guard let end, !open.isEmpty else { return nil }
        bytes = source[..<end.offset] + end.open.reversed()
        rest = String(decoding: source[end.offset...], as: UTF8.self)
        line = source[..<end.offset].count { $0 == UInt8(ascii: "\n") } + 1
    }
}
