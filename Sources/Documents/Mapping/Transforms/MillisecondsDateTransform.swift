public import FoundationEssentials

/// Dates as milliseconds since 1970; numbers in strings are read too.
public struct MillisecondsDateTransform: ValueTransform {
    /// Transforms milliseconds.
    public init() {}

    /// The date so many milliseconds after the beginning of 1970 in UTC.
    public func value(from json: JSON) -> Date? {
        SecondsDateTransform().value(from: json).map {
            Date(timeIntervalSince1970: $0.timeIntervalSince1970 / 1000)
        }
    }

    /// The milliseconds, rounded to whole ones.
    public func json(from value: Date) -> JSON? {
        JSON((value.timeIntervalSince1970 * 1000).rounded())
    }
}
