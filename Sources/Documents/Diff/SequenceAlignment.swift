/// Finds, by their hashes, the elements of two arrays that stay in place.
///
///     common start and end
///     └ elements that the other side lacks are left out: most edits end here
///       └ no duplicates: a longest increasing subsequence is exact
///         └ else Myers' algorithm, while it is cheap
///           └ else elements that occur once are anchors, and the parts between them are aligned
///             └ else the k-th of a kind is matched with the k-th on the other side
///
/// The work is bounded by about `n log n` with a fixed factor, whatever the arrays contain.
struct SequenceAlignment {
    /// The elements that stay, in order on both sides.
    private(set) var matches: [EditScript.Match] = []
    /// The steps spent on comparing, for tests.
    private(set) var work = 0

    /// The kinds of the elements that both sides have, and their indexes.
    private var a: [Int32] = []
    private var b: [Int32] = []
    private var placesInA: [Int32] = []
    private var placesInB: [Int32] = []
    private var kindCount = 0

    init(_ left: [UInt64], _ right: [UInt64]) {
        let shorter = min(left.count, right.count)
        var start = 0
        while start < shorter && left[start] == right[start] { start += 1 }
        var tail = 0
        while tail < shorter - start
            && left[left.count - 1 - tail] == right[right.count - 1 - tail]
        {
            tail += 1
        }
        work = start + tail
        matches = (0..<start).map { ($0, $0) }
        alignMiddle(left, right, start: start, tail: tail)
        for index in (0..<tail).reversed() {
            matches.append((left.count - 1 - index, right.count - 1 - index))
        }
    }

    private mutating func alignMiddle(
        _ left: [UInt64],
        _ right: [UInt64],
        start: Int,
        tail: Int
    ) {
        let leftMiddle = start..<left.count - tail
        let rightMiddle = start..<right.count - tail
        guard !leftMiddle.isEmpty && !rightMiddle.isEmpty else { return }
        reduce(left, leftMiddle, right, rightMiddle)
        guard !a.isEmpty else { return }
        let budget = 1 << 20 + 32 * (a.count + b.count)
        for match in align(0..<a.count, 0..<b.count, budget: budget, mayAnchor: true) {
            matches.append((Int(placesInA[match.a]), Int(placesInB[match.b])))
        }
    }

    /// Numbers the kinds of elements and keeps only those on both sides.
    private mutating func reduce(
        _ left: [UInt64],
        _ leftMiddle: Range<Int>,
        _ right: [UInt64],
        _ rightMiddle: Range<Int>
    ) {
        var kinds: [UInt64: Int32] = [:]
        kinds.reserveCapacity(min(leftMiddle.count, rightMiddle.count))
        for place in rightMiddle { kinds[right[place], default: -1] = -1 }
        for place in leftMiddle {
            guard let index = kinds.index(forKey: left[place]) else { continue }
            if kinds.values[index] < 0 {
                kinds.values[index] = Int32(kindCount)
                kindCount += 1
            }
            a.append(kinds.values[index])
            placesInA.append(Int32(place))
        }
        for place in rightMiddle {
            guard let kind = kinds[right[place]], kind >= 0 else { continue }
            b.append(kind)
            placesInB.append(Int32(place))
        }
        work += leftMiddle.count + rightMiddle.count
    }

    /// The matches between two ranges of the reduced arrays.
    private mutating func align(
        _ inA: Range<Int>,
        _ inB: Range<Int>,
        budget: Int,
        mayAnchor: Bool
    ) -> [EditScript.Match] {
        let counts = OccurrenceCounts(a[inA], b[inB])
        work += inA.count + inB.count
        if counts.isUnique { return ordered(counts.kthPairs) }
        let script = EditScript.matches(a[inA], b[inB], budget: budget, work: &work)
        if let script {
            return script.map { (inA.lowerBound + $0.a, inB.lowerBound + $0.b) }
        }
        if mayAnchor {
            let anchors = ordered(counts.uniquePairs)
            if !anchors.isEmpty { return alignBetween(anchors, inA, inB) }
        }
        return ordered(counts.kthPairs)
    }

