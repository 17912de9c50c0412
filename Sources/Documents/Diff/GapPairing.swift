/// Pairs removed elements of an array with those that were added at the same index.
///
/// Objects with the same identity are paired first, then elements by similarity: optimally if there are
/// few, else in order. Pairs never cross.
struct GapPairing {
    /// The most comparisons for which the optimal pairing is computed.
    private static let mostCells = 256

    private let left: [ElementSignature]
    private let right: [ElementSignature]
    /// The indexes of paired elements, in order.
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
            // An identity that occurs twice identifies nothing.
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
            // If two elements do not match, skip one on the longer side.
            let leftRest = inA.upperBound - i
            let rightRest = inB.upperBound - j
            if isAlike || leftRest >= rightRest { i += 1 }
            if isAlike || rightRest >= leftRest { j += 1 }
        }
    }
}
