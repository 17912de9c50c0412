import Apus
import FoundationEssentials

/// A cache policy in words.
enum CacheWords {
    static func text(_ policy: CachePolicy) -> String {
        if policy.semantics == .own, policy.expiry == .expired { return "keep nothing" }
        let time = policy.semantics == .http ? "as HTTP says" : text(policy.expiry)
        switch policy.storage {
        case .none: return "keep nothing"
        case .memory: return "keep \(time) in memory"
        case .disk: return "keep \(time) on disk"
        case .memoryAndDisk: return "keep \(time) in memory and on disk"
        }
    }

    /// `500 ms`, `10 s`, `5 min`, `2 h`, `1 day`, in the largest unit that is exact.
    static func text(_ duration: Duration) -> String { text(seconds: duration.inSeconds) }

    private static func text(_ expiry: CachePolicy.Expiry) -> String {
        switch expiry {
        case .never: "for ever"
        case .seconds(let seconds): text(seconds: seconds)
        case .days(let days): text(seconds: days * 86_400)
        case .date(let date): "until \(date.formatted(.iso8601))"
        case .expired: "nothing"
        }
    }

    private static func text(seconds: Double) -> String {
        for (unit, size) in [("day", 86_400.0), ("h", 3600), ("min", 60), ("s", 1)]
        where seconds >= size && seconds.remainder(dividingBy: size) == 0 {
            let count = seconds / size
            return "\(number(count)) \(unit == "day" && count != 1 ? "days" : unit)"
        }
        return seconds >= 1 ? "\(number(seconds)) s" : "\(number(seconds * 1000)) ms"
    }

    private static func number(_ value: Double) -> String {
        let rounded = (value * 1000).rounded() / 1000
        return rounded == rounded.rounded() && rounded < 1e15 ? "\(Int(rounded))" : "\(rounded)"
    }
}
