/// Hits by their offset in the text.
extension DocumentSearch {
    /// The first hit that begins after a byte, else the very first; nil if there are none yet.
    package func next(after offset: Int) -> SearchHit? {
        if let hit = firstHit(from: offset == .max ? .max : offset + 1) { return hit }
        return firstHit(from: 0).map {
            SearchHit(range: $0.range, number: $0.number, isWrapped: true)
        }
    }

    /// The last hit that begins before a byte, else the very last; nil if there are none yet.
    package func previous(before offset: Int) -> SearchHit? {
        if let hit = lastHit(before: offset) { return hit }
        return lastHit(before: .max).map {
            SearchHit(range: $0.range, number: $0.number, isWrapped: true)
        }
    }

    /// The hits that overlap a range, in order; O(log n + k).
    package func hits(in range: Range<Int>) -> [Range<Int>] {
        guard !range.isEmpty else { return [] }
        var hits: [Range<Int>] = []
        // Hits don't overlap, so only one can reach into the range from before it.
        if let before = lastHit(before: range.lowerBound),
            before.range.upperBound > range.lowerBound
        {
            hits.append(before.range)
        }
        forEachRun(from: range.lowerBound) { run, _ in
            for hit in run[run.firstIndex(from: range.lowerBound)...] {
                guard hit.start < range.upperBound else { return false }
                hits.append(hit.range)
            }
            return true
        }
        return hits
    }

    /// The first hit that begins at or after a byte; nil if there is none yet.
    package func firstHit(from offset: Int) -> SearchHit? {
        var found: SearchHit?
        forEachRun(from: offset) { run, hitsBefore in
            let index = run.firstIndex(from: offset)
            guard index < run.endIndex else { return true }
            let number = hitsBefore + index - run.startIndex + 1
            found = SearchHit(range: run[index].range, number: number, isWrapped: false)
            return false
        }
        return found
    }

    private func lastHit(before offset: Int) -> SearchHit? {
        let kept = withState { state -> (hit: SearchHit?, slice: Int) in
            let index = state.kept.firstIndex(from: offset) - 1
            let hit =
                index < 0
                ? nil
                : SearchHit(range: state.kept[index].range, number: index + 1, isWrapped: false)
            return (hit, state.keptSlices == state.sliceCount ? -1 : state.slice(at: offset))
        }
        var slice = kept.slice
        while let run = run(ofSlice: slice, backwards: true) {
            let index = run.hits.firstIndex(from: offset) - 1
            if index >= 0 {
                let number = run.hitsBefore + index + 1
                return SearchHit(range: run.hits[index].range, number: number, isWrapped: false)
            }
            slice = run.slice - 1
        }
        return kept.hit
    }

    /// Calls `body` with the kept hits and then those of every later slice, until it returns false.
    ///
    /// Visits only slices whose hits can begin at or after `offset`.
    private func forEachRun(
        from offset: Int,
        _ body: (ArraySlice<PackedHit>, _ hitsBefore: Int) -> Bool
    ) {
        let first = withState { state -> Int? in
            let index = state.kept.firstIndex(from: offset)
            if index < state.kept.count, !body(state.kept[...], 0) { return nil }
            return max(state.keptSlices, state.slice(at: offset))
        }
        guard var slice = first else { return }
        while let run = run(ofSlice: slice, backwards: false) {
            guard body(run.hits[...], run.hitsBefore) else { return }
            slice = run.slice + 1
        }
    }

    /// The hits of a slice that were not kept, or of the nearest later or earlier slice that has some.
    private func run(
        ofSlice first: Int,
        backwards: Bool
    ) -> (slice: Int, hits: [PackedHit], hitsBefore: Int)? {
        let found = withState { state -> (slice: Int, hitsBefore: Int, state: ScanState)? in
            var slice = first
            let step = backwards ? -1 : 1
            while slice >= state.keptSlices && slice < state.sliceCount {
                if state.count(inSlice: slice) > 0 {
                    let checkpoint = state.checkpoints[slice]
                    return (slice, checkpoint.hitsBefore, checkpoint.state)
                }
                slice += step
            }
            return nil
        }
        guard let found else { return nil }
        let hits = hits(ofSlice: found.slice, from: found.state)
        return (found.slice, hits, found.hitsBefore)
    }
}

