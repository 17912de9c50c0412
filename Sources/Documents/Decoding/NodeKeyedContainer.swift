import Glibc

/// An object's members by their coding keys.
struct NodeKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    // A single reference, because the standard library copies the container for every member it reads.
    private let object: ObjectMembers

    init(_ object: ObjectMembers) {
        self.object = object
    }

    private var context: DecodingContext { object.context }
    private var nodes: FinishedNodes { object.nodes }

    var codingPath: [any CodingKey] { context.codingPath(object.node) }

    var allKeys: [Key] { object.names.compactMap { Key(stringValue: $0) } }

    /// The member's value, or `DecodingContext.nothing`.
    private func find(_ key: Key) -> Int { object.find(key.stringValue) }

    /// The member's value; for a missing one, `DecodingContext.nothing`, or an error if no default is allowed.
    private func member(_ key: Key) throws -> Int {
        let node = find(key)
        if node < 0 { try context.allowMissing(key, in: object.node) }
        return node
    }

    /// The member's value; nil if it is missing or null.
    private func present(_ key: Key) -> Int? {
        let node = find(key)
        return nodes.isNull(node) ? nil : node
    }

    /// Whether the member is missing or null.
    func isNull(_ key: Key) -> Bool { nodes.isNull(find(key)) }

    /// Reports that a value replaces the member, and returns it.
    func noting<T>(_ value: T, for key: Key) -> T {
        context.noteDeclared(value, key, at: find(key), in: object.node)
        return value
    }

    // Inlining compiles it for each type: 600 instead of 1,100 instructions per integer.
    @inline(__always) private func integer<I: FixedWidthInteger & Decodable>(
        _ type: I.Type,
        _ node: Int
    ) throws -> I {
        try nodes.integer(type, node) ?? context.integer(type, node)
    }

    func contains(_ key: Key) -> Bool { find(key) >= 0 }

    func decodeNil(forKey key: Key) throws -> Bool {
        let node = find(key)
        if node < 0 { throw context.noMember(key, in: object.node) }
        return nodes.isNull(node)
    }

    // MARK: - Values

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        let node = try member(key)
        return try nodes.bool(node) ?? context.bool(node)
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        let node = try member(key)
        return try nodes.string(node) ?? context.string(node)
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        let node = try member(key)
        return try nodes.double(node) ?? context.double(node)
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        let node = try member(key)
        return try nodes.float(node) ?? context.float(node)
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try integer(type, member(key))
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try integer(type, member(key))
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try integer(type, member(key))
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try integer(type, member(key))
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try integer(type, member(key))
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try integer(type, member(key))
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try integer(type, member(key))
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try integer(type, member(key))
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try integer(type, member(key))
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try integer(type, member(key))
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try integer(type, member(key))
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try integer(type, member(key))
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try context.value(type, at: member(key))
    }

    // MARK: - Values that may be missing

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try present(key).map { try nodes.bool($0) ?? context.bool($0) }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try present(key).map { try nodes.string($0) ?? context.string($0) }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try present(key).map { try nodes.double($0) ?? context.double($0) }
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try present(key).map { try nodes.float($0) ?? context.float($0) }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try present(key).map { try integer(type, $0) }
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try present(key).map { try integer(type, $0) }
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try present(key).map { try integer(type, $0) }
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try present(key).map { try integer(type, $0) }
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try present(key).map { try integer(type, $0) }
    }

    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try present(key).map { try integer(type, $0) }
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try present(key).map { try integer(type, $0) }
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try present(key).map { try integer(type, $0) }
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try present(key).map { try integer(type, $0) }
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try present(key).map { try integer(type, $0) }
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try present(key).map { try integer(type, $0) }
    }

    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try present(key).map { try integer(type, $0) }
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        let node = find(key)
        if nodes.isNull(node) {
            context.noteDefault(type, key, at: node, in: object.node)
            return nil
        }
        return try context.value(type, at: node)
    }

    // MARK: - Containers

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try NodeDecoder(context: context, node: member(key)).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try NodeDecoder(context: context, node: member(key)).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        NodeDecoder(context: context, node: object.find("super"))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        NodeDecoder(context: context, node: find(key))
    }
}

/// An object's members by name; the last of several equal names counts.
///
/// Names are compared with the bytes in the text. Objects with many members, names with escapes, and names that
/// a strategy converts get a table.
final class ObjectMembers {
    private static let widest = 32

    let context: DecodingContext
    let nodes: FinishedNodes
    let node: Int
    // Allocated by hand: making an array takes 1,100 instructions per object, this 600.
    private let members: UnsafeMutableBufferPointer<Member>
    private let table: [String: Int]?

    /// A member whose name in the text is its coding key.
    private struct Member {
        let node: Int
        let nameStart: Int
        /// The name's length and its first and last byte, which rule out most other names.
        let sketch: Int

        static func sketch(_ name: UnsafeBufferPointer<UInt8>) -> Int {
            guard let first = name.first, let last = name.last else { return 0 }
            return name.count &<< 16 | Int(first) &<< 8 | Int(last)
        }
    }

    /// The members of an object; none for anything else.
    init(_ context: DecodingContext, at node: Int) {
        self.context = context
        self.node = node
        nodes = context.nodes
        let count = context.kind(node) == .object ? nodes.childCount(node) : 0
        let isNarrow = count <= Self.widest && context.hasPlainKeys
        members = .allocate(capacity: isNarrow ? count : 0)
        let isPlain = isNarrow && Self.read(node, nodes, into: members)
        table = isPlain ? nil : Self.table(of: node, count, context)
    }

    deinit { members.deallocate() }

    /// Reads the members in the order of the text; false if a table is needed.
    private static func read(
        _ node: Int,
        _ nodes: FinishedNodes,
        into members: UnsafeMutableBufferPointer<Member>
    ) -> Bool {
        var at = node &+ 1
        for index in members.indices {
            guard let name = nodes.key(at), !nodes[at].hasKeyEscapes else { return false }
            let bytes = UnsafeBufferPointer(start: nodes.text + name.start, count: name.count)
            let sketch = Member.sketch(bytes)
            let member = Member(node: at, nameStart: name.start, sketch: sketch)
            members.initializeElement(at: index, to: member)
            at = nodes.next(at)
        }
        return true
    }

    /// The members by their names in the form of coding keys.
    private static func table(
        of node: Int,
        _ count: Int,
        _ context: DecodingContext
    ) -> [String: Int] {
        var table: [String: Int] = [:]
        table.reserveCapacity(count)
        var at = node &+ 1
        for _ in 0..<count {
            table[context.codingName(at)] = at
            at = context.nodes.next(at)
        }
        return table
    }

    /// The last member with a name, or `DecodingContext.nothing`.
    func find(_ name: String) -> Int {
        if let table { return table[name] ?? DecodingContext.nothing }
        var name = name
        return name.withUTF8 { find($0) }
    }

    private func find(_ name: UnsafeBufferPointer<UInt8>) -> Int {
        let sketch = Member.sketch(name)
        for member in members.reversed() where member.sketch == sketch {
            // An empty name may have no address.
            guard let wanted = name.baseAddress else { return member.node }
            if memcmp(nodes.text + member.nameStart, wanted, name.count) == 0 { return member.node }
        }
        return DecodingContext.nothing
    }

    /// The names in the form of coding keys, each once.
    var names: [String] {
        if let table { return table.sorted { $0.value < $1.value }.map(\.key) }
        return members.compactMap { member in
            let name = context.document.key(of: NodeIndex(member.node)) ?? ""
            return find(name) == member.node ? name : nil
        }
    }
}
