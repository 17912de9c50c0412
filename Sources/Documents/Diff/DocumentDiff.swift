// Hashes propose, bytes decide: what two subtrees' hashes call equal is compared before it is
// skipped.

/// What differs between two documents, by structure.
///
/// Members are matched by key, the k-th of a name with the other's k-th; their order does not
/// count, nor do white space and escapes. Elements that stay in order are found first, then those
/// that were moved within their array; of the rest, what is alike and stands at the same place was
/// changed. Where two values are called equal, they were compared: no difference is lost to a hash.
///
/// A side that is still being parsed, or that ends in a fault, is compared as far as it is there.
/// A value: what it found does not change when a document grows.
public struct DocumentDiff: Sendable {
    /// The old document.
    public let left: Document
    /// The new document.
    public let right: Document
    /// Every difference, in the order of the aligned rows: that of the left document, with what
    /// was added where it stands in the right one.
    public let differences: [Difference]
    /// How many there are of each kind.
    public let counts: DiffCounts
    /// Whether a side was broken, cut or still being parsed, so that only a part was compared.
    public let isPartial: Bool

    let alignment: Alignment
    let ignoresSomething: Bool
    /// Steps of aligning arrays, for tests.
    let work: Int
    private let leftMarks: [UInt8]
    private let rightMarks: [UInt8]

    /// Compares two documents on the calling thread; O(n) but for arrays that were sorted anew.
    public init(
        between left: Document,
        and right: Document,
        options: DiffOptions = DiffOptions()
    ) {
        var sides = Self.sides(left, right, options)
        var hashing = SubtreeHashing(sides.left)
        sides.left.hashes = hashing.run { false } ?? []
        hashing = SubtreeHashing(sides.right)
        sides.right.hashes = hashing.run { false } ?? []
        var builder = DiffBuilder(sides.left, sides.right)
        _ = builder.run { false }
        self.init(builder, sides.left, sides.right)
    }

    /// Compares two documents off the calling actor, the sides hashed next to each other.
    @concurrent public static func compare(
        _ left: Document,
        with right: Document,
        options: DiffOptions = DiffOptions()
    ) async throws(CancellationError) -> DocumentDiff {
        var sides = Self.sides(left, right, options)
        let (leftSide, rightSide) = sides
        async let leftHashes = Self.hashes(of: leftSide)
        async let rightHashes = Self.hashes(of: rightSide)
        guard let first = await leftHashes, let second = await rightHashes else {
            throw CancellationError()
        }
        sides.left.hashes = first
        sides.right.hashes = second
        var builder = DiffBuilder(sides.left, sides.right)
        guard builder.run({ Task.isCancelled }) else { throw CancellationError() }
        return DocumentDiff(builder, sides.left, sides.right)
    }

    @concurrent private static func hashes(of side: ComparedDocument) async -> [UInt64]? {
        var hashing = SubtreeHashing(side)
        return hashing.run { Task.isCancelled }
    }

    private static func sides(
        _ left: Document,
        _ right: Document,
        _ options: DiffOptions
    ) -> (left: ComparedDocument, right: ComparedDocument) {
        (
            ComparedDocument(left, ignored: options.ignoredLeft, numbers: options.numbers),
            ComparedDocument(right, ignored: options.ignoredRight, numbers: options.numbers)
        )
    }

    private init(_ builder: DiffBuilder, _ left: ComparedDocument, _ right: ComparedDocument) {
        self.left = left.document
        self.right = right.document
        differences = builder.differences
        counts = builder.counts
        alignment = builder.alignment
        leftMarks = builder.leftMarks
        rightMarks = builder.rightMarks
        work = builder.work
        ignoresSomething = !left.ignored.isEmpty || !right.ignored.isEmpty
        isPartial = [left, right].contains {
            !$0.document.isFinished || $0.document.fault != nil || $0.count < $0.document.nodeCount
        }
    }

    /// Whether nothing differs.
    public var isEqual: Bool { differences.isEmpty }

