/// Durations and sizes as people write them.
package enum Quantity {
    /// Reads `500 ms`, `10 s`, `5 min`, `2 h` or `1 day`; nil for anything else.
    package static func duration(_ text: String) -> Duration? {
        guard let (number, unit) = split(text) else { return nil }
        let seconds: Double? =
            switch unit {
            case "ms": 0.001
            case "s", "sec", "second", "seconds": 1
            case "m", "min", "minute", "minutes": 60
            case "h", "hour", "hours": 3600
            case "d", "day", "days": 86_400
            default: nil
            }
        // At most about a hundred thousand years, so that no sum of durations overflows.
        guard let seconds, number * seconds <= 3e12 else { return nil }
        return .seconds(number * seconds)
    }

    /// Reads `512 B`, `10 kB`, `8 MiB` or `1 GB`; nil for anything else.
    package static func size(_ text: String) -> Int? {
        guard let (number, unit) = split(text) else { return nil }
        let bytes: Double? =
            switch unit.lowercased() {
            case "b", "byte", "bytes": 1
            case "kb": 1e3
            case "mb": 1e6
            case "gb": 1e9
            case "kib": 1024
            case "mib": 1_048_576
            case "gib": 1_073_741_824
            default: nil
            }
        guard let bytes, number * bytes <= 1e15 else { return nil }
        return Int(number * bytes)
    }

    /// A number that is not negative, and the unit after it.
    private static func split(_ text: String) -> (Double, String)? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits), number.isFinite else { return nil }
        return (number, String(text[digits.endIndex...].drop { $0 == " " }))
    }
}
