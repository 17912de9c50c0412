import FoundationEssentials

/// A moment as fields give it (RFC 9110, 5.6.7).
///
/// All three formats are read, in any case (RFC 9111, 4.2), always in GMT, and
/// otherwise strictly: a date that is nearly right could be meant otherwise.
enum HTTPDate {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let weekdays = [
        "thursday", "friday", "saturday", "sunday", "monday", "tuesday", "wednesday",
    ]

    /// Nil if the text is not a date in one of the formats.
    ///
    /// `now` tells the century of a year of two digits: more than 50 years ahead
    /// is taken for the past.
    static func parse(_ text: some StringProtocol, now: Date) -> Date? {
        let words = text.lowercased().split(separator: " ", omittingEmptySubsequences: false)
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
    static func format(_ date: Date) -> String {
        let seconds = Int(date.timeIntervalSince1970.rounded(.down))
        let day = Int((Double(seconds) / 86_400).rounded(.down))
        let civil = CivilDay(daysSince1970: day)
        let time = seconds - day * 86_400
        let weekday = weekdays[((day % 7) + 7) % 7].prefix(3).capitalizedFirst
        let month = months[civil.month - 1][...].capitalizedFirst
        return "\(weekday), \(padded(civil.day)) \(month) \(padded(civil.year, 4)) "
            + "\(padded(time / 3600)):\(padded(time / 60 % 60)):\(padded(time % 60)) GMT"
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
        let thisDay = Int((now.timeIntervalSince1970 / 86_400).rounded(.down))
        let century = CivilDay(daysSince1970: thisDay).year / 100 * 100
        let limit = now.addingTimeInterval(50 * 365.2425 * 86_400)
        // The latest century in which the moment is not more than 50 years ahead.
        for year in [century + 100 + shortYear, century + shortYear] {
            guard let found = date(year, month(parts[1]), day, words[2]) else { continue }
            if found <= limit { return found }
        }
        return date(century - 100 + shortYear, month(parts[1]), day, words[2])
    }

    /// `sun nov  6 08:49:37 1994`.
    private static func asctime(_ words: [Substring]) -> Date? {
        // A day of one digit stands behind two spaces.
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
        guard let month, let civil = CivilDay(year: year, month: month, day: day) else {
            return nil
        }
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let hour = number(parts[0], digits: 2), hour < 24,
            let minute = number(parts[1], digits: 2), minute < 60,
            // 60 is a leap second.
            let second = number(parts[2], digits: 2), second <= 60
        else { return nil }
        let seconds = civil.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second
        return Date(timeIntervalSince1970: Double(seconds))
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

    private static func padded(_ number: Int, _ width: Int = 2) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

extension Substring {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

/// A day of the Gregorian calendar, before its start too.
struct CivilDay: Sendable, Equatable {
    let year: Int
    let month: Int
    let day: Int

    /// Nil if the month has no such day.
    init?(year: Int, month: Int, day: Int) {
        guard (1...12).contains(month), day >= 1, day <= Self.length(of: month, in: year) else {
            return nil
        }
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that is this many days after 1 January 1970.
    init(daysSince1970: Int) {
        // Years begin in March, so that the leap day is the last of its year.
        let days = daysSince1970 + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var daysSince1970: Int {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func length(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
