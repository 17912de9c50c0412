package import FoundationEssentials

/// Names the days of lines that go back in time.
package struct DayNames {
    private let calendar: Calendar
    private let zone: TimeZone
    private let today: Date
    private var current: Date

    /// Names days as seen from a time.
    package init(now: Date, zone: TimeZone) {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        (self.calendar, self.zone) = (calendar, zone)
        today = calendar.startOfDay(for: now)
        current = today
    }

    /// The name of a time's day if it is not the day of the previous time; nil for today.
    package mutating func change(at time: Date) -> String? {
        guard time < current else { return nil }
        current = calendar.startOfDay(for: time)
        return name(of: current)
    }

    /// "yesterday", "Fri 20 Nov", "20 Nov 2025".
    package func name(of day: Date) -> String {
        let age = calendar.dateComponents([.day], from: day, to: today).day ?? 0
        if age == 1 { return "yesterday" }
        let parts = parts(of: day)
        return age < 180 ? "\(parts.weekday) \(parts.date)" : "\(parts.date) \(parts.year)"
    }

    /// "Mon 23 Nov 2026".
    func fullName(of date: Date) -> String {
        let parts = parts(of: date)
        return "\(parts.weekday) \(parts.date) \(parts.year)"
    }

    private func parts(of day: Date) -> (weekday: String, date: String, year: Int) {
        let parts = calendar.dateComponents([.year, .month, .day, .weekday], from: day)
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let month = months[(parts.month ?? 1) - 1]
        let weekday = weekdays[(parts.weekday ?? 1) - 1]
        return (weekday, "\(parts.day ?? 1) \(month)", parts.year ?? 0)
    }

    /// The time in words: "15:22:36" for today, "yesterday 18:04", "20 Nov 18:04".
    package func time(of date: Date) -> String {
        let day = calendar.startOfDay(for: date)
        let clock = Self.clock(date, calendar)
        return day == today ? clock : "\(name(of: day)) \(clock.prefix(5))"
    }

    /// "15:22:36".
    package func clock(of date: Date) -> String { Self.clock(date, calendar) }

    private static func clock(_ date: Date, _ calendar: Calendar) -> String {
        let parts = calendar.dateComponents([.hour, .minute, .second], from: date)
        func two(_ number: Int?) -> String {
            let number = number ?? 0
            return number < 10 ? "0\(number)" : "\(number)"
        }
        return "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second))"
    }
}
