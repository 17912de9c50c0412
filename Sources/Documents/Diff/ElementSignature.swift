/// By what two elements of arrays are taken for the same thing in two versions.
struct ElementSignature {
    /// Members that say which one an object is, the best first.
    private static let identities = ["id", "_id", "uuid", "guid", "key", "name"]
    /// More members than this are not looked at.
    private static let members = 32

    private enum Shape {
        case scalar
        case array
        case object
    }

    private let kind: ValueKind
    private let shape: Shape
    /// The hash of the member that says which one it is.
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

    /// How much speaks for it; 0 when they are different things.
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
            // Another name, but mostly the same: its name was changed.
            return sharedPairs * 2 >= most ? 2 + sharedPairs : 0
        }
        let sharedKeys = Self.shared(keys, other.keys)
        return sharedKeys * 2 >= most ? 2 + sharedPairs : 0
    }

    /// How many numbers two sorted rows have in common.
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
