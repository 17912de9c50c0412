import Documents
package import FoundationEssentials

/// Names the days of lines that go back in time.
package struct DayNames {
    /// The time zone; nil for the user's own.
    private let zone: TimeZone?
    private let today: Date
    private var current: Date

    /// Names days as seen from a time.
    package init(now: Date, zone: TimeZone?) {
        self.zone = zone
        today = LocalTime.startOfDay(now, in: zone)
        current = today
    }

    /// The name of a time's day if it is not the day of the previous time; nil for today.
    package mutating func change(at time: Date) -> String? {
        guard time < current else { return nil }
        current = LocalTime.startOfDay(time, in: zone)
        return name(of: current)
    }

    /// "yesterday", "Fri 20 Nov", "20 Nov 2025".
    package func name(of day: Date) -> String {
        let time = LocalTime(day, in: zone)
        let age = LocalTime(today, in: zone).dayNumber - time.dayNumber
        if age == 1 { return "yesterday" }
        let (weekday, date) = words(for: time)
        return age < 180 ? "\(weekday) \(date)" : "\(date) \(time.year)"
    }

    /// "Mon 23 Nov 2026".
    func fullName(of date: Date) -> String {
        let time = LocalTime(date, in: zone)
        let (weekday, date) = words(for: time)
        return "\(weekday) \(date) \(time.year)"
    }

    private func words(for time: LocalTime) -> (weekday: String, date: String) {
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        return (weekdays[time.weekday], "\(time.dayOfMonth) \(months[time.month - 1])")
    }

    /// The time in words: "15:22:36" for today, "yesterday 18:04", "20 Nov 18:04".
    package func time(of date: Date) -> String {
        let day = LocalTime.startOfDay(date, in: zone)
        let clock = clock(of: date)
        return day == today ? clock : "\(name(of: day)) \(clock.prefix(5))"
    }

    /// "15:22:36".
    package func clock(of date: Date) -> String { LocalTime(date, in: zone).clock }
}
