/// Guesses from a body's first bytes what it is.
struct BodySniffer {
    private static let window = 4 << 10

    let bytes: DocumentBytes

    /// Whether it begins like an array or an object.
    ///
    /// A lone word or number is JSON too, but looks like any other text.
    var beginsLikeJSON: Bool {
        guard let first = firstSignificant() else { return false }
        return bytes.base[first] == 0x7B || bytes.base[first] == 0x5B
    }

    /// Whether it begins like markup.
    var beginsLikeMarkup: Bool {
        guard let first = firstSignificant() else { return false }
        return bytes.base[first] == 0x3C
    }

    /// Whether the first 4 KiB are UTF-8 without control characters that are unusual in text.
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

    var isEmpty: Bool { bytes.count == 0 }

    /// The format that the first bytes clearly show; nil if they show none.
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

    /// Whether the bytes do not contradict a format.
    func canBe(_ format: DocumentFormat) -> Bool {
        switch format {
        case .xml: beginsLikeMarkup
        case .multipart: !isEmpty
        case .json, .jsonLines: false
        default: isText && !isEmpty
        }
    }

    /// HTML if it begins with one of its elements, otherwise XML; nil if it begins with no element.
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

    /// The boundary of a body that begins with a boundary line and a header; nil for any other.
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

extension BodySniffer {
    /// JSON or JSON lines, if the text is valid so far; nil otherwise.
    var json: DocumentFormat? {
        if beginsWithSeparator { return .jsonLines }
        let document = Document.begin(bytes)
        guard document.nodeCount > 0 else { return nil }
        guard let fault = document.fault else { return .json }
        if fault.kind == .unexpectedEnd { return beginsLikeJSON ? .json : nil }
        return Self.isJSONLines(document) ? .jsonLines : nil
    }

    /// Whether it begins with the record separator of RFC 7464.
    var beginsWithSeparator: Bool { bytes.count > 0 && bytes.base[0] == 0x1E }

    /// Whether the value of a tree is followed by another one on its own line.
    static func isJSONLines(_ document: Document) -> Bool {
        guard let fault = document.fault, fault.kind == .trailingBytes else { return false }
        let end = document.valueRange(of: .root).upperBound
        guard document.bytes.array(in: end..<fault.offset).contains(0x0A) else { return false }
        let first = document.bytes.withUnsafeBytes {
            DocumentBytes(
                copying: UnsafeRawBufferPointer(
                    rebasing: $0[..<min($0.count, fault.offset + Document.firstWindow)]
                )
            )
        }
        let lines = Document.begin(first, as: .sequence)
        var values = lines.children(of: .root).makeIterator()
        guard values.next() != nil, let second = values.next() else { return false }
        guard let broken = lines.fault, broken.kind != .unexpectedEnd else { return true }
        return broken.offset > lines.valueRange(of: second).upperBound
    }
}

extension BodySniffer {
    /// YAML or separated values, if all lines look like them; nil otherwise.
    var lineFormat: DocumentFormat? {
        guard isText, let lines = wholeLines else { return nil }
        if isYAML(lines) { return .yaml }
        return isSeparated(lines) ? .csv() : nil
    }

    /// The complete lines; nil if there are fewer than two.
    private var wholeLines: DocumentBytes? {
        let window = bytes.array(in: 0..<Document.firstWindow)
        guard let feed = window.firstIndex(of: 0x0A), feed + 1 < window.count else { return nil }
        guard window.count == Document.firstWindow else { return bytes }
        return window.lastIndex(of: 0x0A).map { DocumentBytes(Array(window[...$0])) }
    }

    /// Whether the text begins with a name and its value, or with a list, and is valid YAML.
    private func isYAML(_ lines: DocumentBytes) -> Bool {
        let text = lines.array(in: 0..<lines.count).drop { $0 == 0x0A || $0 == 0x0D }
        // Comments say nothing about the format.
        let first = text.split(separator: 0x0A).first { $0.first != 0x23 } ?? []
        let line = first.last == 0x0D ? first.dropLast() : first
        let name = line.prefix { Self.isNameByte($0) }
        let rest = line.dropFirst(name.count)
        let isMember =
            !name.isEmpty && (rest.elementsEqual(":".utf8) || rest.starts(with: ": ".utf8))
        guard isMember || line.starts(with: "- ".utf8) else { return false }
        let transcript = ConvertedText(lines, as: .yaml)
        guard transcript.faults.isEmpty else { return false }
        let tree = Document.begin(transcript.json)
        guard isMember else { return tree.nodeCount > 2 && tree.kind(of: .root) == .array }
        return tree.nodeCount > 2 && tree.kind(of: .root) == .object
    }

    /// Whether every line has the same number of cells, and the first line has names.
    private func isSeparated(_ lines: DocumentBytes) -> Bool {
        let dialect = CSVDialect(lines, from: 0, delimiter: nil, hasHeader: nil)
        guard dialect.hasHeader else { return false }
        var scanner = CSVScanner(lines, from: 0, delimiter: dialect.delimiter)
        var width: Int?
        while scanner.skipBlankLines() {
            var cells = 0
            while let cell = scanner.next() {
                cells += 1
                // A space after a comma suggests prose.
                let isProse = cells > 1 && lines.base[cell.range.lowerBound] == 0x20
                guard cell.surplus.isEmpty, !(isProse && width == nil) else { return false }
                if cell.endsRow { break }
            }
            guard cells > 1, cells == width ?? cells else { return false }
            width = cells
        }
        return true
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }
}
