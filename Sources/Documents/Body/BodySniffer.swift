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

    /// Whether there is nothing in it.
    var isEmpty: Bool { bytes.count == 0 }

    /// What its first bytes say that it is, when they say it clearly.
    ///
    /// Forms and separated values look like any text.
    var format: DocumentFormat? {
        guard let first = firstSignificant() else { return nil }
        let start = bytes.array(in: first..<min(bytes.count, first + 256))
        if start.first == 0x3C { return markup(start) }
        if let boundary = boundary(start) { return .multipart(boundary: boundary) }
        func begins(_ word: String) -> Bool { start.starts(with: word.utf8) }
        if begins("---\n") || begins("---\r\n") || begins("%YAML ") { return .yaml }
        return begins("data:") || begins("event:") ? .eventStream : nil
    }

    /// Whether nothing speaks against a format.
    func canBe(_ format: DocumentFormat) -> Bool {
        switch format {
        case .xml: beginsLikeMarkup
        case .multipart: !isEmpty
        case .json, .jsonLines: false
        default: isText && !isEmpty
        }
    }

    /// HTML when it begins with one of its elements, else XML.
    private func markup(_ start: [UInt8]) -> DocumentFormat? {
        let text = String(decoding: start.prefix(64), as: UTF8.self).lowercased()
        let names = ["!doctype html", "html", "head", "body", "title", "script", "p", "div", "h1"]
        let isHTML = names.contains { name in
            guard text.dropFirst().hasPrefix(name) else { return false }
            let next = text.dropFirst(name.count + 1).first
            return next == nil || next == ">" || next == "/" || next?.isWhitespace ?? false
        }
        if isHTML { return .html }
        guard start.count > 1 else { return nil }
        let isName = start[1] >= 0x80 || (start[1] | 0x20 >= 0x61 && start[1] | 0x20 <= 0x7A)
        return isName || start[1] == 0x3F || start[1] == 0x21 || start[1] == 0x5F ? .xml : nil
    }

    /// The boundary when it begins with a boundary line and a header.
    private func boundary(_ start: [UInt8]) -> String? {
        guard start.starts(with: "--".utf8), let feed = start.firstIndex(of: 0x0A) else {
            return nil
        }
        let line = start[2..<feed].filter { $0 != 0x0D }
        let head = start[(feed + 1)...].prefix(8).map { $0 | 0x20 }
        guard !line.isEmpty, line.count <= 70, head == Array("content-".utf8.map { $0 | 0x20 })
        else { return nil }
        return String(decoding: line, as: UTF8.self)
    }

    private func firstSignificant() -> Int? {
        let end = min(bytes.count, Self.window)
        let base = bytes.base
        var at = end >= 3 && base[0] == 0xEF && base[1] == 0xBB && base[2] == 0xBF ? 3 : 0
        while at < end, [0x20, 0x09, 0x0A, 0x0D].contains(base[at]) { at += 1 }
        return at < end ? at : nil
    }
}
