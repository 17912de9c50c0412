/// A type with a value that stands in for a missing one when decoding leniently.
public protocol DecodingDefaultProviding {
    /// The value that stands in.
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
    /// The empty string.
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
