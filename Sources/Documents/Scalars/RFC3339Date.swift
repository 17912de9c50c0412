package import FoundationEssentials

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
