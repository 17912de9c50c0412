import Documents

/// Requests of a batch that follow one another, which one worker sends.
package struct BatchChunk: Sendable, Hashable {
    /// The index of the first.
    package let first: Int
    package let count: Int
    /// When they are due; nil if they are sent as soon as possible.
    let pace: Pace?

    /// When requests are due by the server's clock.
    struct Pace: Sendable, Hashable {
        /// The time of the first in microseconds since 1970.
        let start: Int
        /// The microseconds from one to the next.
        let step: Double
    }

    init(first: Int, count: Int, pace: Pace? = nil) {
        (self.first, self.count, self.pace) = (first, count, pace)
    }

    /// The indices of its requests.
    package var indices: Range<Int> { first..<first + count }

    /// When a request is due, in microseconds since 1970; nil if it is sent as soon as possible.
    func due(_ index: Int) -> Int? {
        pace.map { $0.start + Int($0.step * Double(index - first)) }
    }

    /// The chunk's requests with these indices, which are in order, in as few chunks as possible.
    func restricted(to indices: some Sequence<Int>) -> [BatchChunk] {
        Self.runs(of: indices).map { run in
            BatchChunk(
                first: run.lowerBound,
                count: run.count,
                pace: pace.map { Pace(start: due(run.lowerBound) ?? $0.start, step: $0.step) }
            )
        }
    }

    /// The ranges of indices that follow one another.
    static func runs(of indices: some Sequence<Int>) -> [Range<Int>] {
        var runs: [Range<Int>] = []
        for index in indices {
            if let last = runs.last, last.upperBound == index {
                runs[runs.count - 1] = last.lowerBound..<index + 1
            } else {
                runs.append(index..<index + 1)
            }
        }
        return runs
    }

    func encoded() throws(RedisFault) -> [UInt8] {
        var members: [(key: String, value: JSON)] = [
            ("first", JSON(first)), ("count", JSON(count)),
        ]
        if let pace { members += [("start", JSON(pace.start)), ("step", JSON(pace.step))] }
        return try JSON(members: members).message()
    }

    init?(_ bytes: [UInt8]) {
        guard let json = try? JSON(parsing: bytes), let first = json["first"].int, first >= 0,
            let count = json["count"].int, (1...Self.largestCount).contains(count)
        else { return nil }
        var pace: Pace?
        if let start = json["start"].int, let step = json["step"].double, step.isFinite, step >= 0 {
            pace = Pace(start: start, step: min(step, 1e15))
        }
        self.init(first: first, count: count, pace: pace)
    }

    /// The most requests in a chunk.
    static let largestCount = 100

    /// The chunks of a batch: small enough that many workers share it evenly, and that little is sent again when
    /// one of them dies.
    static func chunks(of indices: some Sequence<Int>, count: Int) -> [BatchChunk] {
        let size = min(largestCount, max(1, count / 400))
        return runs(of: indices).flatMap { run in
            stride(from: run.lowerBound, to: run.upperBound, by: size).map { first in
                BatchChunk(first: first, count: min(size, run.upperBound - first))
            }
        }
    }
}
