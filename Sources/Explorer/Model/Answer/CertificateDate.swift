import Documents
import FoundationEssentials

/// The end date of a certificate, as the TLS libraries write it.
enum CertificateDate {
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// "58 days left" or "expired 3 days ago"; nil for a date in another format.
    static func left(until text: String, at now: Date) -> String? {
        guard let end = date(text) else { return nil }
        let days = Int(end.timeIntervalSince(now) / 86_400)
        let count = abs(days)
        let span = count == 1 ? "1 day" : "\(Readable.count(count)) days"
        if end <= now { return "expired \(span) ago" }
        return days == 0 ? "less than a day left" : "\(span) left"
    }

    /// `Feb  6 12:00:00 2027 GMT` or `2027-02-06 12:00:00 GMT`.
    static func date(_ text: String) -> Date? {
        let words = text.split(separator: " ")
        let (day, time): (String, Substring)
        if words.count >= 4, let month = months.firstIndex(of: String(words[0])),
            let number = Int(words[1])
        {
            day = "\(words[3])-\(twoDigits(month + 1))-\(twoDigits(number))"
            time = words[2]
        } else if words.count >= 2 {
            (day, time) = (String(words[0]), words[1])
        } else {
            return nil
        }
        // nil if it is in neither format.
        return try? Date("\(day)T\(time)Z", strategy: .iso8601)
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}
