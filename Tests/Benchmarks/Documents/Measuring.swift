import Glibc

/// The seconds that some work takes.
func seconds(_ work: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try work()
    return (ContinuousClock.now - start) / .seconds(1)
}

/// The most memory that this process ever had, in bytes.
func peakMemory() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return usage.ru_maxrss * 1024
}

/// A figure with so many digits behind the point.
func rounded(_ value: Double, _ digits: Int = 2) -> String {
    let scale = pow(10, Double(digits))
    let whole = Int((abs(value) * scale).rounded())
    let fraction = String(whole % Int(scale))
    let sign = value < 0 ? "-" : ""
    if digits == 0 { return sign + String(whole) }
    return sign + "\(whole / Int(scale))."
        + String(repeating: "0", count: digits - fraction.count) + fraction
}

/// Why something could not be measured.
struct MeasurementError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
