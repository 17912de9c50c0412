import CScan

/// One value, a row of the fully unfolded tree, in 16 bytes.
///
/// Keys have no node of their own.
///
///     head   0-39  offset of the value
///           40-55  distance from the key's opening quote; 0: no key; 0xFFFF: longer, search backwards
///           56-59  kind
///              60  the value has a backslash
///              61  the key has a backslash
///              62  incomplete: left open by a fault
///     link   scalar: length in bytes; container: its number in the container table
///     extent scalar: container number of its parent; container: nodes in its subtree, 0 while open
struct Node {
    static let noContainer = UInt32.max
    static let offsetMask: UInt64 = 0xFF_FFFF_FFFF
    static let longKey = 0xFFFF
    static let valueEscapeBit: UInt64 = 1 << 60
    static let keyEscapeBit: UInt64 = 1 << 61
    static let incompleteBit: UInt64 = 1 << 62

    var head: UInt64
    var link: UInt32
    var extent: UInt32

    @inline(__always) var offset: Int { Int(truncatingIfNeeded: head & Self.offsetMask) }
    @inline(__always) var keyDistance: Int { Int(truncatingIfNeeded: (head &>> 40) & 0xFFFF) }
    @inline(__always) var kindBits: UInt8 { UInt8(truncatingIfNeeded: head &>> 56) & 15 }
    @inline(__always) var isContainer: Bool { kindBits >= ValueKind.array.rawValue }
    @inline(__always) var isIncomplete: Bool {
        isContainer && (extent == 0 || head & Self.incompleteBit != 0)
    }
}

/// What a container needs beyond its node, 24 bytes.
///
///     bounds  0-39  offset of the closing bracket, 0 while open
///            40-63  depth, saturating
struct Container {
    static let largestDepth: UInt64 = 0xFF_FFFF

    var bounds: UInt64
    var node: UInt32
    var parent: UInt32
    var count: UInt32
    var ordinal: UInt32

    @inline(__always) var depth: Int { Int(truncatingIfNeeded: bounds &>> 40) }
    @inline(__always) var end: Int { Int(truncatingIfNeeded: bounds & Node.offsetMask) }
}

extension UnsafeMutablePointer<Node> {
    /// Reads a published node; the parser may be completing it at the same time.
    @inline(__always) func read(_ index: Int) -> Node {
        let at = UnsafeMutableRawPointer(self + index)
        // The extent first: it is written last, with release.
        let extent = cscan_read_u32((at + 12).assumingMemoryBound(to: UInt32.self))
        let head = cscan_read_u64(at.assumingMemoryBound(to: UInt64.self))
        let link = (at + 8).load(as: UInt32.self)
        return Node(head: head, link: link, extent: extent)
    }

    @inline(__always) func writeExtent(_ index: Int, _ value: UInt32) {
        let at = UnsafeMutableRawPointer(self + index) + 12
        cscan_write_u32(at.assumingMemoryBound(to: UInt32.self), value)
    }

    @inline(__always) func writeHead(_ index: Int, _ value: UInt64) {
        let at = UnsafeMutableRawPointer(self + index)
        cscan_write_u64(at.assumingMemoryBound(to: UInt64.self), value)
    }
}

extension UnsafeMutablePointer<Container> {
    /// Reads a published container; the parser may be completing it at the same time.
    @inline(__always) func read(_ index: Int) -> Container {
        let at = UnsafeMutableRawPointer(self + index)
        return Container(
            bounds: cscan_read_u64(at.assumingMemoryBound(to: UInt64.self)),
            node: (at + 8).load(as: UInt32.self),
            parent: (at + 12).load(as: UInt32.self),
            count: cscan_read_u32((at + 16).assumingMemoryBound(to: UInt32.self)),
            ordinal: (at + 20).load(as: UInt32.self)
        )
    }

    @inline(__always) func writeBounds(_ index: Int, _ value: UInt64) {
        let at = UnsafeMutableRawPointer(self + index)
        cscan_write_u64(at.assumingMemoryBound(to: UInt64.self), value)
    }

    @inline(__always) func writeCount(_ index: Int, _ value: UInt32) {
        let at = UnsafeMutableRawPointer(self + index) + 16
        cscan_write_u32(at.assumingMemoryBound(to: UInt32.self), value)
    }
}
