package import Apus
import BitCollections

/// Has a batch sent by workers, and collects what they report.
///
/// ```
/// begin ─▶ chunks ─▶ workers take, send, report ─▶ each index once ─▶ end
///            ▲                                        │
///            └── what has no result, if the server lost it
/// ```
package struct BatchCoordinator: Sendable {
    /// What happens.
    package enum Event: Sendable {
        /// No worker is there, for the first time or again.
        case waiting
        /// A worker tells about its work; results that are known already are left out.
        case report(WorkReport)
        /// A worker has given no sign of life for 5 seconds; others take over what it had.
        case lost(worker: String)
        /// Someone without the team's key has written a report, which was left out.
        case refused
        /// The server cannot be reached now.
        case failed(RedisFault)
        /// The server can be reached again.
        case recovered
        /// The server had lost the batch, and what has no result was put there again.
        case begunAgain
    }

    /// How long nobody need be there before it is said.
    private static let patience = BatchServer.patience
    private static let pause = Duration.seconds(1)
    /// How often the server is told that the batch is still sent.
    private static let keeping = Duration.seconds(5)
    private static let wait = Duration.milliseconds(250)
    /// The most times in a row that the server may lose the batch without a result in between.
    private static let losses = 3

    private let server: BatchServer
    private let batch: SharedBatch
    private let count: Int
    private let rate: BatchRate?

    /// Makes a coordinator; nothing is sent yet.
    ///
    /// - Parameters:
    ///   - batch: what workers must know.
    ///   - count: how many requests it sends.
    ///   - rate: the rate of all workers together; nil to send as soon as possible.
    ///   - server: the server between it and the workers.
    package init(_ batch: SharedBatch, count: Int, rate: BatchRate?, on server: BatchServer) {
        (self.batch, self.count, self.rate, self.server) = (batch, count, rate, server)
    }

    /// Has the batch sent; returns when each request has a result, or `tell` has returned true.
    ///
    /// - Parameter tell: is called with each event, in order; true ends the batch, and workers cancel what is left.
    /// - Throws: `RedisFault` if the server cannot be used at the beginning, or loses the batch again and again;
    ///   `CancellationError`; what `tell` throws.
    package func run(_ tell: (Event) async throws -> Bool) async throws {
        var course = Course(count: count, rate: rate)
        course.place = try await server.begin(batch, course.unsent)
        do {
            try await follow(&course, tell)
            await end(course.place)
        } catch {
            await end(course.place)
            throw error
        }
    }

    /// Workers see that it is gone; if the server cannot be reached, it goes by itself after a minute.
    ///
    /// A task of its own, because the caller's may be cancelled.
    private func end(_ place: String) async {
        await Task { try? await server.end(batch.id, at: place) }.value
    }

    private func follow(
        _ course: inout Course,
        _ tell: (Event) async throws -> Bool
    ) async throws {
        var isFailing = false
        while course.remaining > 0 {
            try Task.checkCancellation()
            switch await step(&course) {
            case .success(let events):
                if isFailing, try await tell(.recovered) { return }
                isFailing = false
                for event in events where try await tell(event) { return }
            case .failure(let fault):
                // Cancelled calls fail, too.
                try Task.checkCancellation()
                if fault.reason == .forgets { throw fault }
                if !isFailing, try await tell(.failed(fault)) { return }
                isFailing = true
                try await Task.sleep(for: Self.pause)
                course.resume()
            }
        }
    }

    private func step(_ course: inout Course) async -> Result<[Event], RedisFault> {
        do throws(RedisFault) {
            return .success(try await events(&course))
        } catch {
            return .failure(error)
        }
    }

    private func events(_ course: inout Course) async throws(RedisFault) -> [Event] {
        var events: [Event] = []
        if ContinuousClock.now >= course.keepDue {
            if course.place.isEmpty {
                try await beginAgain(&course)
                events.append(.begunAgain)
            } else if try await !server.keep(batch.id) {
                course.losses += 1
                guard course.losses <= Self.losses else { throw RedisFault(.forgets) }
                try await beginAgain(&course)
                events.append(.begunAgain)
            }
            course.keepDue = .now + Self.keeping
        }
        var wait = Self.wait
        if rate != nil, course.hasWorkers {
            let (chunks, turn) = course.nextTurns(at: try await server.time())
            try await server.add(chunks, to: batch.id)
            course.turn = turn
            wait = Course.slice
        }
        let (reports, position) = try await server.reports(
            of: batch.id,
            after: course.position,
            wait: wait
        )
        course.position = position
        for report in reports {
            guard let report else {
                events.append(.refused)
                continue
            }
            if let fresh = course.add(report) { events.append(.report(fresh)) }
        }
        return events + course.silences()
    }

    /// Puts there again what has no result.
    private func beginAgain(_ course: inout Course) async throws(RedisFault) {
        // If this fails in the middle, what is there is not all, and it is tried again.
        course.place = ""
        course.place = try await server.begin(batch, course.unsent)
        course.position = Course.beginning
    }
}