    private mutating func alignBetween(
        _ anchors: [EditScript.Match],
        _ inA: Range<Int>,
        _ inB: Range<Int>
    ) -> [EditScript.Match] {
        var matches: [EditScript.Match] = []
        var startA = inA.lowerBound
        var startB = inB.lowerBound
        for anchor in anchors + [(inA.upperBound, inB.upperBound)] {
            let gapA = startA..<anchor.a
            let gapB = startB..<anchor.b
            if !gapA.isEmpty && !gapB.isEmpty {
                let budget = 1 << 14 + 16 * (gapA.count + gapB.count)
                matches += align(gapA, gapB, budget: budget, mayAnchor: false)
            }
            if anchor.a < inA.upperBound { matches.append(anchor) }
            startA = anchor.a + 1
            startB = anchor.b + 1
        }
        return matches
    }

    /// The largest subset of pairs that are in the same order on both sides, in the order of `a`.
    private mutating func ordered(_ pairs: [EditScript.Match]) -> [EditScript.Match] {
        work += pairs.count
        return IncreasingSubsequence.places(in: pairs.map { Int32($0.b) }).map { pairs[$0] }
    }
}

/// The common elements of two number sequences, by the greedy O(ND) algorithm of Myers (1986).
struct EditScript {
    /// The most insertions and deletions that are tried; the trace is kept for each.
    static let largestDistance = 2048

    /// Indexes in both sequences that belong together.
    typealias Match = (a: Int, b: Int)

    private let a: ArraySlice<Int32>
    private let b: ArraySlice<Int32>
    /// The furthest index in `a` on every diagonal, one row for each distance.
    private var trace: [[Int32]] = []

    private init(_ a: ArraySlice<Int32>, _ b: ArraySlice<Int32>) {
        self.a = a
        self.b = b
    }

    /// The matches of a shortest edit script; nil if it would take more than `budget` steps.
    ///
    /// Adds the number of steps to `work`.
    static func matches(
        _ a: ArraySlice<Int32>,
        _ b: ArraySlice<Int32>,
        budget: Int,
        work: inout Int
    ) -> [Match]? {
        if a.isEmpty || b.isEmpty { return [] }
        var script = EditScript(a, b)
        guard script.search(budget: budget, work: &work) else { return nil }
        return script.walkBack()
    }

    private mutating func search(budget: Int, work: inout Int) -> Bool {
        let limit = min(Self.largestDistance, a.count + b.count)
        let lastWork = work + budget
        var furthest = [Int32](repeating: 0, count: 2 * limit + 3)
        let middle = limit + 1
        for distance in 0...limit {
            for diagonal in stride(from: -distance, through: distance, by: 2) {
                let isDown =
                    diagonal == -distance
                    || diagonal != distance
                        && furthest[middle + diagonal - 1] < furthest[middle + diagonal + 1]
                var x = Int(
                    isDown
                        ? furthest[middle + diagonal + 1] : furthest[middle + diagonal - 1] + 1
                )
                let start = x
                x = slide(x, x - diagonal)
                work += x - start + 1
                furthest[middle + diagonal] = Int32(x)
                if x >= a.count && x - diagonal >= b.count {
                    trace.append(Array(furthest[middle - distance...middle + distance]))
                    return true
                }
            }
            guard work < lastWork else { return false }
            trace.append(Array(furthest[middle - distance...middle + distance]))
        }
        return false
    }

    /// Follows equal elements; returns the index in `a` after them.
    @inline(__always) private func slide(_ x: Int, _ y: Int) -> Int {
        var x = x
        var y = y
        while x < a.count, y < b.count, a[a.startIndex + x] == b[b.startIndex + y] {
            x += 1
            y += 1
        }
        return x
    }

