/// A node as a decoder and as a container of one value.
///
/// Two words, so that the existential that `init(from:)` takes needs no memory of its own.
struct NodeDecoder: Decoder, SingleValueDecodingContainer {
    let context: DecodingContext
    let node: Int

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
        return context.containers.container(for: type, at: node, in: context)
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
