package import FoundationEssentials

/// Dates in header fields (RFC 9110, section 5.6.7).
///
/// All three formats are read, in any case (RFC 9111, section 4.2) and always in GMT, but otherwise strictly: a
/// date that is nearly right could mean another one.
package enum HTTPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    /// From Thursday on, like `CivilDate.weekday`.
    private static let weekdays = [
        "thursday", "friday", "saturday", "sunday", "monday", "tuesday", "wednesday",
    ]

    /// Reads a date; nil if the text is not in one of the formats.
    ///
    /// `now` decides the century of a two-digit year: a date more than 50 years ahead is read as a past one.
    package static func parse(_ text: some StringProtocol, now: Date) -> Date? {
        let words = text.asciiLowercased.split(separator: " ", omittingEmptySubsequences: false)
        guard let weekday = words.first else { return nil }
        if weekday.last == "," {
            return isWeekday(weekday.dropLast(), isShort: true)
                ? imfFixdate(words)
                : isWeekday(weekday.dropLast(), isShort: false)
                    ? rfc850(words, now) : nil
        }
        return isWeekday(weekday, isShort: true) ? asctime(words) : nil
    }

    /// `date` in the preferred format, without its fraction of a second.
    package static func format(_ date: Date) -> String {
        let civil = CivilDate(seconds: date.timeIntervalSince1970.rounded(.down))
        let weekday = weekdays[civil.weekday].prefix(3).capitalizedFirst
        let month = months[civil.month - 1][...].capitalizedFirst
        let (day, year) = (CivilDate.padded(civil.day), CivilDate.padded(civil.year, 4))
        let time = [civil.hour, civil.minute, civil.second].map { CivilDate.padded($0) }
        return "\(weekday), \(day) \(month) \(year) \(time.joined(separator: ":")) GMT"
    }

    /// `sun, 06 nov 1994 08:49:37 gmt`.
    private static func imfFixdate(_ words: [Substring]) -> Date? {
        guard words.count == 6, words[5] == "gmt", let day = number(words[1], digits: 2),
            let year = number(words[3], digits: 4)
        else { return nil }
        return date(year, month(words[2]), day, words[4])
    }

    /// `sunday, 06-nov-94 08:49:37 gmt`.
    private static func rfc850(_ words: [Substring], _ now: Date) -> Date? {
        guard words.count == 4, words[3] == "gmt" else { return nil }
        let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, let day = number(parts[0], digits: 2),
            let shortYear = number(parts[2], digits: 2)
        else { return nil }
        let century = CivilDate(seconds: now.timeIntervalSince1970).year / 100 * 100
        let limit = now.addingTimeInterval(50 * 365.2425 * 86_400)
        // The latest century in which the date is not more than 50 years ahead.
        for year in [century + 100 + shortYear, century + shortYear] {
            guard let found = date(year, month(parts[1]), day, words[2]) else { continue }
            if found <= limit { return found }
        }
        return date(century - 100 + shortYear, month(parts[1]), day, words[2])
    }

    /// `sun nov  6 08:49:37 1994`.
    private static func asctime(_ words: [Substring]) -> Date? {
        // A one-digit day follows two spaces.
        let isShortDay = words.count == 6 && words[2].isEmpty
        guard isShortDay || words.count == 5 else { return nil }
        let rest = isShortDay ? words[3...] : words[2...]
        let time = rest.startIndex + 1
        guard let day = number(rest[rest.startIndex], digits: isShortDay ? 1 : 2),
            let year = number(rest[time + 1], digits: 4)
        else { return nil }
        return date(year, month(words[1]), day, rest[time])
    }

    private static func date(_ year: Int, _ month: Int?, _ day: Int, _ time: Substring) -> Date? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard let month, parts.count == 3, let hour = number(parts[0], digits: 2),
            let minute = number(parts[1], digits: 2), let second = number(parts[2], digits: 2)
        else { return nil }
        var civil = CivilDate()
        (civil.year, civil.month, civil.day) = (year, month, day)
        (civil.hour, civil.minute, civil.second) = (hour, minute, second)
        return civil.seconds.map { Date(timeIntervalSince1970: $0) }
    }

    private static func isWeekday(_ text: Substring, isShort: Bool) -> Bool {
        weekdays.contains { isShort ? $0.prefix(3) == text : $0[...] == text }
    }

    private static func month(_ text: Substring) -> Int? {
        months.firstIndex { $0[...] == text }.map { $0 + 1 }
    }

    private static func number(_ text: Substring, digits: Int) -> Int? {
        guard text.utf8.count == digits,
            text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { return nil }
        return Int(text)
    }
}

extension Substring {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
