/// A member with a default that every decoder uses if the member is missing or null.
///
///     struct User: Decodable {
///         @DecodingDefault<DecodingDefaults.Integer<18>> var age: Int
///     }
///
/// `DocumentDecoder.decodeLeniently` also uses the default for a value that cannot be decoded, and reports it.
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
    /// Decodes a member with a default; the compiler calls it instead of the generic method.
    public func decode<Source>(
        _ type: DecodingDefault<Source>.Type,
        forKey key: Key
    ) throws -> DecodingDefault<Source> {
        try decodeIfPresent(type, forKey: key) ?? DecodingDefault()
    }
}

/// What lenient decoding needs to know about a `DecodingDefault`.
protocol DeclaredDefault {
    init()
    static var wrappedType: Any.Type { get }
    static var defaultText: String { get }
}

extension DecodingDefault: DeclaredDefault {
    static var wrappedType: Any.Type { Source.Value.self }
    static var defaultText: String { "\(Source.decodingDefault)" }
}

/// A type with a value that replaces a missing one in lenient decoding.
///
/// A model with such a value keeps the defaults in its declarations for members that are missing, null or
/// cannot be decoded:
///
///     struct Page: Codable, DecodingDefaultProviding {
///         var size = 4
///         static var decodingDefault: Page { Page() }
///     }
///
/// If the model is also `Encodable`, its coding keys may have any names; otherwise only members whose keys are
/// named like the properties get their defaults. An optional that is missing or null is nil.
public protocol DecodingDefaultProviding {
    /// The value that replaces a missing one.
    static var decodingDefault: Self { get }
}

extension DecodingDefaultProviding where Self: ExpressibleByIntegerLiteral {
    /// Zero.
    public static var decodingDefault: Self { 0 }
}

extension Int: DecodingDefaultProviding {}
extension Int8: DecodingDefaultProviding {}
extension Int16: DecodingDefaultProviding {}
extension Int32: DecodingDefaultProviding {}
extension Int64: DecodingDefaultProviding {}
extension Int128: DecodingDefaultProviding {}
extension UInt: DecodingDefaultProviding {}
extension UInt8: DecodingDefaultProviding {}
extension UInt16: DecodingDefaultProviding {}
extension UInt32: DecodingDefaultProviding {}
extension UInt64: DecodingDefaultProviding {}
extension UInt128: DecodingDefaultProviding {}
extension Double: DecodingDefaultProviding {}
extension Float: DecodingDefaultProviding {}

extension Bool: DecodingDefaultProviding {
    /// False.
    public static var decodingDefault: Bool { false }
}

extension String: DecodingDefaultProviding {
    /// The empty string, for a member that is missing.
    public static var decodingDefault: String { "" }
}

extension Array: DecodingDefaultProviding {
    /// No elements.
    public static var decodingDefault: [Element] { [] }
}

extension Dictionary: DecodingDefaultProviding {
    /// No members.
    public static var decodingDefault: [Key: Value] { [:] }
}

extension Set: DecodingDefaultProviding {
    /// No elements.
    public static var decodingDefault: Set<Element> { [] }
}

extension Optional: DecodingDefaultProviding {
    /// Nil.
    public static var decodingDefault: Wrapped? { nil }
}

/// Names a default for `DecodingDefault`.
///
/// It is a type, because a member's declaration cannot pass a value to the code that decodes the member.
public protocol DecodingDefaultSource<Value>: Sendable {
    /// The member's type.
    associatedtype Value: Decodable
    /// The value of a member that is missing or null.
    static var decodingDefault: Value { get }
}

/// Common defaults for `DecodingDefault`.
public enum DecodingDefaults {
    /// Zero.
    public enum Zero<Value: Decodable & ExpressibleByIntegerLiteral>: DecodingDefaultSource {
        /// Zero.
        public static var decodingDefault: Value { 0 }
    }

    /// An integer, such as `Integer<18>`.
    public enum Integer<let number: Int>: DecodingDefaultSource {
        /// The number that the type is named with: 18 for `Integer<18>`.
        public static var decodingDefault: Int { number }
    }

    /// True.
    public enum True: DecodingDefaultSource {
        /// True.
        public static var decodingDefault: Bool { true }
    }

    /// False.
    public enum False: DecodingDefaultSource {
        /// False.
        public static var decodingDefault: Bool { false }
    }

    /// The default that a type itself has: `""`, `[]`, `[:]` and so on.
    public enum OfType<Value: Decodable & DecodingDefaultProviding>: DecodingDefaultSource {
        /// The type's default.
        public static var decodingDefault: Value { Value.decodingDefault }
    }
}
