import Documents

/// How fast the requests of a batch start, and for how long.
///
/// ```
/// 50/s for 30 s      one every 20 ms, 1,500 in all
/// ```
///
/// A request starts when its turn comes, or not at all. If the server is slower than the rate, so that as
/// many requests as ``Batch/concurrency`` allows are running, the turns that come meanwhile are left out and
/// counted (``BatchSummary/missed``). They are never made up for in a burst.
public struct BatchRate: Sendable, Hashable {
    /// The number of requests that start in a second, above 0.
    public let perSecond: Double
    /// How long requests are started; those that run then still end.
    public let duration: Duration

    /// The largest number of requests of a batch with a rate.
    public static let largestCount = 1_000_000

    /// Creates a rate.
    ///
    /// - Precondition: Both are above 0, and make at most ``largestCount`` requests.
    public init(perSecond: Double, for duration: Duration) {
        precondition(
            Self.isPossible(perSecond, duration),
            "a batch's rate is above 0, for at most \(Self.largestCount) requests"
        )
        self.perSecond = perSecond
        self.duration = duration
    }

    /// Parses "50/s for 30 s", "600/min for 1 h"; nil if the text is not a rate, or one that is not possible.
    public init?(_ text: String) {
        let words = text.split(separator: " ").joined(separator: " ")
        guard let middle = words.firstRange(of: " for "),
            let slash = words[..<middle.lowerBound].firstIndex(of: "/"),
            let count = Double(words[..<slash].filter { $0 != " " }),
            let unit = Self.units[
                words[words.index(after: slash)..<middle.lowerBound].filter { $0 != " " }
            ],
            let duration = Quantity.duration(String(words[middle.upperBound...])),
            Self.isPossible(count / unit, duration)
        else { return nil }
        self.init(perSecond: count / unit, for: duration)
    }

    private static let units = ["s": 1.0, "min": 60, "h": 3600]

    private static func isPossible(_ perSecond: Double, _ duration: Duration) -> Bool {
        let count = perSecond * (duration / .seconds(1))
        return perSecond.isFinite && perSecond > 0 && duration > .zero
            && count < Double(largestCount) + 0.5
    }

    /// The number of requests in all, at least 1.
    public var count: Int { max(1, Int((perSecond * (duration / .seconds(1))).rounded())) }

    /// The rate as text, with at most one decimal: "50/s", "12/min", "0.5/h".
    package var text: String {
        let (number, unit) =
            if perSecond >= 1 {
                (perSecond, "s")
            } else if perSecond * 60 >= 1 {
                (perSecond * 60, "min")
            } else {
                (perSecond * 3600, "h")
            }
        let rounded = (number * 10).rounded() / 10
        guard rounded > 0 else { return "below 0.1/h" }
        return rounded == rounded.rounded() ? "\(Int(rounded))/\(unit)" : "\(rounded)/\(unit)"
    }
}

/// Hands out the turns of a rate.
struct RateTurns {
    let rate: BatchRate
    /// The next turn that is free.
    private var next = 0
    /// The number of turns that passed without being taken.
    private(set) var missed = 0

    init(_ rate: BatchRate) { self.rate = rate }

    struct Turn: Equatable {
        let place: Int
        /// When the turn is, counted from the start.
        let time: Duration
    }

    /// The next turn, this long after the start; nil after the last.
    ///
    /// A turn that has come can still be taken until the one after it comes.
    mutating func next(at elapsed: Duration) -> Turn? {
        let last = rate.count
        let due = Int(min(Double(last), (elapsed / .seconds(1)) * rate.perSecond))
        if due > next {
            missed += due - next
            next = due
        }
        guard next < last else { return nil }
        defer { next += 1 }
        return Turn(place: next, time: .seconds(Double(next) / rate.perSecond))
    }
}

extension Batch {
    /// The same batch at a rate: its targets are sent in turn, again and again, for as long as the rate says.
    ///
    /// The groups' own sources, caching and limits are ignored. Indices go from 0 up to the rate's count.
    public func at(_ rate: BatchRate) -> Batch {
        let targets = targets
        guard !targets.isEmpty else { return self }
        var batch = Batch(made: rate.count, like: self) {
            var place = 0
            return {
                defer { place += 1 }
                return place < rate.count ? targets[place % targets.count] : nil
            }
        }
        batch.rate = rate
        return batch
    }

    /// The same batch without a rate, and only with the targets at the wanted indices.
    package func sending(only isWanted: (Int) -> Bool) -> Batch {
        var batch = self
        batch.rate = nil
        batch.skip((0..<(count ?? 0)).filter { !isWanted($0) })
        return batch
    }
}
