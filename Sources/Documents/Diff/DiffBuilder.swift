/// Compares two documents from the outside in and aligns them, with an explicit stack.
struct DiffBuilder {
    /// The number of steps between two checks for cancellation.
    private static let slice = 1 << 12

    private struct Open {
        let entry: Int
        let differences: Int
    }

    private(set) var alignment: Alignment
    private(set) var differences: [Difference] = []
    private(set) var counts = DiffCounts()
    private(set) var leftMarks: [UInt8]
    private(set) var rightMarks: [UInt8]
    /// The steps spent on aligning arrays, for tests.
    private(set) var work = 0

    private let left: ComparedDocument
    private let right: ComparedDocument
    private var comparison: ValueComparison
    private var pending: [DiffStep] = []
    private var open: [Open] = []

    init(_ left: ComparedDocument, _ right: ComparedDocument) {
        self.left = left
        self.right = right
        comparison = ValueComparison(left: left, right: right)
        alignment = Alignment(left: left, right: right)
        leftMarks = Array(repeating: DiffMark.equal.rawValue, count: left.count)
        rightMarks = Array(repeating: DiffMark.equal.rawValue, count: right.count)
    }

    /// Compares everything; false if it was cancelled.
    mutating func run(_ isCancelled: () -> Bool) -> Bool {
        switch (left.count > 0, right.count > 0) {
        case (true, true): pending = [DiffStep(.pair, left: 0, right: 0)]
        case (true, false): pending = [DiffStep(.single, left: 0)]
        case (false, true): pending = [DiffStep(.single, right: 0)]
        case (false, false): pending = []
        }
        var steps = 0
        while let step = pending.popLast() {
            apply(step)
            steps += 1
            if steps % Self.slice == 0 && isCancelled() { return false }
        }
        alignment.finish()
        return true
    }

    private mutating func apply(_ step: DiffStep) {
        let l = Int(step.left)
        let r = Int(step.right)
        let isLeft = step.left != DiffStep.nothing
        switch step.kind {
        case .pair: compare(l, r)
        case .close: close(l, r)
        case .single:
            add(isLeft ? .removed : .added, step.left, step.right)
            putSide(isLeft ? .left : .right, isLeft ? l : r, isLeft ? .removed : .added)
        case .ignored: putSide(isLeft ? .left : .right, isLeft ? l : r, .ignored)
        case .movedFrom:
            add(.moved, step.left, step.right)
            putSide(.left, l, .moved)
        case .movedTo: putSide(.right, r, .moved)
        }
    }

    // MARK: - Pairs

    private mutating func compare(_ l: Int, _ r: Int) {
        if left.isIgnored(l) || right.isIgnored(r) { return appendUnrelated(l, r, .ignored) }
        let isSameHash = left.hashes[l] == right.hashes[r]
        if isSameHash && comparison.isSameText(l, r) {
            return alignment.append(left: l, right: r, count: left.size(l))
        }
        switch (left.kind(l), right.kind(r)) {
        case (.array, .array):
            begin(l, r)
            let matching = ElementMatching(comparison, l, r)
            work += matching.work
            pending.append(contentsOf: matching.steps.reversed())
        case (.object, .object):
            begin(l, r)
            for pair in MemberMatching(comparison, l, r).pairs.reversed() {
                pending.append(step(for: pair))
            }
        default:
            if isSameHash && comparison.areScalarsEqual(l, r) {
                return alignment.append(left: l, right: r, count: 1)
            }
            add(.changed, UInt32(l), UInt32(r))
            appendUnrelated(l, r, .changed)
        }
    }

    private func step(for pair: MemberMatching.Pair) -> DiffStep {
        if pair.left != nil && pair.right != nil {
            return DiffStep(.pair, left: pair.left, right: pair.right)
        }
        let isIgnored =
            pair.left.map { left.isIgnored($0) } ?? false
            || pair.right.map { right.isIgnored($0) } ?? false
        return DiffStep(isIgnored ? .ignored : .single, left: pair.left, right: pair.right)
    }

    private mutating func begin(_ l: Int, _ r: Int) {
        open.append(Open(entry: alignment.entryCount, differences: differences.count))
        alignment.append(left: l, right: r, count: 1)
        pending.append(DiffStep(.close, left: l, right: r))
    }

    private mutating func close(_ l: Int, _ r: Int) {
        guard let last = open.popLast() else { return }
        alignment.close(last.entry, leftSize: left.size(l))
        guard differences.count > last.differences else { return }
        leftMarks[l] = DiffMark.containsChanges.rawValue
        rightMarks[r] = DiffMark.containsChanges.rawValue
    }

    /// Puts two values on one row and everything inside them on rows of its own side.
    private mutating func appendUnrelated(_ l: Int, _ r: Int, _ mark: DiffMark) {
        let leftSize = left.size(l)
        let rightSize = right.size(r)
        let entry = alignment.entryCount
        alignment.append(left: l, right: r, count: 1)
        if leftSize > 1 { alignment.append(left: l + 1, right: nil, count: leftSize - 1) }
        if rightSize > 1 { alignment.append(left: nil, right: r + 1, count: rightSize - 1) }
        alignment.close(entry, leftSize: leftSize)
        let isIgnored = mark == .ignored
        set(isIgnored ? .ignored : .removed, on: l..<l + leftSize, of: .left)
        set(isIgnored ? .ignored : .added, on: r..<r + rightSize, of: .right)
        leftMarks[l] = mark.rawValue
        rightMarks[r] = mark.rawValue
    }

