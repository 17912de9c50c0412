public import FoundationEssentials

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
