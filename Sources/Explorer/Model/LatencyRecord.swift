internal import Histogram

/// How long requests took, for percentiles and a small picture.
struct LatencyRecord {
    // 1 µs to 1 hour with three significant digits.
    private var histogram = Histogram<UInt32>(highestTrackableValue: 3_600_000_000)

    /// Notes one request.
    mutating func note(_ duration: Duration) {
        let microseconds = UInt64(max(1, duration / .microseconds(1)))
        histogram.record(min(microseconds, 3_600_000_000))
    }

    /// How many were noted.
    var count: Int { Int(histogram.totalCount) }

    /// The time that `percent` of them stayed under; nil if there is none.
    func percentile(_ percent: Double) -> Duration? {
        guard count > 0 else { return nil }
        return .microseconds(Int64(histogram.valueAtPercentile(percent)))
    }

    /// The longest.
    var maximum: Duration? { percentile(100) }

    /// The shares of `columns` equal steps of the logarithm from the shortest
    /// to the longest, the largest being 1.
    func profile(columns: Int) -> [Double] {
        guard let low = percentile(0), let high = maximum, columns > 0 else { return [] }
        let from = Self.logarithm(low)
        let step = max((Self.logarithm(high) - from) / Double(columns), 0.01)
        var counts = [Double](repeating: 0, count: columns)
        for value in histogram.recordedValues() {
            let place = (Self.logarithm(.microseconds(Int64(value.value))) - from) / step
            counts[min(columns - 1, max(0, Int(place)))] += Double(value.count)
        }
        let peak = counts.max() ?? 0
        return peak > 0 ? counts.map { $0 / peak } : counts
    }

    private static func logarithm(_ duration: Duration) -> Double {
        let value = max(1, duration / .microseconds(1))
        // The binary logarithm, to a part of the exponent; no need for libm.
        return Double(value.exponent) + (value.significand - 1)
    }
}