    // MARK: - Single values

    private mutating func putSide(_ side: DocumentSide, _ node: Int, _ mark: DiffMark) {
        let size = side == .left ? left.size(node) : right.size(node)
        alignment.append(
            left: side == .left ? node : nil,
            right: side == .right ? node : nil,
            count: size
        )
        set(mark, on: node..<node + size, of: side)
    }

    private mutating func set(_ mark: DiffMark, on nodes: Range<Int>, of side: DocumentSide) {
        switch side {
        case .left: for node in nodes { leftMarks[node] = mark.rawValue }
        case .right: for node in nodes { rightMarks[node] = mark.rawValue }
        }
    }

    private mutating func add(_ kind: Difference.Kind, _ left: UInt32, _ right: UInt32) {
        differences.append(Difference(kind, left: left, right: right))
        counts.count(kind)
    }
}

/// A step of the comparison: values to compare, or values to put into the alignment as they are.
struct DiffStep {
    enum Kind: UInt8 {
        /// A value on both sides.
        case pair
        /// A value on only one side.
        case single
        /// One side of a moved value; `left` and `right` are both set.
        case movedFrom
        case movedTo
        /// One side of a value that is not compared.
        case ignored
        /// The end of a pair whose contents have been compared.
        case close
    }

    static let nothing = Difference.nothing

    let kind: Kind
    let left: UInt32
    let right: UInt32

    init(_ kind: Kind, left: Int? = nil, right: Int? = nil) {
        self.kind = kind
        self.left = left.map(UInt32.init) ?? Self.nothing
        self.right = right.map(UInt32.init) ?? Self.nothing
    }
}

/// One side of a comparison: the values published when it began, and their hashes.
struct ComparedDocument {
    let document: Document
    /// The number of values to compare.
    let count: Int
    let ignored: NodeSet
    let numbers: NumberComparison
    var hashes: [UInt64] = []

    init(_ document: Document, ignored: NodeSet, numbers: NumberComparison) {
        self.document = document
        self.ignored = ignored
        self.numbers = numbers
        count = document.nodeCount
    }

    @inline(__always) func size(_ node: Int) -> Int {
        document.subtreeSize(of: NodeIndex(node), within: count)
    }

    @inline(__always) func kind(_ node: Int) -> ValueKind { document.kind(of: NodeIndex(node)) }

    @inline(__always) func isIgnored(_ node: Int) -> Bool { ignored.contains(node) }

    @inline(__always) func range(_ node: Int) -> Range<Int> {
        document.valueRange(of: NodeIndex(node))
    }

    /// A member's key as written; empty for other values.
    @inline(__always) func keyRange(_ node: Int) -> Range<Int> {
        document.keyRange(of: NodeIndex(node)) ?? 0..<0
    }

    /// A string's content as written, without quotes.
    @inline(__always) func contentRange(_ node: Int) -> Range<Int> {
        let range = range(node)
        guard range.count >= 2 else { return range }
        return range.lowerBound + 1..<range.upperBound - 1
    }

    /// Calls `body` with each child of a container.
    @inline(__always) func forEachChild(of node: Int, _ body: (Int) -> Void) {
        var child = node + 1
        let end = node + size(node)
        while child < end {
            body(child)
            child += size(child)
        }
    }

    // MARK: - Hashes

    /// The hash of a key, by its decoded text.
    @inline(__always) func keyHash(_ node: Int) -> UInt64 { textHash(keyRange(node)) }

    @inline(__always) private func textHash(_ range: Range<Int>) -> UInt64 {
        let bytes = document.bytes
        let (hash, hasBackslash) = ContentHash.bytes(
            bytes.base + range.lowerBound,
            count: range.count
        )
        return hasBackslash ? ContentHash.bytes(EscapedText.bytes(bytes.base, range)) : hash
    }

    /// The hash of a scalar, by its value.
    @inline(__always) func scalarHash(_ node: Int, _ kind: ValueKind) -> UInt64 {
        switch kind {
        case .string: ContentHash.mix(0x5, textHash(contentRange(node)))
        case .integer, .decimal: ContentHash.mix(0x3, numberHash(node))
        default: ContentHash.mix(0x7, UInt64(kind.rawValue))
        }
    }

    private func numberHash(_ node: Int) -> UInt64 {
        let range = range(node)
        let text = UnsafeRawBufferPointer(
            start: document.bytes.base + range.lowerBound,
            count: range.count
        )
        if numbers == .value {
            if let hash = ContentHash.shortNumber(text) { return hash }
            if let number = DecimalNumber(bytes: text) { return ContentHash.number(number) }
        }
        return ContentHash.bytes(document.bytes.base + range.lowerBound, count: range.count).hash
    }
}
