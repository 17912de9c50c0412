/// Numbers for people, with few digits.
///
/// Units are decimal, as networks count.
package enum Readable {
    private static let byteUnits = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]

    /// `812 B`, `1.2 kB`, `124 MB`.
    package static func bytes(_ count: Int) -> String {
        let (scale, unit) = unit(for: Double(count))
        return "\(number(Double(count) / scale, isWhole: scale == 1)) \(unit)"
    }

    /// `124.0 / 200.0 MB`: both in the unit of the total, so that the unit never changes.
    package static func bytes(_ done: Int, of total: Int) -> String {
        let (scale, unit) = unit(for: Double(total))
        guard scale > 1 else { return "\(done) / \(total) \(unit)" }
        return "\(tenths(Double(done) / scale)) / \(tenths(Double(total) / scale)) \(unit)"
    }

    /// `2.0 of 4.1 kB`, `13 B of 1.0 kB`: how much has arrived of the announced size.
    package static func part(_ done: Int, of total: Int) -> String {
        // In the unit of the total, a small part would be 0.0.
        guard unit(for: Double(done)) == unit(for: Double(total)) else {
            return "\(bytes(done)) of \(bytes(total))"
        }
        return bytes(done, of: total).replacing(" / ", with: " of ")
    }

    /// `310 MB/s`.
    package static func rate(_ bytesPerSecond: Double) -> String {
        let safe = bytesPerSecond.isFinite ? min(max(bytesPerSecond, 0), 9e18) : 0
        return bytes(Int(safe)) + "/s"
    }

    /// `0.3 ms`, `48 ms`, `1.4 s`, `12 s`, `4 min`, `2 h`, `3 d`.
    package static func duration(_ duration: Duration) -> String {
        let seconds = max(0, Self.seconds(duration))
        if seconds < 0.9995 {
            let milliseconds = seconds * 1000
            return milliseconds < 9.95
                ? "\(tenths(milliseconds)) ms" : "\(Int(milliseconds.rounded())) ms"
        }
        if seconds < 9.95 { return "\(tenths(seconds)) s" }
        if seconds < 59.5 { return "\(Int(seconds.rounded())) s" }
        if seconds < 3600 { return "\(max(1, Int(seconds / 60))) min" }
        if seconds < 86400 { return "\(Int(seconds / 3600)) h" }
        return "\(count(Int(min(seconds / 86400, 1e9)))) d"
    }

    /// A configured duration, exactly: `500 ms`, `30 s`, `5 min`, `2 h`, `1 day`.
    package static func span(_ duration: Duration) -> String {
        let seconds = max(0, Self.seconds(duration))
        for (unit, size) in [("day", 86_400.0), ("h", 3600), ("min", 60), ("s", 1)]
        where seconds >= size && seconds.remainder(dividingBy: size) == 0 {
            let count = seconds / size
            return "\(exact(count)) \(unit == "day" && count != 1 ? "days" : unit)"
        }
        return seconds >= 1 ? "\(exact(seconds)) s" : "\(exact(seconds * 1000)) ms"
    }

    /// At most three decimals, without zeros at the end.
    private static func exact(_ value: Double) -> String {
        let rounded = (value * 1000).rounded() / 1000
        return rounded == rounded.rounded() && rounded < 1e15 ? "\(Int(rounded))" : "\(rounded)"
    }

    /// `just now`, `12 s old`, `4 min old`, `1 day old`.
    package static func age(_ duration: Duration) -> String {
        let seconds = Self.seconds(duration)
        if seconds < 1 { return "just now" }
        if seconds < 60 { return "\(Int(seconds)) s old" }
        guard seconds >= 86400 else { return Self.duration(duration) + " old" }
        let days = Int(min(seconds / 86400, 1e9))
        return days == 1 ? "1 day old" : "\(count(days)) days old"
    }

    /// `58 s left`, `0.4 s left`.
    package static func remaining(_ duration: Duration) -> String {
        Self.duration(duration) + " left"
    }

    /// `1,000`.
    package static func count(_ number: Int) -> String {
        let digits = String(number.magnitude)
        var result = ""
        for (place, digit) in digits.enumerated() {
            if place > 0, (digits.count - place) % 3 == 0 { result.append(",") }
            result.append(digit)
        }
        return number < 0 ? "-" + result : result
    }

    /// `64 %`; `100 %` only if it is complete.
    package static func percent(_ fraction: Double) -> String {
        guard fraction.isFinite else { return "0 %" }
        return "\(Int(min(max(fraction, 0), 1) * 100 + 1e-9)) %"
    }

    private static func seconds(_ duration: Duration) -> Double {
        Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18
    }

    private static func unit(for value: Double) -> (scale: Double, unit: String) {
        var scale = 1.0
        var index = 0
        // Otherwise 999,950 B would be "1000.0 kB".
        while abs(value) / scale >= (index == 0 ? 1000 : 999.5), index < byteUnits.count - 1 {
            scale *= 1000
            index += 1
        }
        return (scale, byteUnits[index])
    }

    private static func number(_ value: Double, isWhole: Bool) -> String {
        isWhole || abs(value) >= 99.95 ? String(Int(value.rounded())) : tenths(value)
    }

    private static func tenths(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        let sign = tenths < 0 ? "-" : ""
        return "\(sign)\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
    }
}

extension String {
    /// The text with a capital letter at its start and a period at its end.
    package var asSentence: String {
        let text = prefix(1).uppercased() + dropFirst()
        return text.hasSuffix(".") || text.hasSuffix("?") ? text : text + "."
    }
}
