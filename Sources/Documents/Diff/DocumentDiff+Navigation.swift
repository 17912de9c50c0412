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
