/// An object's members by their coding keys.
struct NodeKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let cursor: MemberCursor

    private var context: DecodingContext { cursor.context }

    var codingPath: [any CodingKey] { context.codingPath(cursor.node) }

    var allKeys: [Key] {
        cursor.names.compactMap { Key(stringValue: $0) }
    }

    /// The member's value, or `DecodingContext.nothing`.
    @inline(__always) private func find(_ key: Key) -> Int {
        cursor.find(key.stringValue)
    }

    /// The member's value; in lenient mode it may be nothing.
    @inline(__always) private func needed(_ key: Key) throws -> Int {
        let node = find(key)
        if node < 0 { try context.allowMissing(key, in: cursor.node) }
        return node
    }

    /// The member's value unless it is null.
    @inline(__always) private func present(_ key: Key) -> Int? {
        let node = find(key)
        return context.kind(node) == .null ? nil : node
    }

    func contains(_ key: Key) -> Bool { find(key) >= 0 }

    func decodeNil(forKey key: Key) throws -> Bool {
        let node = find(key)
        if node < 0 { throw context.noMember(key, in: cursor.node) }
        return context.kind(node) == .null
    }

    // MARK: - Values

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try context.bool(needed(key))
    }

    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try context.string(needed(key))
    }

    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try context.double(needed(key))
    }

    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try context.float(needed(key))
    }

    func decode(_ type: Int.Type, forKey key: Key) throws -> Int {
        try context.integer(type, needed(key))
    }

    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 {
        try context.integer(type, needed(key))
    }

    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try context.integer(type, needed(key))
    }

    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try context.integer(type, needed(key))
    }

    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try context.integer(type, needed(key))
    }

    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
        try context.integer(type, needed(key))
    }

    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt {
        try context.integer(type, needed(key))
    }

    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try context.integer(type, needed(key))
    }

    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try context.integer(type, needed(key))
    }

    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try context.integer(type, needed(key))
    }

    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try context.integer(type, needed(key))
    }

    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
        try context.integer(type, needed(key))
    }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let node = find(key)
        if node < 0 { return try context.missingMember(type, key, in: cursor.node) }
        return try context.value(type, at: node)
    }

    // MARK: - Values that may be missing

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try present(key).map { try context.bool($0) }
    }

    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try present(key).map { try context.string($0) }
    }

    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try present(key).map { try context.double($0) }
    }

    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? {
        try present(key).map { try context.float($0) }
    }

    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try present(key).map { try context.integer(type, $0) }
    }

    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? {
        try present(key).map { try context.integer(type, $0) }
    }

    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? {
        try present(key).map { try context.integer(type, $0) }
    }

    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? {
        try present(key).map { try context.integer(type, $0) }
    }

    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try present(key).map { try context.integer(type, $0) }
    }

    func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? {
        try present(key).map { try context.integer(type, $0) }
    }

    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? {
        try present(key).map { try context.integer(type, $0) }
    }

    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? {
        try present(key).map { try context.integer(type, $0) }
    }

    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? {
        try present(key).map { try context.integer(type, $0) }
    }

    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? {
        try present(key).map { try context.integer(type, $0) }
    }

    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? {
        try present(key).map { try context.integer(type, $0) }
    }

    func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? {
        try present(key).map { try context.integer(type, $0) }
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        guard let node = present(key) else {
            context.noteDefault(type, key, at: find(key), in: cursor.node)
            return nil
        }
        return try context.value(type, at: node)
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
        NodeDecoder(context: context, node: cursor.find("super"))
    }

    func superDecoder(forKey key: Key) throws -> any Decoder {
        NodeDecoder(context: context, node: find(key))
    }

    private func decoder(_ key: Key) throws -> NodeDecoder {
        NodeDecoder(context: context, node: try needed(key))
    }
}
