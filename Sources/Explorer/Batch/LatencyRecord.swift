internal import Histogram

#if !Explorer
#error("Explorer needs a trait of Apus: .package(url: …, from: …, traits: [\"Explorer\"])")
#endif

/// The durations of requests, for percentiles and a small chart.
package struct LatencyRecord: Sendable {
    // 1 µs to 1 hour with three significant digits.
    private var histogram = Histogram<UInt32>(highestTrackableValue: 3_600_000_000)

    /// Makes a record of nothing.
    package init() {}

    /// Adds all requests of another record, as if each had been recorded here.
    package mutating func add(_ other: LatencyRecord) { histogram.add(other.histogram) }

    /// Records how long one request took.
    package mutating func record(_ duration: Duration) {
        let microseconds = UInt64(max(1, duration / .microseconds(1)))
        histogram.record(min(microseconds, 3_600_000_000))
    }

    /// The number of requests.
    package var count: Int { Int(histogram.totalCount) }

    /// The duration that `percent` of the requests did not exceed; nil if there are none.
    package func percentile(_ percent: Double) -> Duration? {
        guard count > 0 else { return nil }
        return .microseconds(Int64(histogram.valueAtPercentile(percent)))
    }

    /// The longest.
    package var maximum: Duration? { percentile(100) }

    /// A chart on a logarithmic scale: the counts of `columns` equal steps from the shortest to the longest, as
    /// fractions of the largest count.
    func profile(columns: Int) -> [Double] {
        guard let low = percentile(0), let high = maximum, columns > 0 else { return [] }
        let from = Self.logarithm(low)
        let step = max((Self.logarithm(high) - from) / Double(columns), 0.01)
        var counts = [Double](repeating: 0, count: columns)
        for value in histogram.recordedValues() {
            let index = (Self.logarithm(.microseconds(Int64(value.value))) - from) / step
            counts[min(columns - 1, max(0, Int(index)))] += Double(value.count)
        }
        let peak = counts.max() ?? 0
        return peak > 0 ? counts.map { $0 / peak } : counts
    }

    private static func logarithm(_ duration: Duration) -> Double {
        let value = max(1, duration / .microseconds(1))
        // A binary logarithm, interpolated within each power of two; it does not need libm.
        return Double(value.exponent) + (value.significand - 1)
    }
}