    /// What is to be said of a value; O(1).
    ///
    /// What lies in something added, removed, moved or ignored has its mark. A value that came
    /// after the comparison is equal.
    public func mark(of node: NodeIndex, in side: DocumentSide) -> DiffMark {
        let marks = side == .left ? leftMarks : rightMarks
        guard marks.indices.contains(node.rawValue) else { return .equal }
        return DiffMark(rawValue: marks[node.rawValue]) ?? .equal
    }
}

/// From a value to its other side and to the next difference; O(log n).
extension DocumentDiff {
    /// The value of the other side that stands on the same row: an equal or a changed one.
    public func counterpart(of node: NodeIndex, in side: DocumentSide) -> NodeIndex? {
        guard let entry = alignment.entry(of: node, in: side) else { return nil }
        let values = alignment.values(at: entry)
        return side == .left ? values.right : values.left
    }

    /// The place in `differences` of the first one behind a value.
    public func indexOfDifference(after node: NodeIndex, in side: DocumentSide) -> Int? {
        guard let entry = alignment.entry(of: node, in: side) else { return nil }
        return indexOfDifference(afterEntry: entry)
    }

    /// The place in `differences` of the last one before a value.
    public func indexOfDifference(before node: NodeIndex, in side: DocumentSide) -> Int? {
        guard let entry = alignment.entry(of: node, in: side) else { return nil }
        return indexOfDifference(beforeEntry: entry)
    }

    func indexOfDifference(afterEntry entry: Int) -> Int? {
        let index = differenceCount { $0 <= entry }
        return index < differences.count ? index : nil
    }

    func indexOfDifference(beforeEntry entry: Int) -> Int? {
        let index = differenceCount { $0 < entry }
        return index > 0 ? index - 1 : nil
    }

    /// The entry at which a difference stands; what was moved stands where it was.
    func entry(ofDifference index: Int) -> Int {
        let difference = differences[index]
        let entry =
            difference.left.map { alignment.entry(of: $0, in: .left) }
            ?? difference.right.map { alignment.entry(of: $0, in: .right) }
        return entry.flatMap { $0 } ?? 0
    }

    /// How many differences stand at entries for which something holds that holds for smaller ones.
    private func differenceCount(where holds: (Int) -> Bool) -> Int {
        var low = 0
        var high = differences.count
        while low < high {
            let middle = (low + high) / 2
            if holds(entry(ofDifference: middle)) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

/// How many differences there are, by kind.
public struct DiffCounts: Equatable, Sendable {
    /// Values that only the right side has.
    public internal(set) var added = 0
    /// Values that only the left side has.
    public internal(set) var removed = 0
    /// Values that became others.
    public internal(set) var changed = 0
    /// Values that went to another place of their array.
    public internal(set) var moved = 0

    /// All of them.
    public var total: Int { added + removed + changed + moved }

    mutating func count(_ kind: Difference.Kind) {
        switch kind {
        case .added: added += 1
        case .removed: removed += 1
        case .changed: changed += 1
        case .moved: moved += 1
        }
    }
}

/// What a comparison says of one value.
public enum DiffMark: UInt8, Sendable, CaseIterable {
    /// The other side has the same.
    case equal
    /// The same container, but something in it differs.
    case containsChanges
    /// Only the right side has it.
    case added
    /// Only the left side has it.
    case removed
    /// Both sides have it, with different values.
    case changed
    /// Both sides have it in the same array, at different places.
    case moved
    /// It was not to be compared.
    case ignored
}

/// How two documents are compared.
public struct DiffOptions: Sendable {
    /// When two numbers are equal.
    public var numbers: NumberComparison
    /// Values of the left document that are not compared, nor what lies in them.
    public var ignoredLeft: NodeSet
    /// Values of the right document that are not compared, nor what lies in them.
    public var ignoredRight: NodeSet

    /// Numbers are compared by value and nothing is ignored unless said otherwise.
    public init(
        numbers: NumberComparison = .value,
        ignoredLeft: NodeSet = NodeSet(),
        ignoredRight: NodeSet = NodeSet()
    ) {
        self.numbers = numbers
        self.ignoredLeft = ignoredLeft
        self.ignoredRight = ignoredRight
    }
}

/// One of two documents that are compared.
public enum DocumentSide: Sendable, CaseIterable {
    /// The old one.
    case left
    /// The new one.
    case right
}
