import Apus
package import Sharing

/// What the workers of a batch have done so far.
package struct WorkerLanes: Sendable {
    /// One of them.
    package struct Lane: Sendable {
        /// Its name.
        package let name: String
        /// How many requests it has under way, and how many it may have.
        package fileprivate(set) var running = 0
        package fileprivate(set) var concurrency = 0
        /// How many of its requests have a result, and how many of them failed.
        package fileprivate(set) var ended = 0
        package fileprivate(set) var failed = 0
        /// How long its responses took.
        package fileprivate(set) var latency = LatencyRecord()
        /// Whether it takes part.
        package fileprivate(set) var state = State.working
    }

    /// Whether a worker takes part.
    package enum State: Sendable {
        case working
        /// It has left; what it had not done goes to others.
        case left
        /// It has given no sign of life.
        case lost
    }

    /// All that ever took part, in the order in which they came.
    package private(set) var lanes: [Lane] = []
    /// How many requests were handed to another worker, and may have been sent twice.
    package private(set) var again = 0
    /// How many requests a rate left out.
    package private(set) var missed = 0

    /// Makes lanes without workers.
    package init() {}

    /// How many take part now.
    package var workingCount: Int { lanes.count { $0.state == .working } }

    /// How long all responses took.
    package var latency: LatencyRecord {
        lanes.reduce(into: LatencyRecord()) { $0.add($1.latency) }
    }

    /// Adds what a worker tells.
    ///
    /// - Returns: whether it has just come.
    @discardableResult package mutating func add(_ report: WorkReport) -> Bool {
        var isNew = false
        let index =
            lanes.firstIndex { $0.name == report.worker }
            ?? {
                isNew = true
                lanes.append(Lane(name: report.worker))
                return lanes.count - 1
            }()
        isNew = isNew || lanes[index].state != .working
        lanes[index].state = report.isLast ? .left : .working
        (lanes[index].running, lanes[index].concurrency) = (report.running, report.concurrency)
        again += report.again
        for result in report.results {
            if result.isMissed {
                missed += 1
                continue
            }
            lanes[index].ended += 1
            if result.failure != nil { lanes[index].failed += 1 }
            if result.status != nil { lanes[index].latency.record(result.duration) }
        }
        return isNew
    }

    /// Notes that a worker has given no sign of life.
    package mutating func lose(_ name: String) {
        guard let index = lanes.firstIndex(where: { $0.name == name }) else { return }
        (lanes[index].state, lanes[index].running) = (.lost, 0)
    }
}
