import Apus
import Documents
import Terminal

/// One run of `apus chain`.
struct ChainSending: Sendable {
    let graph: ChainGraph
    /// Where the state is kept, if it is.
    let file: ChainStateFile?
    /// What was done before.
    let state: ChainState?
    let isJSON: Bool

    /// Runs the chain, prints each step as it ends, and gives the exit status.
    func run() async throws -> Int32 {
        let provider = Provider<MultiTarget>()
        var progress = ProgressLine()
        var reached: ChainProgress?
        var status: Int32 = ExitStatus.interrupted
        // A line that an interruption cuts is the last one; what is done is kept all the same.
        var cut: CancellationError?
        for await event in provider.events(for: graph, resuming: state) {
            switch event {
            case .began(let step, _):
                progress.draw("\(reached?.ended ?? 0) of \(total): \(graph.plan.steps[step].name)")
            case .ended(let result, let now):
                reached = now
                progress.clear()
                if cut == nil {
                    do { try print(result) } catch let error as CancellationError { cut = error }
                }
            case .finished(let summary):
                progress.clear()
                // First of all: what is printed may have no reader any more.
                try file?.write(summary.state)
                if let cut { throw cut }
                try printEnd(summary, reached)
                status = Self.status(of: summary.ending)
            case .sending, .exchange, .answered: break
            }
        }
        await provider.cache.close()
        return status
    }

    private var total: Int { graph.plan.steps.count }

    private static func status(of ending: ChainGraphSummary.Ending) -> Int32 {
        switch ending {
        case .done: 0
        case .failed: ExitStatus.negative
        case .timedOut: ExitStatus.timeout
        case .cancelled: ExitStatus.interrupted
        }
    }

    private func print(_ step: ChainStepResult) throws {
        guard isJSON else { return try OutputLine.print(ChainStepText.line(for: step, of: graph)) }
        try OutputLine.print(ChainStepText.members(of: step, of: graph))
    }

    private func printEnd(_ summary: ChainGraphSummary, _ reached: ChainProgress?) throws {
        guard isJSON else {
            let time = Readable.duration(summary.duration)
            StandardError.write("\(reached?.done ?? 0) of \(total) steps done, \(time)")
            return
        }
        let members: AnswerJSON.Members = [
            ("ending", JSON(ChainStepText.word(for: summary.ending))), ("total", JSON(total)),
            ("done", JSON(reached?.done ?? 0)), ("failed", JSON(reached?.failed ?? 0)),
            ("skipped", JSON(reached?.skipped ?? 0)),
            ("milliseconds", AnswerJSON.milliseconds(summary.duration)),
        ]
        try OutputLine.print([("version", 1), ("summary", JSON(members: members))])
    }
}
