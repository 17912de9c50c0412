/// The hits by value, for the rows of a tree.
extension DocumentSearch {
    /// The value in whose row a hit begins: the last one that begins there or before.
    ///
    /// Nil while the parser has not come so far, and for a text that is no tree. O(log n).
    package func node(of hit: SearchHit) -> NodeIndex? {
        guard let document, let node = document.lastNode(from: hit.range.lowerBound) else {
            return nil
        }
        let isLast = node.rawValue == document.nodeCount - 1
        let isParsed = document.isFinished || document.progress.parsedBytes > hit.range.lowerBound
        return isLast && !isParsed ? nil : node
    }

    /// The first hit in a row behind a value's, or the very first.
    package func next(after node: NodeIndex) -> SearchHit? {
        guard let document else { return nil }
        let following = NodeIndex(node.rawValue + 1)
        if following.rawValue < document.nodeCount {
            return next(after: document.start(of: following) - 1)
        }
        // The last value of all.
        return next(after: document.isFinished ? bytes.count : document.start(of: node))
    }

    /// The last hit in a row before a value's, or the very last.
    package func previous(before node: NodeIndex) -> SearchHit? {
        document.flatMap { previous(before: $0.start(of: node)) }
    }
}

extension Document {
    /// Where a value's row begins in the text: at its key's quote when it has a key.
    func start(of node: NodeIndex) -> Int {
        keyRange(of: node).map { $0.lowerBound - 1 } ?? valueRange(of: node).lowerBound
    }

    /// The last value that begins at a byte or before it, its key included.
    func lastNode(from offset: Int) -> NodeIndex? {
        let count = nodeCount
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            let start = valueRange(of: NodeIndex(middle)).lowerBound
            if start <= offset { low = middle + 1 } else { high = middle }
        }
        // The next value begins behind the byte, but its key may not.
        if low < count, start(of: NodeIndex(low)) <= offset { return NodeIndex(low) }
        return low > 0 ? NodeIndex(low - 1) : nil
    }
}
