package import FoundationEssentials

/// A day and a time of the Gregorian calendar, extended before its start, at an offset from UTC.
struct CivilDate: Sendable {
    var year = 1970
    var month = 1
    var day = 1
    var hour = 0
    var minute = 0
    var second = 0
    var millisecond = 0
    /// In seconds; the other fields are UTC plus this.
    var offset: Int

    init(offset: Int = 0) { self.offset = offset }

    /// Rounds to the millisecond.
    init(seconds: Double, offset: Int = 0) {
        self.offset = offset
        let milliseconds = Int((seconds * 1000).rounded()) + offset * 1000
        let days = Self.floor(milliseconds, 86_400_000)
        let rest = milliseconds - days * 86_400_000
        (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60)
        (second, millisecond) = (rest / 1000 % 60, rest % 1000)
        (year, month, day) = Self.date(days)
    }

    /// Days since the last Thursday, 0 to 6; 1970 began with a Thursday.
    var weekday: Int {
        let days = Self.days(year, month, day)
        return days - Self.floor(days, 7) * 7
    }

    /// Seconds since 1970 in UTC; nil if there is no such day or time.
    var seconds: Double? {
        guard 1...12 ~= month, 0...23 ~= hour, 0...59 ~= minute, 0...60 ~= second else {
            return nil
        }
        let days = Self.days(year, month, day)
        guard Self.date(days) == (year, month, day) else { return nil }
        let whole = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        return Double(whole) + Double(millisecond) / 1000
    }

    /// A field of a date with zeros in front.
    static func padded(_ value: Int, _ digits: Int = 2) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    // Years begin in March here, so that a leap day is the last day of its year. An era is the 400 years after
    // which the calendar repeats.

    static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let era = floor(year, 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
            - 719_468
    }

    private static func date(_ days: Int) -> (Int, Int, Int) {
        let days = days + 719_468
        let era = floor(days, 146_097)
        let dayOfEra = days - era * 146_097
        let leaps = dayOfEra / 1460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leaps) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * part + 2) / 5 + 1)
    }

    private static func floor(_ value: Int, _ divisor: Int) -> Int {
        value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor)
    }
}

/// Dates as RFC 3339 writes them.
package enum RFC3339Date {
    /// Reads a date, the common form `2026-11-21T12:00:00Z` without a formatter; nil if the text is not a date.
    package static func parse(_ text: String) -> Date? {
        var text = text
        let seconds: Int? = text.withUTF8 { $0.count == 20 ? Self.seconds(in: $0) : nil }
        if let seconds { return Date(timeIntervalSince1970: Double(seconds)) }
        return try? Date.ISO8601FormatStyle().parse(text)
    }

    /// Seconds since 1970; nil for anything but four-digit years, common days and `Z`.
    private static func seconds(in text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard text[4] == 0x2D, text[7] == 0x2D, text[10] == 0x54, text[13] == 0x3A,
            text[16] == 0x3A, text[19] == 0x5A, let century = pair(text, 0),
            let years = pair(text, 2), let month = pair(text, 5), let day = pair(text, 8),
            let hour = pair(text, 11), let minute = pair(text, 14), let second = pair(text, 17),
            // The formatter decides about early years, days that not every month has, and leap seconds.
            century >= 16, (1...12).contains(month), (1...28).contains(day), hour < 24,
            minute < 60, second < 60
        else { return nil }
        let days = CivilDate.days(century * 100 + years, month, day)
        return ((days * 24 + hour) * 60 + minute) * 60 + second
    }

    @inline(__always) private static func pair(
        _ text: UnsafeBufferPointer<UInt8>,
        _ at: Int
    ) -> Int? {
        let tens = text[at] &- 0x30
        let ones = text[at + 1] &- 0x30
        return tens < 10 && ones < 10 ? Int(tens) * 10 + Int(ones) : nil
    }
}
