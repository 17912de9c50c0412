import CScan

/// What a container needs beyond its node, or the end of a long string, in 32 bytes.
///
/// The table is in the order of the text, so it is sorted by node number too.
///
///     start   0-39  offset of the opening bracket, or of the string
///            40-63  depth, saturating
///     bounds  0-39  offset after the closing bracket, 0 while open
///               40  an object
///               41  incomplete: closed without its bracket
///               42  a long string
///            43-63  ordinal in the parent, saturating
///     node    its node
///     parent  the container that it lies in
///     count   values directly in it
///     extent  nodes in its subtree and itself, 0 while open
struct Container {
    static let largestDepthBits: UInt64 = 0xFF_FFFF << 40
    static let largestOrdinal = 0x1F_FFFF
    static let objectBit: UInt64 = 1 << 40
    static let incompleteBit: UInt64 = 1 << 41
    static let stringBit: UInt64 = 1 << 42

    var start: UInt64
    var bounds: UInt64
    var node: UInt32
    var parent: UInt32
    var count: UInt32
    var extent: UInt32

    @inline(__always) var offset: Int { Int(truncatingIfNeeded: start & Node.payloadMask) }
    @inline(__always) var depth: Int { Int(truncatingIfNeeded: start &>> 40) }
    @inline(__always) var end: Int { Int(truncatingIfNeeded: bounds & Node.payloadMask) }
    @inline(__always) var ordinal: Int { Int(truncatingIfNeeded: bounds &>> 43) }
    @inline(__always) var isObject: Bool { bounds & Self.objectBit != 0 }
    @inline(__always) var isString: Bool { bounds & Self.stringBit != 0 }
    @inline(__always) var isOpen: Bool { extent == 0 }
    @inline(__always) var isIncomplete: Bool { isOpen || bounds & Self.incompleteBit != 0 }

    @inline(__always) static func ordinalBits(_ ordinal: UInt32) -> UInt64 {
        let largest = UInt32(truncatingIfNeeded: largestOrdinal)
        return UInt64(truncatingIfNeeded: ordinal < largest ? ordinal : largest) &<< 43
    }

    /// The depth bits of an entry directly in this container.
    @inline(__always) var innerDepthBits: UInt64 {
        // With all lower bits set, adding one carries into the depth and clears the bits below it.
        let (bits, isTooDeep) = (start | Node.payloadMask).addingReportingOverflow(1)
        return isTooDeep ? Self.largestDepthBits : bits
    }

    /// The bracket that closes it.
    @inline(__always) var closer: UInt8 { Self.closer(bounds) }

    /// The closing bracket for an entry's bounds: the object bit, moved to the bit where `}` and `]` differ.
    @inline(__always) static func closer(_ bounds: UInt64) -> UInt8 {
        UInt8(truncatingIfNeeded: bounds &>> 35) & 0x20 | 0x5D
    }
}

extension UnsafeMutablePointer<Container> {
    /// Reads a published container, which the parser may be completing at the same time.
    @inline(__always) func read(_ index: Int) -> Container {
        let at = UnsafeMutableRawPointer(self + index)
        // Reads the extent first, because it is written last, with release ordering.
        let extent = cscan_read_u32((at + 28).assumingMemoryBound(to: UInt32.self))
        return Container(
            start: at.load(as: UInt64.self),
            bounds: cscan_read_u64((at + 8).assumingMemoryBound(to: UInt64.self)),
            node: (at + 16).load(as: UInt32.self),
            parent: (at + 20).load(as: UInt32.self),
            count: cscan_read_u32((at + 24).assumingMemoryBound(to: UInt32.self)),
            extent: extent
        )
    }

    /// The offset at which a published container or long string begins.
    ///
    /// Reads only this field, which never changes: a plain read of the whole entry would race with the parser.
    @inline(__always) func readOffset(_ index: Int) -> Int {
        Int(truncatingIfNeeded: self[index].start & Node.payloadMask)
    }

    /// The depth of a published container or long string.
    @inline(__always) func readDepth(_ index: Int) -> Int {
        Int(truncatingIfNeeded: self[index].start &>> 40)
    }

    /// The size of a published container's subtree, 0 while it is open; for walks over children.
    @inline(__always) func readExtent(_ index: Int) -> Int {
        let at = UnsafeMutableRawPointer(self + index) + 28
        return Int(cscan_read_u32(at.assumingMemoryBound(to: UInt32.self)))
    }

    @inline(__always) func writeBounds(_ index: Int, _ value: UInt64) {
        let at = UnsafeMutableRawPointer(self + index) + 8
        cscan_write_u64(at.assumingMemoryBound(to: UInt64.self), value)
    }

    @inline(__always) func writeCount(_ index: Int, _ value: UInt32) {
        let at = UnsafeMutableRawPointer(self + index) + 24
        cscan_write_u32(at.assumingMemoryBound(to: UInt32.self), value)
    }

    @inline(__always) func writeExtent(_ index: Int, _ value: UInt32) {
        let at = UnsafeMutableRawPointer(self + index) + 28
        cscan_write_u32(at.assumingMemoryBound(to: UInt32.self), value)
    }
}

/// Where every eighth child of a large container is, as far as callers have asked.
///
/// It stays right while the document grows, because it never steps over an open child.
struct ChildIndex {
    static let step = 8
    /// Smaller containers are walked.
    static let smallest = 64

    private var starts: [UInt32] = []
    /// The node of the first child that is not counted yet; `count` is its index.
    private var next: Int
    private var count = 0

    init(of parent: NodeIndex) { next = parent.rawValue + 1 }

    /// The child at an index; nil if it is not there, or not yet.
    mutating func child(at index: Int, in document: Document, before end: Int) -> NodeIndex? {
        while index / Self.step >= starts.count {
            guard advance(in: document, before: end) else { return nil }
        }
        var node = Int(starts[index / Self.step])
        for _ in 0..<index % Self.step {
            node += document.subtreeSize(of: NodeIndex(node), within: end)
        }
        return node < end ? NodeIndex(node) : nil
    }

    /// The number of children that begin before `node`, which is one of them.
    mutating func position(of node: NodeIndex, in document: Document, before end: Int) -> Int {
        while next <= node.rawValue, advance(in: document, before: end) {}
        let after = starts.indices.partitionPoint { Int(starts[$0]) <= node.rawValue }
        guard after > 0 else { return 0 }
        var position = (after - 1) * Self.step
        var child = Int(starts[after - 1])
        while child < node.rawValue {
            child += document.subtreeSize(of: NodeIndex(child), within: end)
            position += 1
        }
        return position
    }

    private mutating func advance(in document: Document, before end: Int) -> Bool {
        guard next < end else { return false }
        if count % Self.step == 0 && starts.count == count / Self.step {
            starts.append(UInt32(truncatingIfNeeded: next))
        }
        guard !document.isOpen(NodeIndex(next)) else { return false }
        next += document.subtreeSize(of: NodeIndex(next), within: end)
        count += 1
        return true
    }
}

/// Binary search among numbers, such as the indexes of a sorted array.
extension Range<Int> {
    /// The first number for which `precedes` is false; `upperBound` if there is none.
    ///
    /// `precedes` must be true for all numbers before that one and false for all after it. Takes O(log n).
    // Inlined, because it is called in loops over all values.
    @inline(__always) func partitionPoint(where precedes: (Int) -> Bool) -> Int {
        var low = lowerBound
        var high = upperBound
        while low < high {
            let middle = (low + high) / 2
            if precedes(middle) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
