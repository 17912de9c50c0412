public import FoundationEssentials

/// Dates as seconds since 1970; numbers in strings are read too.
public struct SecondsDateTransform: ValueTransform {
    /// Transforms seconds.
    public init() {}

    /// The date so many seconds after the beginning of 1970 in UTC.
    public func value(from json: JSON) -> Date? {
        (json.double ?? json.string.flatMap { Double($0) }).map { Date(timeIntervalSince1970: $0) }
    }

    /// The seconds, with a fraction if there is one.
    public func json(from value: Date) -> JSON? { JSON(value.timeIntervalSince1970) }
}
