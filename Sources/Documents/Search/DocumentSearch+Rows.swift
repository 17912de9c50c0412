/// What is to be highlighted in the rows of a pane.
extension DocumentSearch {
    /// The hits in a row of a tree.
    package func highlights(in row: TreeRow) -> RowHighlights {
        guard let document else { return RowHighlights() }
        var highlights = RowHighlights()
        if let key = row.key, let range = document.keyRange(of: row.node) {
            highlights.key = parts(from: range.lowerBound, count: key.utf8.count)
        }
        if !row.kind.isContainer {
            let start = document.valueStart(of: row.node)
            highlights.value = parts(from: start, count: row.value.utf8.count)
        }
        return highlights
    }

    /// The hits in a line that is shown from byte `textOffset` on, in bytes of its text's UTF-8.
    package func highlights(in row: TextRow, textOffset: Int = 0) -> [Range<Int>] {
        let from = row.range.lowerBound + max(0, textOffset)
        let start = bytes.characterStart(from: from, in: row.range)
        // What is not UTF-8 is shown as U+FFFD, which is longer than a byte. A line may go on for
        // megabytes behind what is shown of it.
        let end = max(start, min(row.range.upperBound, start + row.text.utf8.count))
        return hits(in: start..<end).compactMap { hit in
            let hit = hit.clamped(to: start..<end)
            guard hit.lowerBound - start < row.text.utf8.count else { return nil }
            let lower = bytes.string(in: start..<hit.lowerBound).utf8.count
            let upper = lower + bytes.string(in: hit).utf8.count
            let shown = (lower..<upper).clamped(to: 0..<row.text.utf8.count)
            return shown.isEmpty ? nil : shown
        }
    }

    /// The bytes of a row of sixteen that are part of a hit, from 0.
    package func highlights(in row: HexRow) -> [Range<Int>] {
        parts(from: row.offset, count: row.bytes.count)
    }

    private func parts(from start: Int, count: Int) -> [Range<Int>] {
        let shown = start..<start + count
        return hits(in: shown).map { hit in
            let part = hit.clamped(to: shown)
            return part.lowerBound - start..<part.upperBound - start
        }
    }
}
