public import FoundationEssentials

/// Dates in a custom format, in UTC or at a fixed offset from it.
///
/// The format consists of `yyyy MM dd HH mm ss SSS`, `Z` for an offset such as `+02:00` or `Z`, and literal
/// text. Literal letters are in single quotes: `yyyy-MM-dd'T'HH:mm:ss`.
public struct FormattedDateTransform: ValueTransform {
    private let fields: [DateFormatField]
    private let offset: Int

    /// Transforms dates of a format; `offsetFromUTC`, in whole seconds, is for formats without an offset.
    public init(_ format: String, offsetFromUTC: Duration = .zero) {
        fields = DateFormatField.fields(of: format)
        offset = Int(offsetFromUTC.components.seconds)
    }

    /// The date in a string; nil if it is in another format, or names a day that does not exist.
    public func value(from json: JSON) -> Date? {
        guard let text = json.string else { return nil }
        var rest = Array(text.utf8)[...]
        var parts = CivilDate(offset: offset)
        for field in fields {
            guard field.read(&rest, into: &parts) else { return nil }
        }
        return rest.isEmpty ? parts.seconds.map { Date(timeIntervalSince1970: $0) } : nil
    }

    /// A string in this format; nil outside the years 0 to 9999.
    public func json(from value: Date) -> JSON? {
        // The years that have four digits, which also keeps the arithmetic in range.
        let seconds = value.timeIntervalSince1970
        guard seconds >= -62_167_219_200 && seconds < 253_402_300_800 else { return nil }
        let parts = CivilDate(seconds: seconds, offset: offset)
        return JSON(fields.map { $0.text(parts) }.joined())
    }
}

/// Dates in ISO 8601, such as `2026-11-21T12:00:00Z`, with or without a fraction.
public struct ISO8601DateTransform: ValueTransform {
    private let writesFraction: Bool

    /// Transforms dates in ISO 8601, written to the second or to the millisecond.
    public init(writesFraction: Bool = false) {
        self.writesFraction = writesFraction
    }

    /// The date in a string; nil if it is not in ISO 8601.
    public func value(from json: JSON) -> Date? {
        guard let text = json.string else { return nil }
        // A format style reads dates either with a fraction or without.
        return (try? Self.style(true).parse(text)) ?? (try? Self.style(false).parse(text))
    }

    /// A string in UTC.
    public func json(from value: Date) -> JSON? { JSON(Self.style(writesFraction).format(value)) }

    private static func style(_ hasFraction: Bool) -> Date.ISO8601FormatStyle {
        Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction)
    }
}

/// Dates as milliseconds since 1970; numbers in strings are read too.
public struct MillisecondsDateTransform: ValueTransform {
    /// Transforms milliseconds.
    public init() {}

    /// The date this many milliseconds after the beginning of 1970 in UTC.
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

/// Dates as seconds since 1970; numbers in strings are read too.
public struct SecondsDateTransform: ValueTransform {
    /// Transforms seconds.
    public init() {}

    /// The date this many seconds after the beginning of 1970 in UTC.
    public func value(from json: JSON) -> Date? {
        (json.double ?? json.string.flatMap { Double($0) }).map { Date(timeIntervalSince1970: $0) }
    }

    /// The seconds, with a fraction if there is one.
    public func json(from value: Date) -> JSON? { JSON(value.timeIntervalSince1970) }
}

/// A part of a date's format.
enum DateFormatField: Sendable, Equatable {
    case literal(String)
    case number(any WritableKeyPath<CivilDate, Int> & Sendable, digits: Int)
    case offset

    static func fields(of format: String) -> [DateFormatField] {
        var fields: [DateFormatField] = []
        var rest = format[...]
        while let letter = rest.first {
            if letter == "'" {
                fields.append(.literal(quoted(&rest)))
                continue
            }
            let run = rest.prefix { $0 == letter }
            fields.append(field(letter, String(run)))
            rest = rest.dropFirst(run.count)
        }
        return fields
    }

    /// The text between quotes; two quotes stand for one, both inside quoted text and alone.
    private static func quoted(_ rest: inout Substring) -> String {
        rest = rest.dropFirst()
        if rest.first == "'" {
            rest = rest.dropFirst()
            return "'"
        }
        var text = ""
        while let letter = rest.popFirst() {
            if letter == "'" {
                guard rest.first == "'" else { break }
                rest = rest.dropFirst()
            }
            text.append(letter)
        }
        return text
    }

    private static func field(_ letter: Character, _ run: String) -> DateFormatField {
        switch letter {
        case "y": .number(\.year, digits: 4)
        case "M": .number(\.month, digits: 2)
        case "d": .number(\.day, digits: 2)
        case "H": .number(\.hour, digits: 2)
        case "m": .number(\.minute, digits: 2)
        case "s": .number(\.second, digits: 2)
        case "S": .number(\.millisecond, digits: 3)
        case "Z", "X": .offset
        default: .literal(run)
        }
    }

    // MARK: - Reading

    func read(_ text: inout ArraySlice<UInt8>, into parts: inout CivilDate) -> Bool {
        switch self {
        case .literal(let literal):
            guard text.starts(with: literal.utf8) else { return false }
            text = text.dropFirst(literal.utf8.count)
        case .number(let part, let digits):
            guard let value = Self.number(&text, digits) else { return false }
            parts[keyPath: part] = value
        case .offset:
            guard let offset = Self.offset(&text) else { return false }
            parts.offset = offset
        }
        return true
    }

    private static func number(_ text: inout ArraySlice<UInt8>, _ digits: Int) -> Int? {
        let run = text.prefix(digits)
        guard run.count == digits, run.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        text = text.dropFirst(digits)
        return run.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    private static func offset(_ text: inout ArraySlice<UInt8>) -> Int? {
        guard let sign = text.popFirst() else { return nil }
        if sign == 0x5A { return 0 }
        guard sign == 0x2B || sign == 0x2D, let hours = number(&text, 2) else { return nil }
        if text.first == 0x3A { text = text.dropFirst() }
        guard let minutes = number(&text, 2), hours < 24, minutes < 60 else { return nil }
        return (sign == 0x2D ? -60 : 60) * (hours * 60 + minutes)
    }

    // MARK: - Writing

    func text(_ parts: CivilDate) -> String {
        switch self {
        case .literal(let literal): return literal
        case .number(let part, let digits): return CivilDate.padded(parts[keyPath: part], digits)
        case .offset:
            guard parts.offset != 0 else { return "Z" }
            let minutes = abs(parts.offset) / 60
            let sign = parts.offset < 0 ? "-" : "+"
            return sign + CivilDate.padded(minutes / 60) + ":" + CivilDate.padded(minutes % 60)
        }
    }
}
