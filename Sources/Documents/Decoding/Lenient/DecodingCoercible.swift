/// A type that can be made of more than the one kind of value it decodes from.
///
/// Lenient decoding asks it when `init(from:)` has failed on a scalar.
public protocol DecodingCoercible: Decodable {
    /// Makes a value of a scalar of any kind; nil when that has no sense.
    init?(coercing scalar: DecodingScalar)
}
