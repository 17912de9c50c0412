/// An object's members by their coding keys.
///
/// The standard library copies it for every member that is asked for. So it counts no reference
/// when the pool keeps what it needs.
struct NodeKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let cursor: UnsafeMutablePointer<MemberCursor>
    /// Keeps the cursor; nil when the pool does.
    let owner: CursorOwner?

    private var context: DecodingContext { cursor.pointee.context.takeUnretainedValue() }

    private var nodes: FinishedNodes {
        @inline(__always) get { cursor.pointee.nodes }
    }

    var codingPath: [any CodingKey] { context.codingPath(cursor.pointee.node) }

    var allKeys: [Key] {
        cursor.pointee.names(in: context.document).compactMap { Key(stringValue: $0) }
    }

    /// The member's value, or `DecodingContext.nothing`.
    @inline(__always) private func find(_ key: Key) -> Int {
        cursor.pointee.find(key.stringValue)
    }

    /// A value that is not read in a few instructions; in lenient mode it may be nothing.
    @inline(never) private func unusual<T>(
        _ node: Int,
        _ key: Key,
        _ read: (DecodingContext, Int) throws -> T
    ) throws -> T {
        if node < 0 { try context.allowMissing(key, in: cursor.pointee.node) }
        return try read(context, node)
    }

    @inline(__always) private func integer<I: FixedWidthInteger & Decodable>(
        _ type: I.Type,
        _ key: Key
    ) throws -> I {
        let node = find(key)
        if let value = nodes.integer(type, node) { return value }
        return try unusual(node, key) { try $0.integer(type, $1) }
    }

    @inline(__always) private func integerIfPresent<I: FixedWidthInteger & Decodable>(
        _ type: I.Type,
        _ key: Key
    ) throws -> I? {
        let node = find(key)
        if nodes.isNull(node) { return nil }
        if let value = nodes.integer(type, node) { return value }
        return try context.integer(type, node)
    }

    func contains(_ key: Key) -> Bool { find(key) >= 0 }

    func decodeNil(forKey key: Key) throws -> Bool {
        let node = find(key)
        if node < 0 { throw context.noMember(key, in: cursor.pointee.node) }
        return nodes.isNull(node)
    }

    // MARK: - Values

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        let node = find(key)
        if let value = nodes.bool(node) { return value }
        return try unusual(node, key) { try $0.bool($1) }
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        let node = find(key)
        if let value = nodes.string(node) { return value }
        return try unusual(node, key) { try $0.string($1) }
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        let node = find(key)
        if let value = nodes.double(node) { return value }
        return try unusual(node, key) { try $0.double($1) }
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        let node = find(key)
        if let value = nodes.float(node) { return value }
        return try unusual(node, key) { try $0.float($1) }
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try integer(type, key)
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try integer(type, key)
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try integer(type, key)
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try integer(type, key)
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try integer(type, key)
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try integer(type, key)
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try integer(type, key)
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try integer(type, key)
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try integer(type, key)
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try integer(type, key)
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try integer(type, key)
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try integer(type, key)
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let node = find(key)
        return try cursor.pointee.context._withUnsafeGuaranteedRef { context in
            guard node >= 0 else {
                return try context.missingMember(type, key, in: cursor.pointee.node)
            }
            return try context.value(type, at: node)
        }
    }

    // MARK: - Values that may be missing

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        let node = find(key)
        if nodes.isNull(node) { return nil }
        if let value = nodes.bool(node) { return value }
        return try context.bool(node)
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        let node = find(key)
        if nodes.isNull(node) { return nil }
        if let value = nodes.string(node) { return value }
        return try context.string(node)
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        let node = find(key)
        if nodes.isNull(node) { return nil }
        if let value = nodes.double(node) { return value }
        return try context.double(node)
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        let node = find(key)
        if nodes.isNull(node) { return nil }
        if let value = nodes.float(node) { return value }
        return try context.float(node)
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try integerIfPresent(type, key)
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try integerIfPresent(type, key)
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try integerIfPresent(type, key)
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try integerIfPresent(type, key)
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try integerIfPresent(type, key)
    }

    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try integerIfPresent(type, key)
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try integerIfPresent(type, key)
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try integerIfPresent(type, key)
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try integerIfPresent(type, key)
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try integerIfPresent(type, key)
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try integerIfPresent(type, key)
    }

    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try integerIfPresent(type, key)
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        let node = find(key)
        return try cursor.pointee.context._withUnsafeGuaranteedRef { context in
            if nodes.isNull(node) {
                context.noteDefault(type, key, at: node, in: cursor.pointee.node)
                return nil
            }
            return try context.value(type, at: node)
        }
    }

    // MARK: - Containers

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder {
        NodeDecoder(context: context, node: cursor.pointee.find("super"))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        NodeDecoder(context: context, node: find(key))
    }

    private func decoder(_ key: Key) throws -> NodeDecoder {
        let node = find(key)
        if node < 0 { try context.allowMissing(key, in: cursor.pointee.node) }
        return NodeDecoder(context: context, node: node)
    }
}
