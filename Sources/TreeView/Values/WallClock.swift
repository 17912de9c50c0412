import Documents
package import FoundationEssentials

/// The current time and the user's time zone.
package struct WallClock: Equatable, Sendable {
    /// The time of the last event.
    package var now: Date
    /// The zone of times of day; nil for the system's.
    package var zone: TimeZone?

    /// Makes a clock that stands at a time.
    package init(now: Date, zone: TimeZone?) { (self.now, self.zone) = (now, zone) }

    /// `3 h ago`, `in 34 min`, `just now`.
    package func distance(to date: Date) -> String {
        let seconds = date.timeIntervalSince(now)
        if abs(seconds) < 1 { return "just now" }
        let words = Readable.duration(.seconds(min(abs(seconds), 1e12)))
        return seconds < 0 ? "\(words) ago" : "in \(words)"
    }

    /// `Mon 23 Nov 2026, yesterday`, relative to today in the user's time zone.
    package func words(forDay date: Date) -> String {
        func day(_ seconds: Double) -> Double { (seconds / 86_400).rounded(.down) }
        let local = now.timeIntervalSince1970 + Double(LocalTime.offset(at: now, in: zone))
        let days = day(date.timeIntervalSince1970) - day(local)
        let distance =
            switch days {
            case 0: "today"
            case 1: "tomorrow"
            case -1: "yesterday"
            default: self.distance(to: now.addingTimeInterval(days * 86_400))
            }
        return "\(DayNames(now: now, zone: .gmt).fullName(of: date)), \(distance)"
    }

    /// `Mon 23 Nov 2026 22:12:08 +01:00`.
    package func words(for date: Date, in zone: TimeZone? = nil) -> String {
        let zone = zone ?? self.zone
        let days = DayNames(now: now, zone: zone)
        let offset = LocalTime.offset(at: date, in: zone) / 60
        let sign = offset < 0 ? "-" : "+"
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let minutes = abs(offset)
        let place = offset == 0 ? "UTC" : "\(sign)\(two(minutes / 60)):\(two(minutes % 60))"
        return "\(days.fullName(of: date)) \(days.clock(of: date)) \(place)"
    }
}
