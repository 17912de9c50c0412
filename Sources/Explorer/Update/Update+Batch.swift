import Apus

extension Model {
    /// Takes what happens in a batch.
    mutating func take(_ event: BatchEvent, of id: RunID) {
        let now = now.uptime
        runs.update(id) { run in
            guard case .batch(var batch) = run.state else { return }
            batch.take(event, at: now)
            run.state = .batch(batch)
        }
        guard case .finished = event else { return }
        runs.end(id, at: now)
        arrangeSession()
    }
}

extension BatchRunState {
    fileprivate mutating func take(_ event: BatchEvent, at now: Duration) {
        switch event {
        case .started(let index): begin(index, at: now)
        case .exchange(let index, .progress(let progress)):
            if let slot = slots.firstIndex(where: { $0?.index == index }) {
                slots[slot]?.progress = progress
            }
        case .exchange, .moved: break
        case .ended(let index, let summary, let progress):
            self.progress = progress
            end(index, summary)
        case .finished(let summary):
            progress = summary.progress
            isCancelled = summary.failure?.reason == .cancelled
            for slot in slots.indices { slots[slot] = nil }
            // They name what is under way; a hundred ended batches are kept.
            progress.total = total
            titles = []
        }
    }

    private mutating func begin(_ index: Int, at now: Duration) {
        let title = titles.indices.contains(index) ? titles[index] : ""
        let slot = Slot(index: index, title: title, started: now)
        if let free = slots.firstIndex(where: { $0 == nil }) {
            slots[free] = slot
        } else {
            slots.append(slot)
        }
    }

    private mutating func end(_ index: Int, _ summary: ExchangeSummary) {
        if let slot = slots.firstIndex(where: { $0?.index == index }) { slots[slot] = nil }
        latency.note(summary.duration)
        bytesReceived += summary.result.response?.body.count ?? 0
        switch summary.result {
        case .success(let response): tally[String(response.status), default: 0] += 1
        case .failure(let error):
            let name = error.reason.shortName
            tally[name, default: 0] += 1
            if failures.count < Self.failureLimit {
                failures.append(Failure(index: index, text: name))
            }
        }
    }
}
