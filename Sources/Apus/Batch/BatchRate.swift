import Documents

/// How fast the requests of a batch are begun, and for how long.
///
/// ```
/// 50/s for 30 s      one every 20 ms, 1,500 in all
/// ```
///
/// A request is begun when its turn comes or not at all: when the server is slower than the rate, so that as
/// many as ``Batch/concurrency`` allows are under way, those whose turn comes meanwhile are left out and
/// counted (``BatchSummary/missed``). What was held up is never made good in a burst.
public struct BatchRate: Sendable, Hashable {
    /// How many are begun in a second, above 0.
    public let perSecond: Double
    /// For how long they are begun; those under way then still end.
    public let duration: Duration

    /// The most requests of a batch with a rate.
    public static let largestCount = 1_000_000

    /// Makes a rate.
    ///
    /// - Precondition: Both are above 0, and together no more than ``largestCount`` requests.
    public init(perSecond: Double, for duration: Duration) {
        precondition(
            Self.isPossible(perSecond, duration),
            "a batch's rate is above 0, for at most \(Self.largestCount) requests"
        )
        self.perSecond = perSecond
        self.duration = duration
    }

    /// Reads "50/s for 30 s", "600/min for 1 h"; nil if the text is no rate.
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

    /// How many requests it is in all, at least 1.
    public var count: Int { max(1, Int((perSecond * (duration / .seconds(1))).rounded())) }

    /// How many are begun in a time: "50/s", "12/min".
    package var text: String {
        let (number, unit) = perSecond >= 1 ? (perSecond, "s") : (perSecond * 60, "min")
        let isWhole = abs(number - number.rounded()) < 0.05
        return isWhole
            ? "\(Int(number.rounded()))/\(unit)" : "\(Double(Int(number * 10)) / 10)/\(unit)"
    }
}

/// Which request of a rate comes next, and when.
struct RateTurns {
    let rate: BatchRate
    /// The next turn that nobody has.
    private var next = 0
    /// How many turns went by that nobody had.
    private(set) var missed = 0

    init(_ rate: BatchRate) { self.rate = rate }

    /// A turn of a request.
    struct Turn: Equatable {
        let place: Int
        /// When it is, from the begin.
        let time: Duration
    }

    /// The next turn, so long after the begin; nil after the last.
    ///
    /// The one that has just come is still taken, until the one after it comes.
    mutating func take(at elapsed: Duration) -> Turn? {
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
    /// What its groups say of their own sources, caching and limits does not count. Places go from 0 to the
    /// rate's count.
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

    /// The same batch, as fast as it may, of the targets at some places only.
    package func sending(only isWanted: (Int) -> Bool) -> Batch {
        var batch = self
        batch.rate = nil
        batch.skip((0..<(count ?? 0)).filter { !isWanted($0) })
        return batch
    }
}
