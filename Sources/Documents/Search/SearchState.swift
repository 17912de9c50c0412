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
