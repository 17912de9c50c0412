/// Bytes a second, over about the last second.
struct RateMeter: Equatable {
    private struct Sample: Equatable {
        var at: Duration
        var bytes: Int
    }

    private static let window = Duration.seconds(1)
    private var samples: [Sample] = []

    /// Notes how many bytes there are in all by now.
    mutating func note(_ bytes: Int, at now: Duration) {
        samples.append(Sample(at: now, bytes: bytes))
        // One sample from before the window stays, to measure from.
        while samples.count > 2, now - samples[1].at > Self.window { samples.removeFirst() }
    }

    /// Bytes a second; nil before there is anything to tell it from.
    var bytesPerSecond: Double? {
        guard let first = samples.first, let last = samples.last, last.at > first.at else {
            return nil
        }
        return Double(last.bytes - first.bytes) / ((last.at - first.at) / .seconds(1))
    }
}
