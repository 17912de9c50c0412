import Synchronization

/// A search through a whole body, in the background, whether it is parsed yet or not.
///
/// It works on the bytes alone: a JSON text is read as keys and values by its quotes, so that what
/// the parser has not reached, or never reaches because of a fault, is searched too. Hits do not
/// overlap; of two that would, the first counts. Hits may be asked for from any thread while the
/// search runs. Eight bytes are kept for each of the first four million hits; of the others only
/// the number per slice, and the slices are searched again when their hits are asked for.
package final class DocumentSearch: Sendable {
    /// How many hits are remembered.
    static let keptHits = 4 << 20
    /// Slices between two reports.
    static let slicesPerReport = 16

    /// The longest text that is searched for at once, in bytes.
    static let longestAtOnce = 64

    /// What there is to search: it may grow until it is whole.
    struct Extent {
        let count: Int
        let isWhole: Bool
    }

    /// What is searched for.
    package let pattern: SearchPattern
    /// What is searched.
    package let bytes: DocumentBytes
    /// The tree, when the text is JSON.
    package let document: Document?

    private let scanner: SliceScanner
    private let keptHits: Int
    private let extent: @Sendable () -> Extent
    private let state = Mutex(SearchState())
    /// The hits of the slice that was last searched again.
    private let repeated = Mutex<(slice: Int, hits: [PackedHit])?>(nil)

    /// Searches a JSON text: keys, values, and escapes as what they stand for.
    ///
    /// The first slice is searched at once unless that may take long, `run` does the rest.
    package convenience init(_ pattern: SearchPattern, in document: Document) {
        self.init(pattern, in: document.bytes, document: document)
    }

    /// Searches lines or bytes as they stand.
    ///
    /// The first slice is searched at once unless that may take long, `run` does the rest.
    package convenience init(_ pattern: SearchPattern, in bytes: DocumentBytes) {
        self.init(pattern, in: bytes, document: nil)
    }

    init(
        _ pattern: SearchPattern,
        in bytes: DocumentBytes,
        document: Document?,
        sliceLength: Int = SliceScanner.length,
        keptHits: Int = DocumentSearch.keptHits,
        extent: (@Sendable () -> Extent)? = nil
    ) {
        self.pattern = pattern
        self.bytes = bytes
        self.document = document
        self.keptHits = keptHits
        self.extent =
            extent ?? {
                // In this order: what comes between the two would be left out.
                let isWhole = bytes.isComplete
                return Extent(count: bytes.count, isWhole: isWhole)
            }
        scanner = SliceScanner(pattern, isJSON: document != nil, length: sliceLength)
        // This is the screen's thread: an expression may take a million steps for every word, and a
        // long text its length for every byte.
        if case .literal(let needle) = pattern.kind, needle.bytes.count <= Self.longestAtOnce {
            searchSlice()
        }
    }

    // MARK: - Searching

    /// How far the search is.
    package var progress: SearchProgress {
        let count = extent().count
        return state.withLock { state in
            SearchProgress(
                hitCount: state.hitCount,
                searchedBytes: min(count, state.sliceCount * scanner.length),
                totalBytes: count,
                isFinished: state.isFinished,
                error: state.error
            )
        }
    }

    /// Searches what is there and was not searched, off the calling actor.
    ///
    /// `onProgress` is called every few megabytes and at the end. When the task is cancelled it
    /// returns early, and a later call goes on; so it does after more bytes have come. While
    /// another call is at work it returns at once.
    @concurrent package func run(
        onProgress: (@Sendable (SearchProgress) -> Void)? = nil
    ) async {
        var slices = 0
        while !Task.isCancelled, searchSlice() {
            slices += 1
            guard slices % Self.slicesPerReport == 0 else { continue }
            onProgress?(progress)
            await Task.yield()
        }
        onProgress?(progress)
    }

    /// Searches the next slice; false when there is nothing to do now, or somebody else does it.
    @discardableResult func searchSlice() -> Bool {
        let task = state.withLock { state -> (slice: Int, state: ScanState)? in
            guard !state.isFinished, !state.isBusy else { return nil }
            state.isBusy = true
            return (state.sliceCount, state.next)
        }
        guard let task else { return false }
        let extent = extent()
        let start = task.slice * scanner.length
        var next = task.state
        let isOver = pattern.isEmpty || extent.isWhole && start >= extent.count
        let outcome =
            isOver || start >= extent.count
            ? nil : scan(task.slice, extent: extent, state: &next)
        return state.withLock { state in
            state.isBusy = false
            if let outcome { state.append(outcome, next: next, bound: keptHits) }
            let isSearched = start + scanner.length >= extent.count && outcome != nil
            state.isFinished = isOver || extent.isWhole && isSearched
            return outcome != nil && !state.isFinished
        }
    }

    private func scan(
        _ slice: Int,
        extent: Extent,
        state: inout ScanState
    ) -> SliceScanner.Outcome? {
        scanner.scan(
            slice: slice,
            of: bytes.base,
            limit: extent.count,
            isWhole: extent.isWhole,
            state: &state
        )
    }

    // MARK: - Found slices

    /// Calls `body` with what was found; keep it short.
    func withState<Value: Sendable>(_ body: (borrowing SearchState) -> Value) -> Value {
        state.withLock { body($0) }
    }

    /// The hits of a slice that was searched but whose hits were not kept.
    func hits(ofSlice slice: Int, from state: ScanState) -> [PackedHit] {
        if let last = repeated.withLock({ $0 }), last.slice == slice { return last.hits }
        var state = state
        let hits = scan(slice, extent: extent(), state: &state)?.hits ?? []
        repeated.withLock { $0 = (slice, hits) }
        return hits
    }
}

