import FoundationEssentials

/// Dates as RFC 3339 writes them.
enum InternetDate {
    /// Reads a date; the common form `2026-11-21T12:00:00Z` without a formatter.
    static func parse(_ text: String) -> Date? {
        var text = text
        let seconds: Int? = text.withUTF8 { $0.count == 20 ? Self.seconds(in: $0) : nil }
        if let seconds { return Date(timeIntervalSince1970: Double(seconds)) }
        return try? Date.ISO8601FormatStyle().parse(text)
    }

    /// Seconds since 1970; nil for anything but four-digit years, valid days and `Z`.
    private static func seconds(in text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard text[4] == 0x2D, text[7] == 0x2D, text[10] == 0x54, text[13] == 0x3A,
            text[16] == 0x3A, text[19] == 0x5A, let century = pair(text, 0),
            let years = pair(text, 2), let month = pair(text, 5), let day = pair(text, 8),
            let hour = pair(text, 11), let minute = pair(text, 14), let second = pair(text, 17),
            // Before the Gregorian calendar, and at its edges, the formatter decides.
            century >= 16, (1...12).contains(month), (1...28).contains(day), hour < 24,
            minute < 60, second < 60
        else { return nil }
        let days = days(year: century * 100 + years, month: month, day: day)
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

    /// Days since 1970, counted in years that begin in March so that leap days come last.
    private static func days(year: Int, month: Int, day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
}
