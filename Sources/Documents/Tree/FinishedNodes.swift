/// The nodes of a document that is parsed to its end without a fault, for loops over many of them.
///
/// Three pointers, so that copying it counts no references: who uses it keeps the document alive.
struct FinishedNodes {
    let text: UnsafePointer<UInt8>
    private let nodes: UnsafeMutablePointer<Node>
    private let containers: UnsafeMutablePointer<Container>

    init(of document: Document) {
        text = document.bytes.base
        nodes = document.nodes
        containers = document.containers
    }

    @inline(__always) subscript(_ node: Int) -> Node { nodes.read(node) }

    @inline(__always) func kind(_ node: Int) -> ValueKind {
        // The parser writes nothing but raw values of kinds, and these are the tags.
        unsafeBitCast(nodes.read(node).kindBits, to: ValueKind.self)
    }

    /// The number of the node behind a value and all that lies in it.
    @inline(__always) func next(_ node: Int) -> Int {
        let value = nodes.read(node)
        return node &+ (value.isContainer ? containers.readExtent(value.payload) : 1)
    }

    /// The first byte of a value.
    @inline(__always) func start(_ node: Int) -> Int {
        let value = nodes.read(node)
        return value.hasEntry ? containers[value.payload].offset : value.payload
    }

    /// The values directly in a container.
    @inline(__always) func childCount(_ node: Int) -> Int {
        let value = nodes.read(node)
        return value.isContainer ? Int(containers[value.payload].count) : 0
    }

    /// The bytes of a member's key between its quotes; nil for one of more than 64 KiB.
    @inline(__always) func key(_ member: Int) -> (start: Int, count: Int)? {
        let value = nodes.read(member)
        let distance = value.keyDistance
        guard distance != Node.longKey else { return nil }
        let offset = value.hasEntry ? containers[value.payload].offset : value.payload
        let start = offset &- distance &+ 1
        var end = offset &- 1
        while text[end] != 0x22 { end &-= 1 }
        return (start, end &- start)
    }
}
