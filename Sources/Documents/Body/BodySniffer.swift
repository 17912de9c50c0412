/// Tells from a body's first bytes what it may be.
struct BodySniffer {
    private static let window = 4 << 10

    let bytes: DocumentBytes

    /// Whether it begins as an array or an object does.
    ///
    /// A word or a number alone is JSON too, but looks like any other text.
    var beginsLikeJSON: Bool {
        guard let first = firstSignificant() else { return false }
        return bytes.base[first] == 0x7B || bytes.base[first] == 0x5B
    }

    /// Whether it begins as markup does.
    var beginsLikeMarkup: Bool {
        guard let first = firstSignificant() else { return false }
        return bytes.base[first] == 0x3C
    }

    /// Whether the first 4 KiB are UTF-8 without control characters that no text has.
    var isText: Bool {
        let end = min(bytes.count, Self.window)
        var at = 0
        while at < end {
            let byte = bytes.base[at]
            if byte < 0x80 {
                let isUsual = byte >= 0x20 || (0x08...0x0D).contains(byte) || byte == 0x1B
                guard isUsual && byte != 0x7F else { return false }
                at += 1
                continue
            }
            typealias Parser = TreeParser<PortableScanner>
            let length = Parser.multibyteLength(Parser.load32(bytes.base, at))
            if length == 0 { return Parser.endsInSequence(bytes.base, at, bytes.count) }
            at += length
        }
        return true
    }

    private func firstSignificant() -> Int? {
        let end = min(bytes.count, Self.window)
        let base = bytes.base
        var at = end >= 3 && base[0] == 0xEF && base[1] == 0xBB && base[2] == 0xBF ? 3 : 0
        while at < end, [0x20, 0x09, 0x0A, 0x0D].contains(base[at]) { at += 1 }
        return at < end ? at : nil
    }
}