/// How far a search is, and what it found.
package struct SearchProgress: Equatable, Sendable {
    /// The hits so far.
    package let hitCount: Int
    /// The bytes that were searched.
    package let searchedBytes: Int
    /// The bytes that there are so far.
    package let totalBytes: Int
    /// Whether everything was searched, and nothing more comes.
    package let isFinished: Bool
    /// Why a part of the text was passed over: a regular expression that took too long there.
    package let error: RegularExpressionError?
}

/// A place where a pattern was found.
package struct SearchHit: Equatable, Sendable {
    /// The bytes as they stand in the text, escapes and all.
    package let range: Range<Int>
    /// The hit's number in the order of the text, from 1.
    package let number: Int
    /// Whether the search went over an end of the text to get here.
    package let isWrapped: Bool
}

/// What a search has found: all hits up to a bound, and for every slice what is needed to search
/// it again.
struct SearchState: Sendable {
    /// What is known before a slice.
    struct Checkpoint: Sendable {
        let hitsBefore: Int
        let state: ScanState
    }

    /// The hits of the slices before `keptSlices`.
    private(set) var kept: [PackedHit] = []
    private(set) var keptSlices = 0
    /// One for every slice that was searched, and one for the next.
    private(set) var checkpoints = [Checkpoint(hitsBefore: 0, state: ScanState())]
    private(set) var hitCount = 0
    private(set) var error: RegularExpressionError?
    var isFinished = false
    /// Whether somebody searches the next slice.
    var isBusy = false

    var sliceCount: Int { checkpoints.count - 1 }
    var next: ScanState { checkpoints[checkpoints.count - 1].state }

    mutating func append(_ outcome: SliceScanner.Outcome, next: ScanState, bound: Int) {
        if keptSlices == sliceCount && kept.count + outcome.hits.count <= bound {
            kept.append(contentsOf: outcome.hits)
            keptSlices += 1
        }
        hitCount += outcome.hits.count
        error = error ?? outcome.error
        checkpoints.append(Checkpoint(hitsBefore: hitCount, state: next))
    }

    func count(inSlice slice: Int) -> Int {
        checkpoints[slice + 1].hitsBefore - checkpoints[slice].hitsBefore
    }

    /// The last slice whose hits can begin at an offset or before it.
    func slice(at offset: Int) -> Int {
        var low = 0
        var high = checkpoints.count
        while low + 1 < high {
            let middle = (low + high) / 2
            if checkpoints[middle].state.at <= offset { low = middle } else { high = middle }
        }
        return min(low, max(0, sliceCount - 1))
    }
}

extension SearchPattern {
    /// Whether a text in memory, which is not read as JSON, has it.
    package func isFound(in text: [UInt8]) -> Bool {
        let search = DocumentSearch(self, in: DocumentBytes(text))
        while search.firstHit(from: 0) == nil {
            guard search.searchSlice() else { return search.firstHit(from: 0) != nil }
        }
        return true
    }
}
