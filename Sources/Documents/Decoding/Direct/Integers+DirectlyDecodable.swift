extension DirectlyDecodable where Self: FixedWidthInteger & Decodable {
    static func decodeDirectly(from node: Int, in context: DecodingContext) throws -> Self {
        try context.integer(Self.self, node)
    }
}

extension Int: DirectlyDecodable {}
extension Int8: DirectlyDecodable {}
extension Int16: DirectlyDecodable {}
extension Int32: DirectlyDecodable {}
extension Int64: DirectlyDecodable {}
extension Int128: DirectlyDecodable {}
extension UInt: DirectlyDecodable {}
extension UInt8: DirectlyDecodable {}
extension UInt16: DirectlyDecodable {}
extension UInt32: DirectlyDecodable {}
extension UInt64: DirectlyDecodable {}
extension UInt128: DirectlyDecodable {}
