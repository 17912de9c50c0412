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

/// Dates as ISO 8601 writes them: `2026-11-21T12:00:00Z`, with or without a fraction.
public struct ISO8601DateTransform: ValueTransform {
    private let writesFraction: Bool

    /// Transforms dates of ISO 8601, written to the second or to the millisecond.
    public init(writesFraction: Bool = false) {
        self.writesFraction = writesFraction
    }

    /// The date that a string says.
    public func value(from json: JSON) -> Date? {
        guard let text = json.string else { return nil }
        // A style reads either with a fraction or without.
        return (try? Self.style(true).parse(text)) ?? (try? Self.style(false).parse(text))
    }

    /// A string in UTC.
    public func json(from value: Date) -> JSON? { JSON(Self.style(writesFraction).format(value)) }

    private static func style(_ hasFraction: Bool) -> Date.ISO8601FormatStyle {
        Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction)
    }
}