extension BatchCoordinator {
    /// How far a batch has come.
    struct Course {
        private struct Worker {
            let instance: String
            var number = 0
            var seen = ContinuousClock.now
        }

        /// The time between two looks at a rate's turns, and how long they are there before they are due.
        static let slice = Duration.milliseconds(100)
        private static let ahead = 500_000

        private let count: Int
        private let rate: BatchRate?
        /// The indices that have results.
        private var known = BitSet()
        private(set) var remaining: Int
        private var workers: [String: Worker] = [:]
        /// Since when nobody is there; nil if that was said.
        private var lonely: ContinuousClock.Instant? = .now
        static let beginning = "0-0"
        /// Where it stands on the board; empty if it could not be put there.
        var place = ""
        /// What was read of its reports.
        var position = beginning
        var keepDue = ContinuousClock.now + keeping
        /// How often the server lost it since the last result.
        var losses = 0
        /// The next turn of a rate, and when the first is, in microseconds of the server's clock.
        var turn = 0
        private var start: Int?

        init(count: Int, rate: BatchRate?) {
            (self.count, self.rate, remaining) = (count, rate, count)
        }

        var hasWorkers: Bool { !workers.isEmpty }

        /// The chunks without results; of a rate, those whose turn has come.
        var unsent: [BatchChunk] {
            let indices = (0..<(rate == nil ? count : turn)).lazy.filter { [known] in
                !known.contains($0)
            }
            let chunks = BatchChunk.chunks(of: indices, count: count)
            return chunks.map { BatchChunk(first: $0.first, count: $0.count, pace: pace($0.first)) }
        }

        /// After the server was gone: everything is looked at anew, and nobody was silent.
        mutating func resume() {
            keepDue = .now
            for name in workers.keys { workers[name]?.seen = .now }
        }

        /// The turns that are due soon, which were not handed out before, and the turn after them.
        mutating func nextTurns(at now: Int) -> (chunks: [BatchChunk], next: Int) {
            guard let step else { return ([], turn) }
            let start = start ?? now + Self.ahead / 2
            self.start = start
            let elapsed = Double(now + Self.ahead - start)
            let end = min(count, max(turn, Int((elapsed / step).rounded(.down)) + 1))
            // A worker takes a slice at once, so that many can share a second.
            let size = Double(Self.slice / .microseconds(1)) / step
            let most = max(1, min(BatchChunk.largestCount, Int(size)))
            let chunks = stride(from: turn, to: end, by: most).map { first in
                BatchChunk(first: first, count: min(most, end - first), pace: pace(first))
            }
            return (chunks, end)
        }

        /// The microseconds between two turns; nil without a rate.
        private var step: Double? { rate.map { 1_000_000 / $0.perSecond } }

        private func pace(_ first: Int) -> BatchChunk.Pace? {
            guard let step, let start else { return nil }
            return BatchChunk.Pace(start: start + Int(Double(first) * step), step: step)
        }

        /// The report with the results that are new; nil if the whole report is not.
        mutating func add(_ report: WorkReport) -> WorkReport? {
            var worker = workers[report.worker] ?? Worker(instance: report.instance)
            if worker.instance != report.instance { worker = Worker(instance: report.instance) }
            guard report.number > worker.number else { return nil }
            (worker.number, worker.seen) = (report.number, .now)
            workers[report.worker] = report.isLast ? nil : worker
            lonely = workers.isEmpty ? .now : nil
            var fresh = report
            fresh.results = report.results.filter { result in
                result.index < count && known.insert(result.index).inserted
            }
            remaining -= fresh.results.count
            if !fresh.results.isEmpty { losses = 0 }
            return fresh
        }

        /// Who has given no sign of life, and whether nobody is there.
        mutating func silences() -> [Event] {
            let now = ContinuousClock.now
            let lost = workers.filter { $1.seen + patience < now }.keys.sorted()
            for name in lost { workers[name] = nil }
            if !lost.isEmpty, workers.isEmpty { lonely = now }
            var events = lost.map { Event.lost(worker: $0) }
            if let since = lonely, since + patience < now {
                lonely = nil
                events.append(.waiting)
            }
            return events
        }
    }
}
