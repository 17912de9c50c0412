// Hashes only suggest that two subtrees are equal; their bytes are compared before they are skipped.

/// The structural differences between two documents.
///
/// Members are matched by key, the k-th of a name with the k-th of the same name on the other side; the order
/// of members, white space and escapes do not count. Array elements that stay in order are found first, then
/// those that moved within their array. The rest are paired as changed if they are similar and at the same
/// index. Values that count as equal have really been compared, so no hash collision hides a difference.
///
/// A document that is still being parsed, or that ends in a fault, is compared as far as it goes.
/// The result does not change when a document grows.
public struct DocumentDiff: Sendable {
    /// The old document, on the left when both are shown.
    public let left: Document
    /// The new document, on the right when both are shown.
    public let right: Document
    /// Every difference, in the order of the aligned rows: the order of the left document, with added values
    /// where they are in the right one.
    public let differences: [Difference]
    /// The number of differences of each kind.
    public let counts: DiffCounts
    /// Whether only a part was compared, because a document was broken, cut or still being parsed.
    public let isPartial: Bool

    let alignment: Alignment
    let ignoresSomething: Bool
    /// The steps spent on aligning arrays, for tests.
    let work: Int
    private let leftMarks: [UInt8]
    private let rightMarks: [UInt8]

    /// Compares two documents on the calling thread, in O(n) except for reordered arrays.
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

    /// Compares two documents off the calling actor, hashing both sides in parallel.
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

    /// Whether there are no differences.
    public var isEqual: Bool { differences.isEmpty }

    /// The mark of a value; O(1).
    ///
    /// A value inside an added, removed, moved or ignored value has the same mark. A value that was added to
    /// the document after the comparison is `equal`.
    public func mark(of node: NodeIndex, in side: DocumentSide) -> DiffMark {
        let marks = side == .left ? leftMarks : rightMarks
        guard marks.indices.contains(node.rawValue) else { return .equal }
        return DiffMark(rawValue: marks[node.rawValue]) ?? .equal
    }
}

/// Lookups from a value to its counterpart and to the next difference; O(log n).
extension DocumentDiff {
    /// The value on the same row of the other side, equal or changed; nil if there is none.
    public func counterpart(of node: NodeIndex, in side: DocumentSide) -> NodeIndex? {
        guard let entry = alignment.entry(of: node, in: side) else { return nil }
        let values = alignment.values(at: entry)
        return side == .left ? values.right : values.left
    }

    /// The index in `differences` of the first one after a value; nil if there is none.
    public func indexOfDifference(after node: NodeIndex, in side: DocumentSide) -> Int? {
        guard let entry = alignment.entry(of: node, in: side) else { return nil }
        return indexOfDifference(afterEntry: entry)
    }

    /// The index in `differences` of the last one before a value; nil if there is none.
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

    /// The entry of a difference; for a moved value, that of its old position.
    func entry(ofDifference index: Int) -> Int {
        let difference = differences[index]
        let entry =
            difference.left.flatMap { alignment.entry(of: $0, in: .left) }
            ?? difference.right.flatMap { alignment.entry(of: $0, in: .right) }
        return entry ?? 0
    }

    /// The number of differences whose entries satisfy `holds`, which must be true for all smaller entries.
    private func differenceCount(where holds: (Int) -> Bool) -> Int {
        differences.indices.partitionPoint { holds(entry(ofDifference: $0)) }
    }
}

/// The number of differences of each kind.
public struct DiffCounts: Equatable, Sendable {
    /// Values that only the right side has.
    public internal(set) var added = 0
    /// Values that only the left side has.
    public internal(set) var removed = 0
    /// Values that were replaced by different ones.
    public internal(set) var changed = 0
    /// Values that moved to another index of their array.
    public internal(set) var moved = 0

    /// The number of all differences.
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

/// The result of a comparison for one value.
public enum DiffMark: UInt8, Sendable, CaseIterable {
    /// The other side has an equal value.
    case equal
    /// A container on both sides with differences inside it.
    case containsChanges
    /// Only the right side has it.
    case added
    /// Only the left side has it.
    case removed
    /// Both sides have it, with different values.
    case changed
    /// Both sides have it in the same array, at different indices.
    case moved
    /// The value was not compared.
    case ignored
}

/// Options for comparing two documents.
public struct DiffOptions: Sendable {
    /// When two numbers are equal.
    public var numbers: NumberComparison
    /// Values of the left document that are not compared, including everything inside them.
    public var ignoredLeft: NodeSet
    /// Values of the right document that are not compared, including everything inside them.
    public var ignoredRight: NodeSet

    /// Creates options; by default numbers are compared by value and nothing is ignored.
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

/// One of the two documents of a comparison.
public enum DocumentSide: Sendable, CaseIterable {
    /// The old document, on the left when both are shown.
    case left
    /// The new document, on the right when both are shown.
    case right
}
