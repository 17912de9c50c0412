import Apus
import Documents
import Explorer
import Sharing
import Terminal
import Workspaces

/// One run of `apus batch --workers`: workers send, and this prints what came of it.
struct WorkersRun: Sendable {
    let plan: WorkersPlan
    let server: BatchServer
    let isJSON: Bool

    /// What has been told so far.
    private struct Course {
        let start = ContinuousClock.now
        var lanes = WorkerLanes()
        var (succeeded, failed) = (0, 0)
        var statuses: [String: Int] = [:]
        var progress = ProgressLine()

        mutating func count(_ result: WorkResult) {
            if result.failure == nil { succeeded += 1 } else { failed += 1 }
            statuses[result.status.map(String.init) ?? result.failure?.name ?? "", default: 0] += 1
        }
    }

    /// Returns the exit status.
    func run() async throws -> Int32 {
        var course = Course()
        let coordinator = BatchCoordinator(
            plan.batch,
            count: plan.count,
            rate: plan.rate,
            on: server
        )
        do {
            try await coordinator.run { event in
                course.progress.clear()
                let isEnd = try handle(event, &course)
                let ended = course.succeeded + course.failed
                let workers = Self.workers(course.lanes.workingCount)
                course.progress.draw(
                    "\(ended) of \(plan.count), \(course.failed) failed, \(workers)"
                )
                return isEnd
            }
        } catch let fault as RedisFault {
            course.progress.clear()
            guard !course.lanes.lanes.isEmpty else {
                throw CommandError("\(server.address) cannot be used: \(fault)")
            }
            StandardError.write("apus: \(server.address) cannot be used: \(fault)")
        } catch is CancellationError {
            course.progress.clear()
            try printEnd(course)
            throw CancellationError()
        }
        course.progress.clear()
        try printEnd(course)
        return course.succeeded == plan.count - course.lanes.missed ? 0 : ExitStatus.negative
    }

    /// Prints what happened; true if a failure ends the batch.
    private func handle(
        _ event: BatchCoordinator.Event,
        _ course: inout Course
    ) throws -> Bool {
        switch event {
        case .report(let report):
            let isNew = course.lanes.add(report)
            if isNew { note("\(report.worker) joined") }
            if report.again > 0, !report.isLast {
                note("\(report.worker) took over \(report.again) requests")
            }
            for result in report.results where !result.isMissed {
                course.count(result)
                try print(result, by: report.worker)
            }
            if report.isLast { note("\(report.worker) left") }
            return plan.mode == .all && course.failed > 0
        case .lost(let worker):
            course.lanes.lose(worker)
            note("\(worker) gives no sign of life; others take over what it had")
        case .waiting:
            note(
                "No worker is there; start one where the same workspace is: apus work \(server.address)"
            )
        case .refused: note("a report was left out: it is not signed with the team's key")
        case .failed(let fault): note("Waiting for \(server.address): \(fault)")
        case .recovered: note("\(server.address) is there again")
        case .begunAgain:
            note(
                "\(server.address) had lost the batch; what has no response yet was put there again"
            )
        }
        return false
    }

    private func note(_ text: String) { StandardError.write("apus: \(text)") }

    private static func workers(_ count: Int) -> String {
        count == 1 ? "1 worker" : "\(count) workers"
    }

    private func print(_ result: WorkResult, by worker: String) throws {
        guard isJSON else {
            let time = Readable.duration(result.duration)
            let what = "\(result.method) \(result.url)"
            guard let failure = result.failure else {
                let status = result.status.map(String.init) ?? "---"
                return try OutputLine.print("\(result.index)  \(status)  \(time)  \(what)")
            }
            return try OutputLine.print(
                "\(result.index)  ---  \(time)  \(what): \(failure.message)"
            )
        }
        var members: ResponseJSON.Members = [
            ("version", 1), ("index", JSON(result.index)), ("worker", JSON(worker)),
            (
                "request",
                JSON(members: [("method", JSON(result.method)), ("url", JSON(result.url))])
            ),
        ]
        if let failure = result.failure {
            members.append(
                (
                    "error",
                    JSON(members: [
                        ("code", JSON(failure.code)), ("reason", JSON(failure.reason)),
                        ("message", JSON(failure.message)),
                    ])
                )
            )
        }
        if let status = result.status { members.append(("status", JSON(status))) }
        members += [
            ("bytes", JSON(result.size)),
            (
                "timings",
                JSON(members: [("total", ResponseJSON.milliseconds(result.duration))])
            ),
        ]
        try OutputLine.print(members)
    }

