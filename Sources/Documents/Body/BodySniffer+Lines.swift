extension BodySniffer {
    /// YAML or separated values, when all lines look like them.
    var lineFormat: DocumentFormat? {
        guard isText, let lines = wholeLines else { return nil }
        if isYAML(lines) { return .yaml }
        return isSeparated(lines) ? .csv() : nil
    }

    /// The lines that are there to their end; nil when they are less than two.
    private var wholeLines: DocumentBytes? {
        let window = bytes.array(in: 0..<Document.firstWindow)
        guard let feed = window.firstIndex(of: 0x0A), feed + 1 < window.count else { return nil }
        guard window.count == Document.firstWindow else { return bytes }
        return window.lastIndex(of: 0x0A).map { DocumentBytes(Array(window[...$0])) }
    }

    /// Names with values or a list from its first line on, and nothing that YAML forbids.
    private func isYAML(_ lines: DocumentBytes) -> Bool {
        let text = lines.array(in: 0..<lines.count).drop { $0 == 0x0A || $0 == 0x0D }
        // Comments say nothing.
        let first = text.split(separator: 0x0A).first { $0.first != 0x23 } ?? []
        let line = first.last == 0x0D ? first.dropLast() : first
        let name = line.prefix { Self.isNameByte($0) }
        let rest = line.dropFirst(name.count)
        let isMember =
            !name.isEmpty && (rest.elementsEqual(":".utf8) || rest.starts(with: ": ".utf8))
        guard isMember || line.starts(with: "- ".utf8) else { return false }
        let transcript = Transcript(lines, as: .yaml)
        guard transcript.faults.isEmpty else { return false }
        let tree = Document.begin(transcript.json)
        guard isMember else { return tree.nodeCount > 2 && tree.kind(of: .root) == .array }
        return tree.nodeCount > 2 && tree.kind(of: .root) == .object
    }

    /// The same number of cells in every line, and names in the first.
    private func isSeparated(_ lines: DocumentBytes) -> Bool {
        let dialect = CSVDialect(lines, from: 0, delimiter: nil, hasHeader: nil)
        guard dialect.hasHeader else { return false }
        var scanner = CSVScanner(lines, from: 0, delimiter: dialect.delimiter)
        var width: Int?
        while scanner.skipBlankLines() {
            var cells = 0
            while let cell = scanner.next() {
                cells += 1
                // A blank behind a comma is prose.
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
