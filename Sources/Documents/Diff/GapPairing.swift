/// Pairs what was taken from an array with what was put at the same place.
///
/// Objects of one identity first, then by likeness: the best pairing when there are few, else in
/// order. Pairs never cross.
struct GapPairing {
    /// The most comparisons of elements for which the best pairing is looked for.
    private static let mostCells = 256

    private let left: [ElementSignature]
    private let right: [ElementSignature]
    /// Places in both rows that belong together, in order.
    private(set) var pairs: [EditScript.Match] = []

    init(_ left: [ElementSignature], _ right: [ElementSignature]) {
        self.left = left
        self.right = right
        var startA = 0
        var startB = 0
        for anchor in identityPairs() + [(left.count, right.count)] {
            pair(startA..<anchor.a, startB..<anchor.b)
            if anchor.a < left.count { pairs.append(anchor) }
            startA = anchor.a + 1
            startB = anchor.b + 1
        }
    }

    private func identityPairs() -> [EditScript.Match] {
        guard left.count > 1 || right.count > 1 else { return [] }
        var places: [UInt64: Int] = [:]
        for (place, signature) in right.enumerated() {
            guard let identity = signature.identity else { continue }
            // Of an identity that is there twice nothing is known.
            places[identity] = places[identity] == nil ? place : -1
        }
        guard !places.isEmpty else { return [] }
        var found: [EditScript.Match] = []
        for (place, signature) in left.enumerated() {
            guard let identity = signature.identity, let other = places[identity], other >= 0
            else { continue }
            places[identity] = -1
            found.append((place, other))
        }
        return IncreasingSubsequence.places(in: found.map { Int32($0.b) }).map { found[$0] }
    }

    private mutating func pair(_ inA: Range<Int>, _ inB: Range<Int>) {
        guard !inA.isEmpty && !inB.isEmpty else { return }
        if inA.count * inB.count <= Self.mostCells {
            pairBest(inA, inB)
        } else {
            pairInOrder(inA, inB)
        }
    }

    private mutating func pairBest(_ inA: Range<Int>, _ inB: Range<Int>) {
        let width = inB.count + 1
        var best = [Int](repeating: 0, count: (inA.count + 1) * width)
        var likeness = best
        for i in inA.indices.reversed() {
            for j in inB.indices.reversed() {
                let at = (i - inA.lowerBound) * width + j - inB.lowerBound
                likeness[at] = left[i].likeness(to: right[j])
                let paired = likeness[at] > 0 ? likeness[at] + best[at + width + 1] : 0
                best[at] = max(paired, best[at + 1], best[at + width])
            }
        }
        var i = inA.lowerBound
        var j = inB.lowerBound
        while i < inA.upperBound && j < inB.upperBound {
            let at = (i - inA.lowerBound) * width + j - inB.lowerBound
            if likeness[at] > 0 && best[at] == likeness[at] + best[at + width + 1] {
                pairs.append((i, j))
                i += 1
                j += 1
            } else if best[at] == best[at + width] {
                i += 1
            } else {
                j += 1
            }
        }
    }

    private mutating func pairInOrder(_ inA: Range<Int>, _ inB: Range<Int>) {
        var i = inA.lowerBound
        var j = inB.lowerBound
        while i < inA.upperBound && j < inB.upperBound {
            let isAlike = left[i].likeness(to: right[j]) > 0
            if isAlike { pairs.append((i, j)) }
            // Of what does not go together, the longer side gives way.
            let leftRest = inA.upperBound - i
            let rightRest = inB.upperBound - j
            if isAlike || leftRest >= rightRest { i += 1 }
            if isAlike || rightRest >= leftRest { j += 1 }
        }
    }
}

/// Where each kind of element is in two stretches of rows.
struct OccurrenceCounts {
    private let a: Range<Int>
    /// The kinds in the first stretch, numbered from 0.
    private var kindsOfA: [Int32] = []
    private var countsInA: [Int32] = []
    private var countsInB: [Int32] = []
    /// The places in the second row by kind, each kind's in order; `starts` says where a kind begins.
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

    /// Whether no kind is twice in one stretch.
    var isUnique: Bool { countsInA.allSatisfy { $0 <= 1 } && countsInB.allSatisfy { $0 <= 1 } }

    /// What is once in both stretches.
    var uniquePairs: [EditScript.Match] {
        zip(a, kindsOfA).compactMap { place, kind in
            guard countsInA[Int(kind)] == 1, countsInB[Int(kind)] == 1 else { return nil }
            return (place, Int(placesInB[Int(starts[Int(kind)])]))
        }
    }

    /// The k-th of each kind with the other stretch's k-th, in the order of the first one.
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
