/// The hits by place.
extension DocumentSearch {
    /// The first hit that begins behind a byte, or the very first; nil when there is none so far.
    package func next(after offset: Int) -> SearchHit? {
        if let hit = firstHit(from: offset == .max ? .max : offset + 1) { return hit }
        return firstHit(from: 0).map {
            SearchHit(range: $0.range, number: $0.number, isWrapped: true)
        }
    }

    /// The last hit that begins before a byte, or the very last; nil when there is none so far.
    package func previous(before offset: Int) -> SearchHit? {
        if let hit = lastHit(before: offset) { return hit }
        return lastHit(before: .max).map {
            SearchHit(range: $0.range, number: $0.number, isWrapped: true)
        }
    }

    /// The hits that have bytes in a range, in order; O(log n + k).
    package func hits(in range: Range<Int>) -> [Range<Int>] {
        guard !range.isEmpty else { return [] }
        var hits: [Range<Int>] = []
        // Hits don't overlap: only one can reach into the range.
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

    /// The first hit that begins at a byte or behind it.
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

    /// Calls `body` with the kept hits and those of every later slice, until it returns false.
    ///
    /// Only slices whose hits can begin at `offset` or behind it are asked for.
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

    /// The hits of a slice that were not kept, or of the nearest one that has some.
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
