/// The hash of every value, by content: white space, escapes and the order of keys do not count.
///
/// One pass in the order of the text. A container's hash is finished when the first value behind
/// it is seen; what is open waits on a stack of its own, so depth costs memory only.
struct SubtreeHashing {
    /// How many values are hashed between two looks at cancellation.
    static let slice = 1 << 16

    private struct Frame {
        let node: Int
        let end: Int
        let isObject: Bool
        var hash: UInt64
    }

    private let side: ComparedDocument
    private var open: [Frame] = []

    init(_ side: ComparedDocument) {
        self.side = side
    }

    /// Hashes every value; nil when it was cancelled.
    mutating func run(_ isCancelled: () -> Bool) -> [UInt64]? {
        // Without room the initialiser would write its count into the empty array that all share.
        guard side.count > 0 else { return [] }
        var wasCancelled = false
        let hashes = [UInt64](unsafeUninitializedCapacity: side.count) { hashes, count in
            var node = 0
            while node < side.count {
                if isCancelled() {
                    wasCancelled = true
                    break
                }
                let end = min(node + Self.slice, side.count)
                hash(node..<end, into: hashes)
                node = end
            }
            close(before: node, into: hashes)
            count = node
        }
        return wasCancelled ? nil : hashes
    }

    private mutating func hash(
        _ nodes: Range<Int>,
        into hashes: UnsafeMutableBufferPointer<UInt64>
    ) {
        for node in nodes {
            close(before: node, into: hashes)
            let kind = side.kind(node)
            if kind.isContainer {
                let isObject = kind == .object
                let end = node + side.size(node)
                open.append(Frame(node: node, end: end, isObject: isObject, hash: isObject ? 2 : 1))
            } else {
                let hash = side.scalarHash(node, kind)
                hashes[node] = hash
                add(hash, of: node)
            }
        }
    }

    /// Finishes the containers that end before a value.
    @inline(__always) private mutating func close(
        before node: Int,
        into hashes: UnsafeMutableBufferPointer<UInt64>
    ) {
        while let last = open.last, last.end <= node {
            open.removeLast()
            let hash = ContentHash.mix(last.hash, last.isObject ? 0xB : 0xA)
            hashes[last.node] = hash
            add(hash, of: last.node)
        }
    }

    @inline(__always) private mutating func add(_ hash: UInt64, of node: Int) {
        let last = open.count - 1
        guard last >= 0, !side.isIgnored(node) else { return }
        if open[last].isObject {
            open[last].hash &+= ContentHash.mix(side.keyHash(node), hash)
        } else {
            open[last].hash = ContentHash.mix(open[last].hash, hash)
        }
    }
}
