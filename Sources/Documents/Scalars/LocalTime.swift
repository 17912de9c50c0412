package import FoundationEssentials
import Glibc

/// A day and a time of day in a time zone; no zone is the user's own.
///
/// Foundation knows the user's zone only with ICU, which would be half of the program. So the system's library
/// says how far it is from UTC, which changes with the seasons.
package struct LocalTime: Sendable {
    /// The days since 1 January 1970.
    package let dayNumber: Int
    /// The seconds since midnight, if no clock was changed since.
    private let second: Int
    private let day: CivilDate

    /// The time at a date.
    package init(_ date: Date, in zone: TimeZone?) {
        let seconds = Self.clamped(date) + Self.offset(at: date, in: zone)
        dayNumber = Int((Double(seconds) / 86_400).rounded(.down))
        second = seconds - dayNumber * 86_400
        day = CivilDate(seconds: Double(seconds))
    }

    /// The year, 1970.
    package var year: Int { day.year }
    /// The month, 1 to 12.
    package var month: Int { day.month }
    /// The day of the month, 1 to 31.
    package var dayOfMonth: Int { day.day }
    /// The days since the last Sunday, 0 to 6.
    package var weekday: Int { (day.weekday + 4) % 7 }
    /// "15:22:36".
    package var clock: String {
        [second / 3600, second / 60 % 60, second % 60].map { CivilDate.padded($0) }
            .joined(separator: ":")
    }

    /// The days from 1 January 1970 to a day, which may lie after the end of its month.
    package static func dayNumber(year: Int, month: Int, dayOfMonth: Int) -> Int {
        CivilDate.days(year, month, dayOfMonth)
    }

    /// The date of a time of day.
    package static func date(
        dayNumber: Int,
        hour: Int = 0,
        minute: Int = 0,
        in zone: TimeZone?
    ) -> Date {
        let time = Double(dayNumber) * 86_400 + Double(hour * 3600 + minute * 60)
        // The offset is that of the date, which it determines.
        var date = Date(timeIntervalSince1970: time)
        for _ in 0..<2 {
            date = Date(timeIntervalSince1970: time - Double(offset(at: date, in: zone)))
        }
        return date
    }

    /// The date at which the day of a date begins.
    package static func startOfDay(_ date: Date, in zone: TimeZone?) -> Date {
        self.date(dayNumber: LocalTime(date, in: zone).dayNumber, in: zone)
    }

    /// The seconds that a zone's time is ahead of UTC at a date.
    package static func offset(at date: Date, in zone: TimeZone?) -> Int {
        if let zone { return zone.secondsFromGMT(for: date) }
        var (seconds, parts) = (time_t(clamped(date)), tm())
        return localtime_r(&seconds, &parts) == nil ? 0 : parts.tm_gmtoff
    }

    /// Whole seconds since 1970, within some thousands of years.
    private static func clamped(_ date: Date) -> Int {
        Int(min(max(-1e12, date.timeIntervalSince1970.rounded(.down)), 1e12))
    }
}

extension TimeZone {
    /// The user's time zone, as it is at a date.
    package static func local(at date: Date) -> TimeZone {
        TimeZone(secondsFromGMT: LocalTime.offset(at: date, in: nil)) ?? .gmt
    }
}
