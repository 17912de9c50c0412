import Apus
internal import Histogram

/// How a batch went on over time: equal steps of time, of which there are never more than a few.
///
/// When the last one is full, two become one and a step takes twice as long: a batch of a day takes no more
/// room than one of a second.
struct BatchCourse {
    /// What ended within a step.
    struct Step {
        var ended = 0
        var bad = 0
        /// How many took how long, by `band(of:)`.
        var bands = SIMD16<UInt32>.zero

        static func + (a: Step, b: Step) -> Step {
            Step(ended: a.ended + b.ended, bad: a.bad + b.bad, bands: a.bands &+ b.bands)
        }
    }

    static let limit = 128
    /// How long a step is.
    private(set) var span = Duration.milliseconds(10)
    private(set) var steps: [Step] = []

    /// Notes a request that ended so long after the begin.
    mutating func note(at elapsed: Duration, took duration: Duration, isBad: Bool) {
        while elapsed >= span * Self.limit { halve() }
        let place = max(0, Int(elapsed / span))
        while steps.count <= place { steps.append(Step()) }
        steps[place].ended += 1
        if isBad { steps[place].bad += 1 }
        steps[place].bands[Self.band(of: duration)] &+= 1
    }

    private mutating func halve() {
        steps = stride(from: 0, to: steps.count, by: 2).map { place in
            place + 1 < steps.count ? steps[place] + steps[place + 1] : steps[place]
        }
        span *= 2
    }

    /// The steps until a time, as so many columns; each has one at least.
    func columns(_ count: Int, until elapsed: Duration) -> [(step: Step, span: Duration)] {
        guard count > 0, !steps.isEmpty else { return [] }
        let total = min(Self.limit, max(steps.count, Int((elapsed / span).rounded(.up))))
        return (0..<count).map { column in
            let first = column * total / count
            let last = max(first + 1, (column + 1) * total / count)
            let sum = (first..<last).reduce(Step()) { sum, place in
                steps.indices.contains(place) ? sum + steps[place] : sum
            }
            return (sum, span * (last - first))
        }
    }

    /// The band of a time: each reaches to twice the time of the one before, the first to 1 ms.
    static func band(of duration: Duration) -> Int {
        let milliseconds = Int(duration / .milliseconds(1))
        return min(15, Int.bitWidth - milliseconds.leadingZeroBitCount)
    }

    /// What the times of a band are less than; nil for the last, which has no end.
    static func limit(ofBand band: Int) -> Duration? {
        band < 15 ? .milliseconds(1 << band) : nil
    }
}

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