    // MARK: The end

    private func printEnd(_ course: Course) throws {
        let duration = ContinuousClock.now - course.start
        let statuses = course.statuses.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        guard !isJSON else { return try printSummary(course, statuses, duration) }
        var pieces = [
            "\(course.succeeded) of \(plan.count) answered", "\(course.failed) failed",
            Readable.duration(duration),
        ]
        if course.lanes.again > 0 { pieces.append("\(course.lanes.again) handed out again") }
        if course.lanes.missed > 0 {
            pieces.append("\(course.lanes.missed) skipped: no worker had room when they were due")
        }
        StandardError.write(pieces.joined(separator: ", "))
        guard !course.lanes.lanes.isEmpty else { return }
        let counts = statuses.map { "\($0.value) × \($0.key)" }
        if !counts.isEmpty { StandardError.write("  \(counts.joined(separator: ", "))") }
        let width = course.lanes.lanes.map { TextWidth.columns(of: $0.name) }.max() ?? 0
        func write(_ name: String, _ ended: Int, _ latency: LatencyRecord) {
            let name = TextWidth.padded(name, to: max(width, 3))
            let count = TextWidth.padded(
                Readable.count(ended),
                to: Readable.count(plan.count).count,
                alignment: .trailing
            )
            StandardError.write("  \(name)  \(count)  \(Self.text(latency))")
        }
        for lane in course.lanes.lanes { write(lane.name, lane.ended, lane.latency) }
        if course.lanes.lanes.count > 1 {
            write("all", course.succeeded + course.failed, course.lanes.latency)
        }
    }

    /// The points of a distribution that are told.
    private static let percentiles = [("p50", 50.0), ("p90", 90), ("p99", 99), ("max", 100)]

    private static func text(_ latency: LatencyRecord) -> String {
        percentiles.compactMap { name, percent in
            latency.percentile(percent).map { "\(name) \(Readable.duration($0))" }
        }.joined(separator: "  ")
    }

    private static func json(_ latency: LatencyRecord) -> JSON {
        JSON(
            members: percentiles.map { name, percent in
                (name, latency.percentile(percent).map { ResponseJSON.milliseconds($0) } ?? .null)
            }
        )
    }

    private func printSummary(
        _ course: Course,
        _ statuses: [(key: String, value: Int)],
        _ duration: Duration
    ) throws {
        let lanes = course.lanes
        let workers = lanes.lanes.map { lane in
            JSON(members: [
                ("name", JSON(lane.name)), ("ended", JSON(lane.ended)),
                ("failed", JSON(lane.failed)), ("latency", Self.json(lane.latency)),
            ])
        }
        let ended = course.succeeded + course.failed
        let summary = JSON(members: [
            ("total", JSON(plan.count)), ("succeeded", JSON(course.succeeded)),
            ("failed", JSON(course.failed)),
            ("notSent", JSON(plan.count - ended - lanes.missed)), ("missed", JSON(lanes.missed)),
            ("again", JSON(lanes.again)), ("milliseconds", ResponseJSON.milliseconds(duration)),
            ("statuses", JSON(members: statuses.map { ($0.key, JSON($0.value)) })),
            ("latency", Self.json(lanes.latency)), ("workers", JSON(workers)),
        ])
        try OutputLine.print([("version", 1), ("summary", summary)])
    }
}
