/// Containers in the table, from their opening bracket to their closing one.
extension TreeParser {
    /// Writes a container's entry and node behind the last ones, and counts it.
    @inline(always) mutating func addContainer(_ kind: ValueKind, at offset: Int) {
        slot.pointee = Node(
            bits: UInt64(truncatingIfNeeded: containerCount) | kind.nodeBits | keyBits
        )
        var depthBits: UInt64 = 0
        if _fastPath(open != Node.noContainer) {
            depthBits = containers[Int(open)].innerDepthBits
            containers.writeCount(Int(open), childCount &+ 1)
        }
        let objectBit = kind == .object ? Container.objectBit : 0
        containers[containerCount] = Container(
            start: UInt64(truncatingIfNeeded: offset) | depthBits,
            bounds: Container.ordinalBits(childCount) | objectBit,
            node: UInt32(truncatingIfNeeded: nodeCount),
            parent: open,
            count: 0,
            extent: 0
        )
    }

    @inline(always) mutating func openContainer(_ kind: ValueKind) {
        addContainer(kind, at: at)
        open = UInt32(truncatingIfNeeded: containerCount)
        closer = kind == .object ? 0x7D : 0x5D
        slot += 1
        containerCount &+= 1
        childCount = 0
        at &+= 1
        mark = at
        keyBits = 0
    }

    /// Closes the innermost container, and those around it whose brackets follow at once.
    ///
    /// A run of brackets is the most frequent end of anything: in a loop of its own only what one
    /// level needs is loaded.
    @inline(always) mutating func closeContainers() {
        let count = UInt32(truncatingIfNeeded: nodeCount)
        var entry = containers + Int(open)
        var bounds = entry.pointee.bounds
        repeat {
            at &+= 1
            entry.writeCount(0, childCount)
            entry.writeBounds(0, bounds | UInt64(truncatingIfNeeded: at))
            open = entry.pointee.parent
            // Last, with release: who sees it sees the two above.
            entry.writeExtent(0, count &- entry.pointee.node)
            if _slowPath(open == base) {
                closer = 0
                if base != Node.noContainer { childCount = containers[Int(open)].count }
                break
            }
            entry = containers + Int(open)
            bounds = entry.pointee.bounds
            childCount = entry.pointee.count
            closer = Container.closer(bounds)
        } while text[at] == closer
        keyBits = 0
    }
}
