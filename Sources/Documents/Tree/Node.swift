import BitCollections
import CScan

/// One value, which is a row of the fully unfolded tree, in 8 bytes.
///
/// Keys have no nodes of their own. What only containers need is in the container table. The end of a scalar is
/// found by scanning it.
///
///      0-39  scalar: offset of the value; container and long string: number in the container table
///     40-55  distance from the key's opening quote; 0: no key; 0xFFFF: longer, search backwards
///     56-58  kind
///        59  the key is irregular
///        60  the value has a backslash
///        61  the key has a backslash
///        62  the value is irregular: not as RFC 8259 wants, but kept by a resumed parse
///        63  long: a string whose end is in the container table
struct Node {
    static let noContainer = UInt32.max
    static let payloadMask: UInt64 = 0xFF_FFFF_FFFF
    static let longKey = 0xFFFF
    static let keyMask: UInt64 = 0xFFFF << 40
    static let valueEscapeBit: UInt64 = 1 << 60
    static let keyEscapeBit: UInt64 = 1 << 61
    static let irregularKeyBit: UInt64 = 1 << 59
    static let irregularBit: UInt64 = 1 << 62
    static let longBit: UInt64 = 1 << 63
    /// A string longer than this gets an entry in the container table, so that its end is known.
    static let longestScan = 64 << 10

    var bits: UInt64

    /// The key bits of a node for a value at `offset` whose key begins at `start`.
    @inline(__always) static func keyBits(from start: Int, to offset: Int, flag: UInt64) -> UInt64 {
        let distance = offset &- start
        // No `min`: it would be a call in loops as large as the parser's.
        return UInt64(truncatingIfNeeded: distance < longKey ? distance : longKey) &<< 40 | flag
    }

    @inline(__always) var payload: Int { Int(truncatingIfNeeded: bits & Self.payloadMask) }
    @inline(__always) var keyDistance: Int { Int(truncatingIfNeeded: (bits &>> 40) & 0xFFFF) }
    @inline(__always) var kindBits: UInt8 { UInt8(truncatingIfNeeded: bits &>> 56) & 7 }
    @inline(__always) var kind: ValueKind { ValueKind(kindBits) }
    @inline(__always) var isContainer: Bool { kindBits >= ValueKind.array.rawValue }
    @inline(__always) var isNumber: Bool {
        kindBits == ValueKind.integer.rawValue || kindBits == ValueKind.decimal.rawValue
    }
    @inline(__always) var isLong: Bool { bits & Self.longBit != 0 }
    @inline(__always) var isIrregular: Bool { bits & Self.irregularBit != 0 }
    @inline(__always) var hasIrregularKey: Bool { bits & Self.irregularKeyBit != 0 }
    @inline(__always) var hasKeyEscapes: Bool { bits & Self.keyEscapeBit != 0 }
    /// Whether the payload is an index in the container table.
    @inline(__always) var hasEntry: Bool { isContainer || isLong }
}

extension UnsafeMutablePointer<Node> {
    /// Reads a published node atomically, because a resumed parse may change the one before a fault.
    @inline(__always) func read(_ index: Int) -> Node {
        let at = UnsafeMutableRawPointer(self + index)
        return Node(bits: cscan_read_u64(at.assumingMemoryBound(to: UInt64.self)))
    }

    @inline(__always) func write(_ index: Int, _ node: Node) {
        let at = UnsafeMutableRawPointer(self + index)
        cscan_write_u64(at.assumingMemoryBound(to: UInt64.self), node.bits)
    }
}

/// The number of a value in its document, in the order of the text.
public struct NodeIndex: Hashable, Comparable, Sendable {
    /// The outermost value, which is the first in every document.
    public static let root = NodeIndex(0)

    /// The number of values that begin before this one.
    public let rawValue: Int

    /// Makes the index with this number; it must be below the document's `nodeCount` when it is used.
    public init(_ rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Whether `lhs` begins before `rhs`.
    public static func < (lhs: NodeIndex, rhs: NodeIndex) -> Bool { lhs.rawValue < rhs.rawValue }
}

/// A set of values of one document, with one bit for each value.
public struct NodeSet: Sendable {
    private var bits = BitSet()

    /// Creates an empty set.
    public init() {}

    /// Creates a set of values, such as the result of a query.
    public init(_ nodes: some Sequence<NodeIndex>) {
        for node in nodes { insert(node) }
    }

    /// Whether the set is empty.
    public var isEmpty: Bool { bits.isEmpty }

    /// Adds a value; false if the set had it already.
    @discardableResult public mutating func insert(_ node: NodeIndex) -> Bool {
        bits.insert(node.rawValue).inserted
    }

    /// Whether a value is in the set.
    public func contains(_ node: NodeIndex) -> Bool { contains(node.rawValue) }

    func contains(_ node: Int) -> Bool { bits.contains(node) }
}

/// The kind of a value, by how it is written.
public enum ValueKind: UInt8, Sendable {
    /// The literal `null`.
    case null
    /// The literal `false`.
    case `false`
    /// The literal `true`.
    case `true`
    /// A number without a fraction or an exponent.
    case integer
    /// A number with a fraction or an exponent.
    case decimal
    /// A string, whose escapes are decoded only when it is read.
    case string
    /// An array, which may be empty.
    case array
    /// An object, whose keys may repeat.
    case object

    /// Whether it is an array or an object.
    public var isContainer: Bool { rawValue >= Self.array.rawValue }

    var isNumber: Bool { self == .integer || self == .decimal }
}

extension ValueKind {
    /// The kind bits of a node; `rawValue` would be a call per value.
    @inline(__always) var nodeBits: UInt64 {
        switch self {
        case .null: 0
        case .false: 1 &<< 56
        case .true: 2 &<< 56
        case .integer: 3 &<< 56
        case .decimal: 4 &<< 56
        case .string: 5 &<< 56
        case .array: 6 &<< 56
        case .object: 7 &<< 56
        }
    }

    /// The kind for a node's three bits; `init(rawValue:)` would be a call per value.
    @inline(__always) fileprivate init(_ kindBits: UInt8) {
        switch kindBits {
        case 0: self = .null
        case 1: self = .false
        case 2: self = .true
        case 3: self = .integer
        case 4: self = .decimal
        case 5: self = .string
        case 6: self = .array
        default: self = .object
        }
    }
}
