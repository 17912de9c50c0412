import Glibc

/// The members of two objects, matched by key: the k-th of a name with the k-th of the same name.
struct MemberMatching {
    /// Two members with the same key, or one that the other object lacks.
    struct Pair {
        let left: Int?
        let right: Int?
    }

    private struct Member {
        let node: Int
        let hash: UInt64
    }

    /// In the order of the left object; a member only on the right follows its predecessor there.
    private(set) var pairs: [Pair] = []

    private let comparison: ValueComparison

    init(_ comparison: ValueComparison, _ l: Int, _ r: Int) {
        self.comparison = comparison
        var lefts = Children(comparison.left, of: l)
        var rights = Children(comparison.right, of: r)
        // Usually both objects have the same keys in the same order.
        while let left = lefts.first, let right = rights.first,
            comparison.areKeysEqual(left, right)
        {
            pairs.append(Pair(left: left, right: right))
            lefts.removeFirst()
            rights.removeFirst()
        }
        if lefts.first != nil || rights.first != nil { matchRest(lefts, rights) }
    }

    private mutating func matchRest(_ lefts: Children, _ rights: Children) {
        let lefts = members(lefts, comparison.left)
        let rights = members(rights, comparison.right)
        var partners = [Int32](repeating: -1, count: lefts.count)
        var owners = [Int32](repeating: -1, count: rights.count)
        let leftOrder = sorted(lefts, comparison.left)
        let rightOrder = sorted(rights, comparison.right)
        var i = 0
        var j = 0
        while i < leftOrder.count && j < rightOrder.count {
            let left = lefts[Int(leftOrder[i])]
            let right = rights[Int(rightOrder[j])]
            let order = compare(left, comparison.left, right, comparison.right)
            if order == 0 {
                partners[Int(leftOrder[i])] = rightOrder[j]
                owners[Int(rightOrder[j])] = leftOrder[i]
            }
            if order <= 0 { i += 1 }
            if order >= 0 { j += 1 }
        }
        merge(lefts, rights, partners, owners)
    }

    private mutating func merge(
        _ lefts: [Member],
        _ rights: [Member],
        _ partners: [Int32],
        _ owners: [Int32]
    ) {
        // Put each right-only member after the left partner of its predecessor; stable.
        var anchored: [(anchor: Int32, right: Int)] = []
        var anchor: Int32 = -1
        for (index, owner) in owners.enumerated() {
            if owner >= 0 { anchor = owner } else { anchored.append((anchor, index)) }
        }
        anchored.sort { ($0.anchor, $0.right) < ($1.anchor, $1.right) }
        var next = anchored.startIndex
        func takeRights(upTo anchor: Int, _ pairs: inout [Pair]) {
            while next < anchored.count, anchored[next].anchor <= anchor {
                pairs.append(Pair(left: nil, right: rights[anchored[next].right].node))
                next += 1
            }
        }
        takeRights(upTo: -1, &pairs)
        for (index, left) in lefts.enumerated() {
            let partner = partners[index]
            pairs.append(
                Pair(left: left.node, right: partner < 0 ? nil : rights[Int(partner)].node)
            )
            takeRights(upTo: index, &pairs)
        }
    }

    private func members(_ children: Children, _ side: ComparedDocument) -> [Member] {
        var children = children
        var members: [Member] = []
        while let node = children.first {
            members.append(Member(node: node, hash: side.keyHash(node)))
            children.removeFirst()
        }
        return members
    }

    /// The members ordered by hash, then by key, then by their index in the object.
    private func sorted(_ members: [Member], _ side: ComparedDocument) -> [Int32] {
        (0..<Int32(members.count)).sorted {
            let first = members[Int($0)]
            let second = members[Int($1)]
            if first.hash != second.hash { return first.hash < second.hash }
            let order = compare(first, side, second, side)
            return order == 0 ? $0 < $1 : order < 0
        }
    }

    private func compare(
        _ first: Member,
        _ firstSide: ComparedDocument,
        _ second: Member,
        _ secondSide: ComparedDocument
    ) -> Int {
        if first.hash != second.hash { return first.hash < second.hash ? -1 : 1 }
        let (firstBase, secondBase) = (
            firstSide.document.bytes.base, secondSide.document.bytes.base
        )
        let (firstKey, secondKey) = (
            firstSide.keyRange(first.node), secondSide.keyRange(second.node)
        )
        // With a million equal keys, nearly every comparison ends here, without a copy.
        let isSame =
            firstKey.count == secondKey.count
            && memcmp(
                firstBase + firstKey.lowerBound,
                secondBase + secondKey.lowerBound,
                firstKey.count
            ) == 0
        if isSame { return 0 }
        let a = EscapedText.bytes(firstBase, firstKey)
        let b = EscapedText.bytes(secondBase, secondKey)
        return a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }
}

/// The children of a container that have not been visited yet.
private struct Children {
    private let side: ComparedDocument
    private var node: Int
    private let end: Int

    init(_ side: ComparedDocument, of container: Int) {
        self.side = side
        node = container + 1
        end = container + side.size(container)
    }

    var first: Int? { node < end ? node : nil }

    mutating func removeFirst() { node += side.size(node) }
}
