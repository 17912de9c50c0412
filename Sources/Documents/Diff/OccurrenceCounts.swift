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
