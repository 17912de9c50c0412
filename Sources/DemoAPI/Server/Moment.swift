import FoundationEssentials

/// A moment as text for people and protocols.
enum Moment {
    /// RFC 3339: `2026-11-21T03:12:44Z`.
    static func timestamp(_ seconds: Double) -> String {
        date(seconds).formatted(.iso8601)
    }

    /// RFC 9110 section 5.6.7: `Sat, 21 Nov 2026 03:12:44 GMT`.
    static func httpDate(_ seconds: Double) -> String {
        let parts = calendar.dateComponents(
            [.weekday, .day, .month, .year, .hour, .minute, .second],
            from: date(seconds)
        )
        let weekday = weekdays[((parts.weekday ?? 1) - 1) % 7]
        let month = months[((parts.month ?? 1) - 1) % 12]
        let time = [parts.hour, parts.minute, parts.second].map { twoDigits($0 ?? 0) }
        return "\(weekday), \(twoDigits(parts.day ?? 1)) \(month) \(parts.year ?? 1970) "
            + "\(time.joined(separator: ":")) GMT"
    }

    private static func date(_ seconds: Double) -> Date {
        Date(timeIntervalSince1970: seconds.rounded(.down))
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
