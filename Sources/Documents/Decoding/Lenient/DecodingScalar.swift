/// A value that is no array and no object, as lenient decoding coerces it.
public enum DecodingScalar: Sendable, Equatable {
    /// Null, or nothing at all.
    case null
    /// True or false.
    case bool(Bool)
    /// A number as written.
    case number(String)
    /// A string's content.
    case string(String)
}
