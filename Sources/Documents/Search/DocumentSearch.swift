import Synchronization

/// A search through a whole body in the background, whether or not it is parsed yet.
///
/// The search works on the bytes alone: it recognizes the keys and values of a JSON text by their quotes,
/// so it also covers text that the parser has not reached, or never reaches because of a fault. Hits do not
/// overlap; of two overlapping ones the first counts. Hits can be read from any thread while the search
/// runs. The first four million hits are kept, in eight bytes each. For later slices only the number of
/// hits is kept, and a slice is searched again when its hits are requested.
package final class DocumentSearch: Sendable {
    /// The number of hits that are kept.
    static let keptHits = 4 << 20
    /// The number of slices between two progress reports.
    static let slicesPerReport = 16

    /// The longest text, in bytes, for which `init` searches the first slice itself.
    static let longestAtOnce = 64

    /// How much text is available to search; it may grow until it is whole.
    struct Extent {
        let count: Int
        let isWhole: Bool
    }

    /// The pattern to search for.
    package let pattern: SearchPattern
    /// The bytes to search.
    package let bytes: DocumentBytes
    /// The tree, if the text is JSON; else nil.
    package let document: Document?

    private let scanner: SliceScanner
    private let keptHits: Int
    private let extent: @Sendable () -> Extent
    private let state = Mutex(SearchState())
    /// The hits of the slice that was last searched again.
    private let repeated = Mutex<(slice: Int, hits: [PackedHit])?>(nil)

    /// Searches the keys and values of a JSON text, with escapes decoded.
    ///
    /// Searches the first slice at once unless that may take long; `run` searches the rest.
    package convenience init(_ pattern: SearchPattern, in document: Document) {
        self.init(pattern, in: document.bytes, document: document)
    }

    /// Searches lines or bytes as they are.
    ///
    /// Searches the first slice at once unless that may take long; `run` searches the rest.
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
                // In this order, because bytes that arrive between the two calls would be missed otherwise.
                let isWhole = bytes.isComplete
                return Extent(count: bytes.count, isWhole: isWhole)
            }
        scanner = SliceScanner(pattern, isJSON: document != nil, length: sliceLength)
        // This runs on the UI thread. An expression may take a million steps for every word, and a long
        // text as many steps as its length for every byte.
        if case .literal(let needle) = pattern.kind, needle.bytes.count <= Self.longestAtOnce {
            searchSlice()
        }
    }

    // MARK: - Searching

    /// The progress of the search.
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

    /// Searches the available text that has not been searched yet, off the calling actor.
    ///
    /// `onProgress` is called every few megabytes and at the end. If the task is cancelled, the call returns
    /// early. A later call continues, also after more bytes have arrived. Returns at once if another call is
    /// searching.
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

    /// Searches the next slice; false if there is nothing to search now or another thread is searching.
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

    // MARK: - Searched slices

    /// Calls `body` with the results so far, under the lock; keep it short.
    func withState<Value: Sendable>(_ body: (borrowing SearchState) -> Value) -> Value {
        state.withLock { body($0) }
    }

    /// Searches a slice again whose hits were not kept.
    func hits(ofSlice slice: Int, from state: ScanState) -> [PackedHit] {
        if let last = repeated.withLock({ $0 }), last.slice == slice { return last.hits }
        var state = state
        let hits = scan(slice, extent: extent(), state: &state)?.hits ?? []
        repeated.withLock { $0 = (slice, hits) }
        return hits
    }
}

/// The progress of a search and the number of its hits.
package struct SearchProgress: Equatable, Sendable {
    /// The number of hits so far.
    package let hitCount: Int
    /// The number of bytes searched.
    package let searchedBytes: Int
    /// The number of bytes available so far.
    package let totalBytes: Int
    /// Whether everything was searched and no more bytes will arrive.
    package let isFinished: Bool
    /// Why part of the text was skipped, because a regular expression took too long there; else nil.
    package let error: RegularExpressionError?
}

/// A range of the text that a pattern matches.
package struct SearchHit: Equatable, Sendable {
    /// The range of the hit in the text, including any escapes.
    package let range: Range<Int>
    /// The hit's number in the order of the text, from 1.
    package let number: Int
    /// Whether the search wrapped around an end of the text to get here.
    package let isWrapped: Bool
}

/// The results of a search: all hits up to a bound, and for every slice the state from which it can be
/// searched again.
struct SearchState: Sendable {
    /// The state before a slice.
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
    /// Whether a thread is searching the next slice.
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

    /// The last slice whose hits can begin at or before an offset.
    func slice(at offset: Int) -> Int {
        let after = (1..<checkpoints.count).partitionPoint { checkpoints[$0].state.at <= offset }
        return min(after - 1, max(0, sliceCount - 1))
    }
}

extension SearchPattern {
    /// Whether the pattern occurs in a text, which is not read as JSON.
    package func isFound(in text: [UInt8]) -> Bool {
        let search = DocumentSearch(self, in: DocumentBytes(text))
        while search.firstHit(from: 0) == nil {
            guard search.searchSlice() else { return search.firstHit(from: 0) != nil }
        }
        return true
    }
}
