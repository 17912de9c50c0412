import Apus

/// The course of a batch over time, in a limited number of equal time steps.
///
/// When the last step is full, pairs of steps are merged and a step becomes twice as long, so that a batch of a
/// day takes no more memory than one of a second.
struct BatchTimeline {
    /// The requests that ended within a step.
    struct Step {
        var ended = 0
        var bad = 0
        /// The number of requests by duration; see `band(of:)`.
        var bands = SIMD16<UInt32>.zero

        static func + (a: Step, b: Step) -> Step {
            Step(ended: a.ended + b.ended, bad: a.bad + b.bad, bands: a.bands &+ b.bands)
        }
    }

    static let limit = 128
    /// The length of a step.
    private(set) var span = Duration.milliseconds(10)
    private(set) var steps: [Step] = []

    /// Records a request that ended this long after the start.
    mutating func record(at elapsed: Duration, took duration: Duration, isBad: Bool) {
        while elapsed >= span * Self.limit { halve() }
        let index = max(0, Int(elapsed / span))
        while steps.count <= index { steps.append(Step()) }
        steps[index].ended += 1
        if isBad { steps[index].bad += 1 }
        steps[index].bands[Self.band(of: duration)] &+= 1
    }

    private mutating func halve() {
        steps = stride(from: 0, to: steps.count, by: 2).map { index in
            index + 1 < steps.count ? steps[index] + steps[index + 1] : steps[index]
        }
        span *= 2
    }

    /// The steps up to a time, summed up in `count` columns; each column has at least one step.
    func columns(_ count: Int, until elapsed: Duration) -> [(step: Step, span: Duration)] {
        guard count > 0, !steps.isEmpty else { return [] }
        let total = min(Self.limit, max(steps.count, Int((elapsed / span).rounded(.up))))
        return (0..<count).map { column in
            let first = column * total / count
            let last = max(first + 1, (column + 1) * total / count)
            let sum = (first..<last).reduce(Step()) { sum, index in
                steps.indices.contains(index) ? sum + steps[index] : sum
            }
            return (sum, span * (last - first))
        }
    }

    /// The band of a duration: the first ends at 1 ms, each further one at twice the limit of the one before.
    static func band(of duration: Duration) -> Int {
        let milliseconds = Int(duration / .milliseconds(1))
        return min(15, Int.bitWidth - milliseconds.leadingZeroBitCount)
    }

    /// The limit that the durations of a band stay below; nil for the last band, which has none.
    static func limit(ofBand band: Int) -> Duration? {
        band < 15 ? .milliseconds(1 << band) : nil
    }
}