    private func walkBack() -> [Match] {
        var matches: [Match] = []
        var x = a.count
        var y = b.count
        for distance in stride(from: trace.count - 1, to: 0, by: -1) {
            let row = trace[distance - 1]
            func reach(_ diagonal: Int) -> Int {
                abs(diagonal) < distance ? Int(row[diagonal + distance - 1]) : -1
            }
            let diagonal = x - y
            let isDown =
                diagonal == -distance
                || diagonal != distance && reach(diagonal - 1) < reach(diagonal + 1)
            let before = isDown ? diagonal + 1 : diagonal - 1
            let fromX = reach(before)
            let start = isDown ? fromX : fromX + 1
            while x > start {
                x -= 1
                y -= 1
                matches.append((x, y))
            }
            x = fromX
            y = fromX - before
        }
        while x > 0 && y > 0 {
            x -= 1
            y -= 1
            matches.append((x, y))
        }
        return matches.reversed()
    }
}

/// A longest increasing subsequence, in O(n log n).
enum IncreasingSubsequence {
    /// The indexes of a longest strictly increasing subsequence of distinct numbers.
    static func places(in numbers: [Int32]) -> [Int] {
        var tails: [Int32] = []
        var previous = [Int32](repeating: -1, count: numbers.count)
        for (place, number) in numbers.enumerated() {
            let at = tails.indices.partitionPoint { numbers[Int(tails[$0])] < number }
            if at > 0 { previous[place] = tails[at - 1] }
            if at == tails.count { tails.append(Int32(place)) } else { tails[at] = Int32(place) }
        }
        var places: [Int] = []
        var place = tails.last ?? -1
        while place >= 0 {
            places.append(Int(place))
            place = previous[Int(place)]
        }
        return places.reversed()
    }
}

/// The occurrences of each kind of element in two slices.
struct OccurrenceCounts {
    private let a: Range<Int>
    /// The kinds in the first slice, numbered from 0.
    private var kindsOfA: [Int32] = []
    private var countsInA: [Int32] = []
    private var countsInB: [Int32] = []
    /// The indexes in the second slice, grouped by kind and in order; `starts` has where each kind begins.
    private var placesInB: [Int32] = []
    private var starts: [Int32] = [0]

    init(_ a: ArraySlice<Int32>, _ b: ArraySlice<Int32>) {
        self.a = a.indices
        var numbers: [Int32: Int32] = [:]
        func number(_ kind: Int32) -> Int32 {
            if let known = numbers[kind] { return known }
            numbers[kind] = Int32(numbers.count)
            return Int32(numbers.count - 1)
        }
        kindsOfA = a.map(number)
        let kindsOfB = b.map(number)
        countsInA = Array(repeating: 0, count: numbers.count)
        countsInB = countsInA
        for kind in kindsOfA { countsInA[Int(kind)] += 1 }
        for kind in kindsOfB { countsInB[Int(kind)] += 1 }
        for count in countsInB { starts.append((starts.last ?? 0) + count) }
        placesInB = Array(repeating: 0, count: b.count)
        var next = starts
        for (index, kind) in kindsOfB.enumerated() {
            placesInB[Int(next[Int(kind)])] = Int32(b.startIndex + index)
            next[Int(kind)] += 1
        }
    }

    /// Whether no kind occurs twice in one slice.
    var isUnique: Bool { countsInA.allSatisfy { $0 <= 1 } && countsInB.allSatisfy { $0 <= 1 } }

    /// The elements that occur exactly once in each slice.
    var uniquePairs: [EditScript.Match] {
        zip(a, kindsOfA).compactMap { place, kind in
            guard countsInA[Int(kind)] == 1, countsInB[Int(kind)] == 1 else { return nil }
            return (place, Int(placesInB[Int(starts[Int(kind)])]))
        }
    }

    /// The k-th of each kind paired with the k-th in the other slice, in the order of the first slice.
    var kthPairs: [EditScript.Match] {
        var next = starts
        return zip(a, kindsOfA).compactMap { place, kind in
            let at = next[Int(kind)]
            guard at < starts[Int(kind) + 1] else { return nil }
            next[Int(kind)] += 1
            return (place, Int(placesInB[Int(at)]))
        }
    }
}
