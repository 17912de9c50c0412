/// The values of two documents in one common order, stored as runs.
///
/// An entry is a value of the left document, one of the right, or one of each that belong together. Left
/// values keep their order, and a subtree is a contiguous range of entries. For a document and a slightly
/// edited copy a few runs are enough, whatever the size.
struct Alignment: Sendable {
    /// Entries whose values are consecutive on each side that they have.
    private struct Run: Sendable {
        let entry: Int
        let left: UInt32
        let right: UInt32
    }

    /// The size of an entry's subtree, if it differs from that of its left value.
    private struct Extent: Sendable {
        let entry: Int
        var size: Int
    }

    private static let nothing = Difference.nothing

    let left: Document
    let right: Document
    let leftCount: Int
    let rightCount: Int
    private(set) var entryCount = 0
    private var runs: [Run] = []
    /// The indexes of the runs with left values, and of those with right values in the order of those values.
    private var leftRuns: [UInt32] = []
    private var rightRuns: [UInt32] = []
    private var extents: [Extent] = []

    init(left: ComparedDocument, right: ComparedDocument) {
        self.left = left.document
        self.right = right.document
        leftCount = left.count
        rightCount = right.count
    }

    // MARK: - Building

    /// Appends `count` entries with consecutive values.
    mutating func append(left: Int?, right: Int?, count: Int) {
        let left = left.map(UInt32.init) ?? Self.nothing
        let right = right.map(UInt32.init) ?? Self.nothing
        if let last = runs.last {
            let length = UInt32(truncatingIfNeeded: entryCount - last.entry)
            if Self.follows(left, last.left, length) && Self.follows(right, last.right, length) {
                entryCount += count
                return
            }
        }
        runs.append(Run(entry: entryCount, left: left, right: right))
        entryCount += count
    }

    private static func follows(_ next: UInt32, _ first: UInt32, _ length: UInt32) -> Bool {
        next == nothing || first == nothing ? next == first : next == first &+ length
    }

    /// Records that the subtree of an entry ends with the last entry so far.
    mutating func close(_ entry: Int, leftSize: Int) {
        let size = entryCount - entry
        if size != leftSize { extents.append(Extent(entry: entry, size: size)) }
    }

    /// Sorts the tables for lookups.
    mutating func finish() {
        extents.sort { $0.entry < $1.entry }
        for (index, run) in runs.enumerated() {
            if run.left != Self.nothing { leftRuns.append(UInt32(index)) }
            if run.right != Self.nothing { rightRuns.append(UInt32(index)) }
        }
        rightRuns.sort { runs[Int($0)].right < runs[Int($1)].right }
    }

    // MARK: - Lookups, O(log runs)

    /// The values of an entry.
    func values(at entry: Int) -> (left: NodeIndex?, right: NodeIndex?) {
        let run = runs[lastIndex(below: runs.count) { runs[$0].entry <= entry }]
        func value(_ first: UInt32) -> NodeIndex? {
            first == Self.nothing ? nil : NodeIndex(Int(first) + entry - run.entry)
        }
        return (value(run.left), value(run.right))
    }

    /// The entry of a value; nil if the value was added to the document later.
    func entry(of node: NodeIndex, in side: DocumentSide) -> Int? {
        let isLeft = side == .left
        guard node.rawValue >= 0, node.rawValue < (isLeft ? leftCount : rightCount) else {
            return nil
        }
        let order = isLeft ? leftRuns : rightRuns
        func first(_ index: Int) -> Int {
            let run = runs[Int(order[index])]
            return Int(isLeft ? run.left : run.right)
        }
        let found = lastIndex(below: order.count) { first($0) <= node.rawValue }
        return runs[Int(order[found])].entry + node.rawValue - first(found)
    }

    /// The greatest index for which `holds` is true, at least 0; `holds` must be true for all smaller ones.
    private func lastIndex(below count: Int, where holds: (Int) -> Bool) -> Int {
        max(0, (0..<count).partitionPoint(where: holds) - 1)
    }
}

extension Alignment: RowTree {
    var nodeCount: Int { entryCount }

    func subtreeSize(of entry: Int, within count: Int) -> Int {
        let at = extents.indices.partitionPoint { extents[$0].entry < entry }
        if at < extents.count, extents[at].entry == entry { return extents[at].size }
        let values = values(at: entry)
        if let value = values.left { return left.subtreeSize(of: value, within: leftCount) }
        return values.right.map { right.subtreeSize(of: $0, within: rightCount) } ?? 1
    }

    func parent(of entry: Int) -> Int? {
        let values = values(at: entry)
        if let value = values.left {
            return left.parent(of: value).flatMap { self.entry(of: $0, in: .left) }
        }
        guard let value = values.right else { return nil }
        return right.parent(of: value).flatMap { self.entry(of: $0, in: .right) }
    }

    func isContainer(_ entry: Int) -> Bool {
        let values = values(at: entry)
        return values.left.map { left.kind(of: $0).isContainer } ?? false
            || values.right.map { right.kind(of: $0).isContainer } ?? false
    }

    func visitContainers(in entries: Range<Int>, fromDepth depth: Int, _ body: (Int) -> Void) {
        // Where the open containers end. Their number is the depth of the next entry.
        var ends: [Int] = []
        for (number, run) in runs.enumerated() {
            let end = number + 1 < runs.count ? runs[number + 1].entry : entryCount
            for entry in run.entry..<end {
                while let last = ends.last, last <= entry { ends.removeLast() }
                guard isContainer(entry, of: run) else { continue }
                if ends.count >= depth && entries.contains(entry) { body(entry) }
                ends.append(entry + subtreeSize(of: entry, within: entryCount))
            }
        }
    }

    private func isContainer(_ entry: Int, of run: Run) -> Bool {
        let at = entry - run.entry
        if run.left != Self.nothing, left.kind(of: NodeIndex(Int(run.left) + at)).isContainer {
            return true
        }
        return run.right != Self.nothing
            && right.kind(of: NodeIndex(Int(run.right) + at)).isContainer
    }
}