/// Hits by value, for the rows of a tree.
extension DocumentSearch {
    /// The value in whose row a hit begins: the last one that begins at or before the hit.
    ///
    /// Nil if the parser has not reached the hit yet or the text has no tree. O(log n).
    package func node(of hit: SearchHit) -> NodeIndex? {
        guard let document, let node = document.lastNode(from: hit.range.lowerBound) else {
            return nil
        }
        let isLast = node.rawValue == document.nodeCount - 1
        let isParsed = document.isFinished || document.progress.parsedBytes > hit.range.lowerBound
        return isLast && !isParsed ? nil : node
    }

    /// The first hit in a row after a value's row, else the very first; nil if there are none yet.
    package func next(after node: NodeIndex) -> SearchHit? {
        guard let document else { return nil }
        let following = NodeIndex(node.rawValue + 1)
        if following.rawValue < document.nodeCount {
            return next(after: document.start(of: following) - 1)
        }
        // The last value of the document.
        return next(after: document.isFinished ? bytes.count : document.start(of: node))
    }

    /// The last hit in a row before a value's row, else the very last; nil if there are none yet.
    package func previous(before node: NodeIndex) -> SearchHit? {
        document.flatMap { previous(before: $0.start(of: node)) }
    }
}

extension Document {
    /// Where a value's row begins in the text: at the quote of its key, if it has one.
    func start(of node: NodeIndex) -> Int {
        keyRange(of: node).map { $0.lowerBound - 1 } ?? valueRange(of: node).lowerBound
    }

    /// The last value that begins, with its key, at or before a byte.
    func lastNode(from offset: Int) -> NodeIndex? {
        let count = nodeCount
        let next = (0..<count).partitionPoint { valueStart(of: NodeIndex($0)) <= offset }
        // The next value begins after the byte, but its key may not.
        if next < count, start(of: NodeIndex(next)) <= offset { return NodeIndex(next) }
        return next > 0 ? NodeIndex(next - 1) : nil
    }
}

/// Highlights in the rows of a pane.
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

    /// The hits in a line that is shown from byte `textOffset` on, as ranges of the UTF-8 of `row.text`.
    package func highlights(in row: TextRow, textOffset: Int = 0) -> [Range<Int>] {
        let from = row.range.lowerBound + max(0, textOffset)
        let start = bytes.characterStart(from: from, in: row.range)
        // Invalid UTF-8 is shown as U+FFFD, which is longer than a byte. A line may continue for megabytes
        // after the part that is shown.
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

    /// The hits in a row of the hex view, as ranges of its bytes.
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

/// The highlights in a row of a tree, as ranges of the UTF-8 of its key and value.
package struct RowHighlights: Equatable, Sendable {
    /// The highlights in the displayed key.
    package var key: [Range<Int>] = []
    /// The highlights in the displayed value.
    package var value: [Range<Int>] = []

    /// Whether there are no highlights.
    package var isEmpty: Bool { key.isEmpty && value.isEmpty }
}

/// The range of a hit in eight bytes, ordered by offset.
struct PackedHit: Comparable, Sendable {
    /// The longest length that fits; a longer hit is cut.
    static let longest = 0xFF_FFFF

    private let word: UInt64

    init(_ start: Int, _ end: Int) {
        word = UInt64(start) << 24 | UInt64(min(end - start, Self.longest))
    }

    @inline(__always) var start: Int { Int(word &>> 24) }
    @inline(__always) var end: Int { start &+ Int(word & 0xFF_FFFF) }
    var range: Range<Int> { start..<end }

    @inline(__always) static func < (lhs: PackedHit, rhs: PackedHit) -> Bool {
        lhs.word < rhs.word
    }
}

extension RandomAccessCollection<PackedHit> where Index == Int {
    /// The index of the first hit that begins at or after an offset.
    func firstIndex(from offset: Int) -> Int {
        (startIndex..<endIndex).partitionPoint { self[$0].start < offset }
    }
}
