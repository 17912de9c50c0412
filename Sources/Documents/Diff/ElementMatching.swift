/// Matches the elements of two arrays and puts them into their aligned order.
///
/// Equal elements in the same order stay. Of the rest, equal elements count as moved, unless they are at the
/// same index on both sides: those stay, and others move around them. The remaining elements between two that
/// stay are paired by similarity.
struct ElementMatching {
    /// The hash of every ignored element, so that they are paired with each other.
    private static let ignoredHash: UInt64 = 0x1647

    private(set) var steps: [DiffStep] = []
    /// The steps spent on comparing, for tests.
    private(set) var work = 0

    private let lefts: Elements
    private let rights: Elements
    private var comparison: ValueComparison
    /// The index of each moved element in the other array; -1 for others.
    private var movedTo: [Int32] = []
    private var movedFrom: [Int32] = []

    private struct Elements {
        let side: ComparedDocument
        var nodes: [UInt32] = []
        var hashes: [UInt64] = []

        init(_ side: ComparedDocument, of array: Int) {
            self.side = side
            side.forEachChild(of: array) { child in
                nodes.append(UInt32(child))
                hashes.append(side.isIgnored(child) ? ignoredHash : side.hashes[child])
            }
        }

        func isIgnored(_ place: Int) -> Bool { side.isIgnored(Int(nodes[place])) }
    }

    init(_ comparison: ValueComparison, _ l: Int, _ r: Int) {
        self.comparison = comparison
        lefts = Elements(comparison.left, of: l)
        rights = Elements(comparison.right, of: r)
        let matches = alignWithMoves()
        var startA = 0
        var startB = 0
        for match in matches {
            appendGap(startA..<match.a, startB..<match.b)
            appendPair(match.a, match.b)
            startA = match.a + 1
            startB = match.b + 1
        }
        appendGap(startA..<lefts.nodes.count, startB..<rights.nodes.count)
    }

    // MARK: - Moves

    /// Finds the elements that stay and those that move, so that none moves to where it is.
    private mutating func alignWithMoves() -> [EditScript.Match] {
        var matches = align(around: [])
        findMoves(matches)
        let inPlace = movesInPlace
        guard !inPlace.isEmpty else { return matches }
        matches = align(around: inPlace)
        findMoves(matches)
        guard !movesInPlace.isEmpty else { return matches }
        // Few arrays get here: with all such elements as anchors, no other can be left.
        let shorter = min(lefts.hashes.count, rights.hashes.count)
        matches = align(around: (0..<shorter).filter { isSame(at: $0) })
        findMoves(matches)
        return matches
    }

    /// The indexes of moved elements that are at the same index on both sides.
    private var movesInPlace: [Int] { movedTo.indices.filter { movedTo[$0] == Int32($0) } }

    private func isSame(at index: Int) -> Bool {
        lefts.hashes[index] == rights.hashes[index]
    }

    /// Aligns the parts between elements that stay at their index.
    private mutating func align(around anchors: [Int]) -> [EditScript.Match] {
        var matches: [EditScript.Match] = []
        var start = 0
        func part(_ inA: Range<Int>, _ inB: Range<Int>) -> [EditScript.Match] {
            let alignment = SequenceAlignment(
                Array(lefts.hashes[inA]),
                Array(rights.hashes[inB])
            )
            work += alignment.work
            return alignment.matches.map { ($0.a + inA.lowerBound, $0.b + inB.lowerBound) }
        }
        for anchor in anchors {
            matches += part(start..<anchor, start..<anchor)
            matches.append((anchor, anchor))
            start = anchor + 1
        }
        return matches + part(start..<lefts.hashes.count, start..<rights.hashes.count)
    }

    private mutating func findMoves(_ matches: [EditScript.Match]) {
        movedTo = Array(repeating: -1, count: lefts.nodes.count)
        movedFrom = Array(repeating: -1, count: rights.nodes.count)
        let isLeftWhole = matches.count == lefts.nodes.count
        let isRightWhole = matches.count == rights.nodes.count
        guard !isLeftWhole && !isRightWhole else { return }
        let freeLefts = Self.unmatched(lefts, matches.map(\.a))
        let freeRights = Self.unmatched(rights, matches.map(\.b))
        // The first free index on the right for each hash; `next` links to the others.
        var first: [UInt64: Int32] = [:]
        var next = [Int32](repeating: -1, count: freeRights.count)
        for index in freeRights.indices.reversed() {
            let hash = rights.hashes[freeRights[index]]
            next[index] = first[hash] ?? -1
            first[hash] = Int32(index)
        }
        for place in freeLefts {
            guard let index = first[lefts.hashes[place]], index >= 0 else { continue }
            let other = freeRights[Int(index)]
            guard comparison.areEqual(Int(lefts.nodes[place]), Int(rights.nodes[other]))
            else { continue }
            first[lefts.hashes[place]] = next[Int(index)]
            movedTo[place] = Int32(other)
            movedFrom[other] = Int32(place)
        }
    }

    /// The indexes of elements that are neither matched nor ignored.
    private static func unmatched(_ elements: Elements, _ matched: [Int]) -> [Int] {
        var free: [Int] = []
        var start = 0
        for match in matched + [elements.nodes.count] {
            for place in start..<match where !elements.isIgnored(place) { free.append(place) }
            start = match + 1
        }
        return free
    }

