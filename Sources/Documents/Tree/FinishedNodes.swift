import Glibc

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

    @inline(__always) func kind(_ node: Int) -> ValueKind { nodes.read(node).kind }

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

/// Scalars in the common case, in a few instructions; nil where more has to be looked at, as for
/// every node under 0, which stands for a value that is not there.
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

    /// A string without escapes, of at most 64 KiB.
    @inline(__always) func string(_ node: Int) -> String? {
        guard node >= 0 else { return nil }
        let value = self[node]
        guard value.kindBits == ValueKind.string.rawValue, !value.isLong,
            value.bits & Node.valueEscapeBit == 0
        else { return nil }
        let start = value.payload &+ 1
        var end = FastestScanner.next(text, start)
        if text[end] != 0x22 {
            // Not ASCII from here on; the quote comes, because the parser has seen it.
            guard let quote = memchr(text + end, 0x22, Node.longestScan) else { return nil }
            end = UnsafeRawPointer(quote) - UnsafeRawPointer(text)
        }
        let bytes = UnsafeBufferPointer(start: text + start, count: end &- start)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Node {
    @inline(__always) fileprivate var isNumber: Bool {
        kindBits == ValueKind.integer.rawValue || kindBits == ValueKind.decimal.rawValue
    }
}
