extension JSON: Codable {
    /// Coders recurse, so that a deep value would overflow the stack: they stop at the depth of Foundation's.
    private static let deepestCoding = 512

    /// Reads any value from any decoder.
    ///
    /// Numbers are `Int64`, `UInt64` or `Double`, as the decoder reads them.
    public init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= Self.deepestCoding else {
            let context = DecodingError.Context(
                codingPath: decoder.codingPath,
                debugDescription: "nested too deeply"
            )
            throw DecodingError.dataCorrupted(context)
        }
        if let keyed = try? decoder.container(keyedBy: JSONKey.self) {
            let members = try keyed.allKeys.map {
                (key: $0.stringValue, value: try keyed.decode(JSON.self, forKey: $0))
            }
            self.init(members: members)
        } else if var unkeyed = try? decoder.unkeyedContainer() {
            var elements: [JSON] = []
            while !unkeyed.isAtEnd { elements.append(try unkeyed.decode(JSON.self)) }
            self.init(elements)
        } else {
            try self.init(decoding: try decoder.singleValueContainer())
        }
    }

    private init(decoding scalar: any SingleValueDecodingContainer) throws {
        // In this order: some decoders read true as 1, and all read 1 as 1.0.
        if scalar.decodeNil() {
            self = .null
        } else if let value = try? scalar.decode(Bool.self) {
            self.init(value)
        } else if let value = try? scalar.decode(Int64.self) {
            self.init(value)
        } else if let value = try? scalar.decode(UInt64.self) {
            self.init(value)
        } else if let value = try? scalar.decode(Double.self) {
            self.init(value)
        } else {
            self.init(try scalar.decode(String.self))
        }
    }

    /// Writes the value to any encoder.
    ///
    /// The last of several members with the same name counts. Throws for a number that neither an integer of 64
    /// bits nor a double can hold.
    public func encode(to encoder: any Encoder) throws {
        guard encoder.codingPath.count <= Self.deepestCoding else {
            let context = EncodingError.Context(
                codingPath: encoder.codingPath,
                debugDescription: "nested too deeply"
            )
            throw EncodingError.invalidValue(self, context)
        }
        switch kind {
        case .object:
            var keyed = encoder.container(keyedBy: JSONKey.self)
            for (key, value) in members { try keyed.encode(value, forKey: JSONKey(key)) }
        case .array:
            var unkeyed = encoder.unkeyedContainer()
            for element in elements { try unkeyed.encode(element) }
        default:
            var scalar = encoder.singleValueContainer()
            try encodeScalar(into: &scalar)
        }
    }

    private func encodeScalar(into scalar: inout any SingleValueEncodingContainer) throws {
        if let bool { return try scalar.encode(bool) }
        if let string { return try scalar.encode(string) }
        guard let numberText else { return try scalar.encodeNil() }
        if let value = integer(as: Int64.self) { return try scalar.encode(value) }
        if let value = integer(as: UInt64.self) { return try scalar.encode(value) }
        if let double { return try scalar.encode(double) }
        let context = EncodingError.Context(
            codingPath: scalar.codingPath,
            debugDescription: "\(numberText.prefix(40)) is too large for a double"
        )
        throw EncodingError.invalidValue(self, context)
    }
}

/// A member's name as a coding key.
private struct JSONKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }

    init?(stringValue: String) { self.stringValue = stringValue }

    init?(intValue: Int) { nil }
}
