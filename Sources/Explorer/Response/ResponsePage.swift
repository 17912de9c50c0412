import Documents
import Terminal
import TreeView

/// A tab of a response other than the body: lines, wrapped once for a width, with a cursor and a search.
struct ResponsePage {
    /// A line before it is wrapped.
    struct Line: Equatable {
        enum Kind: Equatable {
            case title
            /// A name and its value.
            case fact
            /// A sentence, in the muted color.
            case remark
            /// Text as it is, over the full width.
            case text
            case blank
        }
        var kind: Kind
        var name = ""
        var text = ""
        /// The filled part of a bar, within 0...1.
        var bar: ClosedRange<Double>?
        /// For an expectation: whether it is met, on its first line.
        var isMet: Bool?
        /// The index of the expectation that it is about.
        var item: Int?
    }

    /// A row: a part of a line's text.
    struct Row: Equatable {
        var line: Int
        var bytes: Range<Int>
        /// Whether the line's name stands in front of it.
        var isFirst: Bool
    }

    /// A match: its row, and its bytes in the line's text; nil if it is in the name.
    struct Match: Equatable {
        var row: Int
        var bytes: Range<Int>?
    }

    /// The width of the names: that of the longest, but values keep half of the room or more.
    var nameColumns: Int { min(signColumns + longestName + 2, max(10, columns / 2)) }

    /// The columns of the signs before the names.
    let signColumns: Int

    private let longestName: Int
    private static let longestName = 44

    /// The most matches that are kept.
    private static let matchLimit = 10_000

    let lines: [Line]
    /// The lines' texts, wrapped for `columns`.
    private(set) var rows: [Row] = []
    private(set) var columns = 0
    /// The row under the cursor, and the visible rows.
    var scroll = ListScroll()
    /// The text that is searched for; empty if there is none.
    private(set) var needle = ""
    private(set) var matches: [Match] = []
    /// The match that the cursor was moved to last.
    private(set) var current: Int?

    init(_ lines: [Line]) {
        self.lines = lines
        signColumns = lines.contains { $0.item != nil } ? 2 : 0
        // Most names are short; a longer one makes the column no wider.
        longestName = lines.reduce(0) { longest, line in
            let name = min(Self.longestName, TextWidth.columns(of: line.name))
            return line.kind == .fact ? max(longest, name) : longest
        }
    }

    /// Fits the page into a room; wraps the lines again only if the columns change.
    mutating func fit(_ room: Size) {
        if room.columns != columns {
            let line = rows.indices.contains(scroll.selection) ? rows[scroll.selection].line : 0
            columns = room.columns
            wrap()
            scroll.update(count: rows.count, height: max(1, room.rows))
            scroll.select(rows.firstIndex { $0.line >= line } ?? 0)
            look()
        }
        scroll.update(count: rows.count, height: max(1, room.rows))
    }

    private mutating func wrap() {
        let start = nameColumns
        rows = []
        for (index, line) in lines.enumerated() {
            let room = line.kind == .fact ? max(8, columns - start) : max(8, columns)
            guard !line.text.isEmpty else {
                rows.append(Row(line: index, bytes: 0..<0, isFirst: true))
                continue
            }
            let text = WrappedText(line.text)
            var place: WrappedText.Place? = .start
            while let at = place {
                let bytes = text.row(at: at, columns: room).bytes
                rows.append(Row(line: index, bytes: bytes, isFirst: at.offset == 0))
                place = text.place(after: at, columns: room)
            }
        }
    }

    /// The text of a row.
    func text(of row: Row) -> String {
        let text = lines[row.line].text
        let start = text.utf8.index(text.startIndex, offsetBy: row.bytes.lowerBound)
        let end = text.utf8.index(start, offsetBy: row.bytes.count)
        return String(text[start..<end])
    }

    /// The line under the cursor; nil if there are none.
    var selectedLine: Line? {
        rows.indices.contains(scroll.selection) ? lines[rows[scroll.selection].line] : nil
    }

    /// The text to copy for the line under the cursor.
    var selectedText: String? {
        guard let line = selectedLine else { return nil }
        return line.kind == .blank ? nil : line.kind == .title ? line.name : line.text
    }

    /// The whole page as text.
    var wholeText: String {
        lines.map { line in
            switch line.kind {
            case .title: line.name
            case .fact: line.name.isEmpty ? line.text : "\(line.name): \(line.text)"
            case .remark, .text: line.text
            case .blank: ""
            }
        }.joined(separator: "\n") + "\n"
    }

    // MARK: Finding

    /// Searches for a text, ignoring case; the cursor moves to the first match at or after it.
    mutating func find(_ text: String) {
        needle = text
        look()
        guard !matches.isEmpty else { return }
        let next = matches.firstIndex { $0.row >= scroll.selection } ?? 0
        go(to: next)
    }

    /// Goes to the next or the previous match; returns nil if there is none, true if it wrapped around.
    mutating func step(forward: Bool) -> Bool? {
        guard !matches.isEmpty else { return nil }
        guard let current else {
            find(needle)
            return false
        }
        let next = current + (forward ? 1 : -1)
        go(to: (next + matches.count) % matches.count)
        return !matches.indices.contains(next)
    }

    private mutating func go(to index: Int) {
        current = index
        scroll.select(matches[index].row)
    }

    private mutating func look() {
        (matches, current) = ([], nil)
        guard !needle.isEmpty else { return }
        var row = 0
        for (index, line) in lines.enumerated() where matches.count < Self.matchLimit {
            while row < rows.count, rows[row].line < index { row += 1 }
            if !line.name.places(of: needle, limit: 1).isEmpty {
                matches.append(Match(row: row))
            }
            var at = row
            for bytes in line.text.places(of: needle, limit: Self.matchLimit) {
                while at + 1 < rows.count, rows[at + 1].line == index,
                    rows[at + 1].bytes.lowerBound <= bytes.lowerBound
                {
                    at += 1
                }
                matches.append(Match(row: at, bytes: bytes))
            }
        }
    }
}

extension String {
    /// The first `limit` places of a text, as byte ranges of the UTF-8; ignores the case of ASCII letters.
    func places(of text: String, limit: Int) -> [Range<Int>] {
        func lowered(_ byte: UInt8) -> UInt8 {
            (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
        }
        let (bytes, wanted) = (utf8.map(lowered), text.utf8.map(lowered))
        guard let first = wanted.first else { return [] }
        var found: [Range<Int>] = []
        var at = 0
        while at + wanted.count <= bytes.count, found.count < limit {
            let end = at + wanted.count
            let isHere = bytes[at] == first && bytes[at..<end].elementsEqual(wanted)
            if isHere { found.append(at..<end) }
            at = isHere ? end : at + 1
        }
        return found
    }
}