    // MARK: - Gaps

    private mutating func appendGap(_ inA: Range<Int>, _ inB: Range<Int>) {
        guard !inA.isEmpty || !inB.isEmpty else { return }
        let freeA = inA.filter { movedTo[$0] < 0 && !lefts.isIgnored($0) }
        let freeB = inB.filter { movedFrom[$0] < 0 && !rights.isIgnored($0) }
        var nextA = inA.lowerBound
        var nextB = inB.lowerBound
        if !freeA.isEmpty && !freeB.isEmpty {
            let pairing = GapPairing(
                freeA.map { ElementSignature(Int(lefts.nodes[$0]), of: comparison.left) },
                freeB.map { ElementSignature(Int(rights.nodes[$0]), of: comparison.right) }
            )
            for pair in pairing.pairs {
                appendSingles(nextA..<freeA[pair.a], nextB..<freeB[pair.b])
                appendPair(freeA[pair.a], freeB[pair.b])
                nextA = freeA[pair.a] + 1
                nextB = freeB[pair.b] + 1
            }
        }
        appendSingles(nextA..<inA.upperBound, nextB..<inB.upperBound)
    }

    private mutating func appendPair(_ a: Int, _ b: Int) {
        steps.append(DiffStep(.pair, left: Int(lefts.nodes[a]), right: Int(rights.nodes[b])))
    }

    private mutating func appendSingles(_ inA: Range<Int>, _ inB: Range<Int>) {
        for place in inA {
            let node = Int(lefts.nodes[place])
            if movedTo[place] >= 0 {
                let other = Int(rights.nodes[Int(movedTo[place])])
                steps.append(DiffStep(.movedFrom, left: node, right: other))
            } else {
                steps.append(DiffStep(lefts.isIgnored(place) ? .ignored : .single, left: node))
            }
        }
        for place in inB {
            let node = Int(rights.nodes[place])
            if movedFrom[place] >= 0 {
                let other = Int(lefts.nodes[Int(movedFrom[place])])
                steps.append(DiffStep(.movedTo, left: other, right: node))
            } else {
                steps.append(DiffStep(rights.isIgnored(place) ? .ignored : .single, right: node))
            }
        }
    }
}

/// The properties by which two array elements are recognized as versions of the same thing.
struct ElementSignature {
    /// Names of members that identify an object, the best first.
    private static let identities = ["id", "_id", "uuid", "guid", "key", "name"]
    /// The most members that are examined.
    private static let members = 32

    private enum Shape {
        case scalar
        case array
        case object
    }

    private let kind: ValueKind
    private let shape: Shape
    /// The hash of the identifying member; nil if there is none.
    private(set) var identity: UInt64?
    private var keys: [UInt64] = []
    private var pairs: [UInt64] = []

    init(_ node: Int, of side: ComparedDocument) {
        kind = side.kind(node)
        shape = kind == .object ? .object : kind == .array ? .array : .scalar
        if shape == .object { readMembers(node, side) }
    }

    private mutating func readMembers(_ node: Int, _ side: ComparedDocument) {
        var bestRank = Int.max
        var child = node + 1
        let end = node + side.size(node)
        while child < end && keys.count < Self.members {
            let key = side.keyHash(child)
            let pair = ContentHash.mix(key, side.hashes[child])
            let name = NodeIndex(child)
            if !side.isIgnored(child), !side.kind(child).isContainer,
                let rank = Self.identities.firstIndex(where: { side.document.isNamed(name, $0) }),
                rank < bestRank
            {
                bestRank = rank
                identity = pair
            }
            keys.append(key)
            pairs.append(pair)
            child += side.size(child)
        }
        keys.sort()
        pairs.sort()
    }

    /// How similar two elements are; 0 if they are different things.
    func likeness(to other: ElementSignature) -> Int {
        guard shape == other.shape else { return 0 }
        switch shape {
        case .scalar: return isSameKind(as: other) ? 3 : 2
        case .array: return 3
        case .object: return likenessOfMembers(to: other)
        }
    }

    private func isSameKind(as other: ElementSignature) -> Bool {
        func group(_ kind: ValueKind) -> ValueKind {
            kind == .decimal ? .integer : kind == .true ? .false : kind
        }
        return group(kind) == group(other.kind)
    }

    private func likenessOfMembers(to other: ElementSignature) -> Int {
        let most = max(keys.count, other.keys.count)
        let sharedPairs = Self.shared(pairs, other.pairs)
        if let identity, let theirs = other.identity {
            if identity == theirs { return 100 + sharedPairs }
            // A different identity but mostly equal members: the identity itself was changed.
            return sharedPairs * 2 >= most ? 2 + sharedPairs : 0
        }
        let sharedKeys = Self.shared(keys, other.keys)
        return sharedKeys * 2 >= most ? 2 + sharedPairs : 0
    }

    /// How many numbers two sorted arrays have in common.
    private static func shared(_ first: [UInt64], _ second: [UInt64]) -> Int {
        var i = 0
        var j = 0
        var count = 0
        while i < first.count && j < second.count {
            if first[i] == second[j] { count += 1 }
            let isFirst = first[i] <= second[j]
            if second[j] <= first[i] { j += 1 }
            if isFirst { i += 1 }
        }
        return count
    }
}
