import Glibc

/// The nodes of a document that was parsed to its end without a fault, for loops over many of them.
///
/// It is three pointers, so that copying it counts no references; its user must keep the document alive.
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

    @inline(__always) func kind(_ node: Int) -> ValueKind { nodes.read(node).kind }

    /// The number of the node after a value and its subtree.
    @inline(__always) func next(_ node: Int) -> Int {
        let value = nodes.read(node)
        return node &+ (value.isContainer ? containers.readExtent(value.payload) : 1)
    }

    /// The offset at which a value begins.
    @inline(__always) func start(_ node: Int) -> Int {
        let value = nodes.read(node)
        return value.hasEntry ? containers[value.payload].offset : value.payload
    }

    /// The number of values directly in a container; 0 for a scalar.
    @inline(__always) func childCount(_ node: Int) -> Int {
        let value = nodes.read(node)
        return value.isContainer ? Int(containers[value.payload].count) : 0
    }

    /// The bytes of a member's key between its quotes; nil for a key of more than 64 KiB.
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

/// Scalars in the common case, in a few instructions; nil if a slower path has to look at the value. A node
/// below 0 stands for a missing value and gives nil too.
extension FinishedNodes {
    @inline(__always) func bool(_ node: Int) -> Bool? {
        guard node >= 0 else { return nil }
        switch kind(node) {
        case .true: return true
        case .false: return false
        default: return nil
        }
    }

    @inline(__always) func isNull(_ node: Int) -> Bool { node < 0 || kind(node) == .null }

    @inline(__always) func integer<I: FixedWidthInteger>(_ type: I.Type, _ node: Int) -> I? {
        guard node >= 0 else { return nil }
        let value = self[node]
        guard value.kindBits == ValueKind.integer.rawValue else { return nil }
        return NumberText.small(text + value.payload).flatMap { I(exactly: $0) }
    }

    @inline(__always) func double(_ node: Int) -> Double? {
        guard node >= 0 else { return nil }
        let value = self[node]
        guard value.isNumber else { return nil }
        return NumberText.double(text + value.payload)
    }

    @inline(__always) func float(_ node: Int) -> Float? {
        guard node >= 0 else { return nil }
        let value = self[node]
        guard value.isNumber else { return nil }
        return NumberText.float(text + value.payload)
    }

    /// A string without escapes, of at most 64 KiB; nil for anything else.
    @inline(__always) func string(_ node: Int) -> String? {
        guard node >= 0 else { return nil }
        let value = self[node]
        guard value.kindBits == ValueKind.string.rawValue, !value.isLong,
            value.bits & Node.valueEscapeBit == 0
        else { return nil }
        let start = value.payload &+ 1
        var end = FastestScanner.next(text, start)
        if text[end] != 0x22 {
            // The scanner stopped at a byte that is not ASCII. A quote follows, because the parser has seen it.
            guard let quote = memchr(text + end, 0x22, Node.longestScan) else { return nil }
            end = UnsafeRawPointer(quote) - UnsafeRawPointer(text)
        }
        let bytes = UnsafeBufferPointer(start: text + start, count: end &- start)
        return String(decoding: bytes, as: UTF8.self)
    }
}
