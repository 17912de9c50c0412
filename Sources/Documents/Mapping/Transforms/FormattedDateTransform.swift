public import FoundationEssentials

/// Dates in a format of one's own, in UTC or at a fixed distance from it.
///
/// The format has `yyyy MM dd HH mm ss SSS`, an offset such as `+02:00` or `Z` for `Z`, and literal
/// text; letters that stand for themselves are in single quotes: `yyyy-MM-dd'T'HH:mm:ss`.
public struct FormattedDateTransform: ValueTransform {
    private let fields: [DateField]
    private let offset: Int

    /// Transforms dates of a format; `secondsFromUTC` is for formats without an offset.
    public init(_ format: String, secondsFromUTC: Int = 0) {
        fields = DateField.fields(of: format)
        offset = secondsFromUTC
    }

    /// The date that a string says; nil when it says another form, or a day that does not exist.
    public func value(from json: JSON) -> Date? {
        guard let text = json.string else { return nil }
        var rest = Array(text.utf8)[...]
        var parts = DateParts(offset: offset)
        for field in fields {
            guard field.read(&rest, into: &parts) else { return nil }
        }
        return rest.isEmpty ? parts.seconds.map { Date(timeIntervalSince1970: $0) } : nil
    }

    /// A string in this format.
    public func json(from value: Date) -> JSON? {
        // The years that four digits can say, which also keeps the arithmetic in range.
        let seconds = value.timeIntervalSince1970
        guard seconds >= -62_167_219_200 && seconds < 253_402_300_800 else { return nil }
        let parts = DateParts(seconds: seconds, offset: offset)
        return JSON(fields.map { $0.text(parts) }.joined())
    }
}
