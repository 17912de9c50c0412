/// A member that has a default when it is missing or null, with every decoder.
///
///     struct User: Decodable {
///         @DecodingDefault<DecodingDefaults.Integer<18>> var age: Int
///     }
///
/// `DocumentDecoder.decodeLeniently` also takes the default for a value that cannot be decoded,
/// and reports each default that it took.
@propertyWrapper
public struct DecodingDefault<Source: DecodingDefaultSource>: Decodable {
    /// The member's value.
    public var wrappedValue: Source.Value

    /// Starts with a value.
    public init(wrappedValue: Source.Value) {
        self.wrappedValue = wrappedValue
    }

    /// Starts with the default.
    public init() {
        wrappedValue = Source.decodingDefault
    }

    /// Decodes the value; null becomes the default.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        wrappedValue =
            container.decodeNil()
            ? Source.decodingDefault : try container.decode(Source.Value.self)
    }
}

extension DecodingDefault: Encodable where Source.Value: Encodable {
    /// Encodes the value alone.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }
}

extension DecodingDefault: Sendable where Source.Value: Sendable {}

extension DecodingDefault: Equatable where Source.Value: Equatable {}

extension DecodingDefault: Hashable where Source.Value: Hashable {}

extension KeyedDecodingContainer {
    /// Decodes a member with a default; the compiler calls it in place of the general one.
    public func decode<Source>(
        _ type: DecodingDefault<Source>.Type,
        forKey key: Key
    ) throws -> DecodingDefault<Source> {
        try decodeIfPresent(type, forKey: key) ?? DecodingDefault()
    }
}

/// What lenient decoding needs to know of a `DecodingDefault`.
protocol DeclaredDefault {
    init()
    static var wrappedType: Any.Type { get }
    static var defaultText: String { get }
}

extension DecodingDefault: DeclaredDefault {
    static var wrappedType: Any.Type { Source.Value.self }
    static var defaultText: String { "\(Source.decodingDefault)" }
}
