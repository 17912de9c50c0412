/// The decoder of a node, and its single-value container.
struct NodeDecoder: Decoder, SingleValueDecodingContainer {
    let context: DecodingContext
    let node: Int
    /// The type's defaults for missing members; nil if it has none.
    var declared: DeclaredMembers?

    var codingPath: [any CodingKey] { context.codingPath(node) }

    var userInfo: [CodingUserInfoKey: Any] { context.options.userInfo }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard context.kind(node) == .object || context.invents(at: node) else {
            throw context.containerMismatch(
                [String: Any].self,
                KeyedDecodingContainer<Key>.self,
                at: node
            )
        }
        let members = NodeKeyedContainer<Key>(ObjectMembers(context, at: node))
        guard let declared else { return KeyedDecodingContainer(members) }
        return KeyedDecodingContainer(DeclaringContainer(members: members, declared: declared))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        if context.kind(node) == .array { return NodeUnkeyedContainer(context, node) }
        if context.invents(at: node) { return NodeUnkeyedContainer(context, node) }
        throw context.containerMismatch([Any].self, (any UnkeyedDecodingContainer).self, at: node)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    // MARK: - One value

    func decodeNil() -> Bool { context.kind(node) == .null }

    func decode(_ type: Bool.Type) throws -> Bool { try context.bool(node) }
    func decode(_ type: String.Type) throws -> String { try context.string(node) }
    func decode(_ type: Double.Type) throws -> Double { try context.double(node) }
    func decode(_ type: Float.Type) throws -> Float { try context.float(node) }
    func decode(_ type: Int.Type) throws -> Int { try context.integer(type, node) }
    func decode(_ type: Int8.Type) throws -> Int8 { try context.integer(type, node) }
    func decode(_ type: Int16.Type) throws -> Int16 { try context.integer(type, node) }
    func decode(_ type: Int32.Type) throws -> Int32 { try context.integer(type, node) }
    func decode(_ type: Int64.Type) throws -> Int64 { try context.integer(type, node) }
    func decode(_ type: Int128.Type) throws -> Int128 { try context.integer(type, node) }
    func decode(_ type: UInt.Type) throws -> UInt { try context.integer(type, node) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try context.integer(type, node) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try context.integer(type, node) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try context.integer(type, node) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try context.integer(type, node) }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try context.integer(type, node) }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try context.value(type, at: node) }
}

/// An array's elements, one after the other.
struct NodeUnkeyedContainer: UnkeyedDecodingContainer {
    private let context: DecodingContext
    private let node: Int
    private let length: Int
    private var at: Int
    private(set) var currentIndex = 0

    init(_ context: DecodingContext, _ node: Int) {
        self.context = context
        self.node = node
        // A container that replaces a missing value is empty.
        let isArray = context.kind(node) == .array
        length = isArray ? context.nodes.childCount(node) : 0
        at = node &+ 1
    }

    var codingPath: [any CodingKey] { context.codingPath(node) }
    var count: Int? { length }
    var isAtEnd: Bool { currentIndex >= length }

    /// Reads the next element, and moves past it if that succeeds.
    private mutating func element<T>(_ type: Any.Type, _ read: (Int) throws -> T) throws -> T {
        guard currentIndex < length else {
            throw context.arrayEnd(type, in: node, index: currentIndex)
        }
        let value = try read(at)
        at = context.nodes.next(at)
        currentIndex += 1
        return value
    }

    mutating func decodeNil() throws -> Bool {
        guard currentIndex < length else {
            throw context.arrayEnd(Never.self, in: node, index: currentIndex)
        }
        guard context.kind(at) == .null else { return false }
        at &+= 1
        currentIndex += 1
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool {
        let context = context
        return try element(type) { try context.bool($0) }
    }

    mutating func decode(_ type: String.Type) throws -> String {
        let context = context
        return try element(type) { try context.string($0) }
    }

    mutating func decode(_ type: Double.Type) throws -> Double {
        let context = context
        return try element(type) { try context.double($0) }
    }

    mutating func decode(_ type: Float.Type) throws -> Float {
        let context = context
        return try element(type) { try context.float($0) }
    }

    mutating func decode(_ type: Int.Type) throws -> Int { try integer(type) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try integer(type) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try integer(type) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try integer(type) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try integer(type) }

    private mutating func integer<I: FixedWidthInteger & Decodable>(_ type: I.Type) throws -> I {
        let context = context
        return try element(type) { try context.integer(type, $0) }
    }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let context = context
        return try element(type) { try context.value(type, at: $0) }
    }

    mutating func nestedContainer<Key: CodingKey>(
        keyedBy type: Key.Type
    ) throws -> KeyedDecodingContainer<Key> {
        try superDecoder().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try superDecoder().unkeyedContainer()
    }

    mutating func superDecoder() throws -> any Decoder {
        let context = context
        return try element((any Decoder).self) { NodeDecoder(context: context, node: $0) }
    }
}
