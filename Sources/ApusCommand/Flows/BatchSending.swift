import Apus
import Documents
import Terminal
import Workspaces

/// One run of `apus batch`.
struct BatchSending: Sendable {
    let order: BatchOrder
    let isJSON: Bool

    /// Sends the batch, prints each result as it comes, and gives the exit status.
    func run() async throws -> Int32 {
        let provider = Provider<MultiTarget>(
            transport: CurlTransport(.forMany(atOnce: order.concurrency))
        )
        let start = ContinuousClock.now
        var (succeeded, failed) = (0, 0)
        var progress = ProgressLine()
        for await event in provider.events(for: order.batch) {
            guard case .ended(let index, let summary, _) = event else { continue }
            if case .success = summary.result { succeeded += 1 } else { failed += 1 }
            progress.clear()
            try print(index, summary)
            progress.draw("\(succeeded + failed) of \(order.targets.count), \(failed) failed")
        }
        progress.clear()
        try printEnd(succeeded, failed, .now - start)
        await provider.cache.close()
        return succeeded == order.targets.count ? 0 : ExitStatus.negative
    }

    private func print(_ index: Int, _ summary: ExchangeSummary) throws {
        let target = order.targets[index]
        guard !isJSON else {
            return try OutputLine.print(
                [("version", 1), ("index", JSON(index)), ("request", target.requestJSON)]
                    + AnswerJSON.members(of: summary.result, after: summary.duration)
            )
        }
        let time = Readable.duration(summary.duration)
        let what = "\(target.display.method) \(target.display.url)"
        switch summary.result {
        case .success(let response):
            try OutputLine.print("\(index)  \(response.status)  \(time)  \(what)")
        case .failure(let error):
            try OutputLine.print("\(index)  ---  \(time)  \(what): \(FailureText.line(for: error))")
        }
    }

    private func printEnd(_ succeeded: Int, _ failed: Int, _ duration: Duration) throws {
        let total = order.targets.count
        guard isJSON else {
            let time = Readable.duration(duration)
            StandardError.write("\(succeeded) of \(total) answered, \(failed) failed, \(time)")
            return
        }
        let summary = JSON(members: [
            ("total", JSON(total)), ("succeeded", JSON(succeeded)), ("failed", JSON(failed)),
            ("notSent", JSON(total - succeeded - failed)),
            ("milliseconds", AnswerJSON.milliseconds(duration)),
        ])
        try OutputLine.print([("version", 1), ("summary", summary)])
    }
}
