import Documents
import FoundationEssentials

// Events, summaries and what they are made of, as one line each.

extension ExchangeEvent: CustomStringConvertible {
    /// What happened, in one line.
    public var description: String {
        switch self {
        case .lookedUp(let lookup): "looked up: \(lookup)"
        case .decided(let decision): "decided: \(decision)"
        case .willSend(let request, let attempt):
            "will send: \(request)\(attempt == 1 ? "" : " (attempt \(attempt))")"
        case .progress(let progress): "progress: \(progress)"
        case .response(let response): "response: \(response)"
        case .serverFailed(let error): "server failed: \(error)"
        case .storage(let outcome): "storage: \(outcome)"
        case .finished(let summary): "finished: \(summary)"
        }
    }
}

extension ExchangeSummary: CustomStringConvertible {
    /// The response or the error, the time, and how often the request was sent.
    public var description: String {
        let facts = [
            result.line, Readable.duration(duration),
            responseCount > 1 ? "\(responseCount) responses" : nil,
            attempts > 1 ? "\(attempts) attempts" : nil,
            sharedBy > 1 ? "shared by \(sharedBy)" : nil,
            children.isEmpty ? nil : "\(children.count) sent by hooks",
        ]
        return facts.compactMap(\.self).joined(separator: " · ")
    }
}

extension ChildExchange: CustomStringConvertible {
    /// How it ended, in one line.
    public var description: String { summary.description }
}

extension Result where Success == Response, Failure == ApusError {
    /// The response or the error in one line.
    fileprivate var line: String {
        switch self {
        case .success(let response): response.description
        case .failure(let error): error.description
        }
    }
}

extension TransferProgress: CustomStringConvertible {
    /// The bytes sent and received: "sent 2.0 of 4.1 kB, received 0 B".
    public var description: String {
        let sent = bytesSent == 0 && bytesToSend == nil ? nil : Self.part(bytesSent, bytesToSend)
        let received = "received \(Self.part(bytesReceived, bytesToReceive))"
        return (sent.map { "sent \($0), " } ?? "") + received
    }

    private static func part(_ done: Int, _ total: Int?) -> String {
        total.map { Readable.part(done, of: $0) } ?? Readable.bytes(done)
    }
}

extension CacheLookup: CustomStringConvertible {
    /// The response, or why there is none.
    public var description: String {
        switch self {
        case .hit(let response): "hit: \(response)"
        case .miss(_, let reason): "miss: \(reason)"
        }
    }
}

extension CacheMissReason: CustomStringConvertible {
    /// The reason in words.
    public var description: String { text }
}

extension CacheStoreOutcome: CustomStringConvertible {
    /// "stored in memory and on disk until 2026-11-28T12:00:00Z", or "not stored: status 404".
    public var description: String {
        guard case .stored(let storage, let expires) = self, let expires else {
            return text(now: .distantPast)
        }
        let place = CacheStoreOutcome.stored(storage, expires: expires).text(now: .distantPast)
        return "\(place) until \(expires.formatted(.iso8601))"
    }
}

extension NotStoredReason: CustomStringConvertible {
    /// The reason in words.
    public var description: String { text }
}

extension CachePolicy: CustomStringConvertible {
    /// "cached 5 min in memory and on disk", "not cached".
    public var description: String { words }
}

extension CacheEntry: CustomStringConvertible {
    /// The request, the status, the size, and when the entry expires.
    public var description: String {
        let end = expires.map { "until \($0.formatted(.iso8601))" } ?? "without end"
        let place =
            switch storage {
            case .memory: "memory"
            case .disk: "disk"
            case .memoryAndDisk: "memory and disk"
            }
        return "\(request) · \(status) · \(Readable.bytes(size)) · \(place) · \(end)"
    }
}

extension BatchEvent: CustomStringConvertible {
    /// What happened, in one line.
    public var description: String {
        switch self {
        case .started(let index): "[\(index)] started"
        case .exchange(let index, let event): "[\(index)] \(event)"
        case .moved(let progress): "progress: \(progress)"
        case .ended(let index, let summary, _): "[\(index)] ended: \(summary)"
        case .finished(let summary): "finished: \(summary)"
        }
    }
}

extension BatchProgress: CustomStringConvertible {
    /// "3 of 10 done, 1 failed, sent 0 B, received 2.0 kB".
    public var description: String {
        let count = total.map { "\(ended) of \($0)" } ?? "\(ended)"
        let failures = failed == 0 ? "" : ", \(failed) failed"
        let bytes = "sent \(Readable.bytes(bytesSent)), received \(Readable.bytes(bytesReceived))"
        return "\(count) done\(failures), \(bytes)"
    }
}

extension BatchSummary: CustomStringConvertible {
    /// The figures, the time, and why the batch failed if it did.
    public var description: String {
        let failure = failure.map { " · \($0)" } ?? ""
        return "\(progress) · \(Readable.duration(duration))\(failure)"
    }
}

extension ChainEvent: CustomStringConvertible {
    /// What happened, in one line.
    public var description: String {
        switch self {
        case .began(let step, let elements):
            "step \(step) began\(elements.map { ", \($0) elements" } ?? "")"
        case .sending(let step, let element, _): "\(Self.name(step, element)) is sent"
        case .exchange(let step, let element, let event): "\(Self.name(step, element)) \(event)"
        case .requestEnded(let step, let element, let summary):
            "\(Self.name(step, element)) ended: \(summary)"
        case .ended(let result, _): "ended: \(result)"
        case .finished(let summary): "finished: \(summary)"
        }
    }

    private static func name(_ step: Int, _ element: Int?) -> String {
        "step \(step)" + (element.map { ", element \($0)" } ?? "")
    }
}

extension ChainStepResult: CustomStringConvertible {
    /// The step's name, how it ended, the status and the time; captured values are only named.
    public var description: String {
        let facts = [
            "\(name): \(outcome)", status.map { "\($0)" },
            captures.isEmpty ? nil : "captured \(captures.keys.sorted().joined(separator: ", "))",
            Readable.duration(duration),
        ]
        return facts.compactMap(\.self).joined(separator: " · ")
    }
}

extension ChainStepResult.Outcome: CustomStringConvertible {
    /// How the step ended, in a few words.
    public var description: String {
        switch self {
        case .done: "done"
        case .restored: "done in an earlier run"
        case .failed(let failure): "failed: \(failure)"
        case .skipped(let reason): "skipped: \(reason)"
        case .cancelled: "cancelled"
        }
    }
}

extension ChainSummary: CustomStringConvertible {
    /// How the run ended, how many steps it had, and the time.
    public var description: String {
        let done = steps.count { $0.outcome.isDone }
        return "\(ending) · \(done) of \(steps.count) steps done · \(Readable.duration(duration))"
    }
}

extension ChainSummary.Ending: CustomStringConvertible {
    /// Why the run ended, in a few words.
    public var description: String {
        switch self {
        case .done: "done"
        case .failed(let step): "the step `\(step)` failed"
        case .ruleFailed(let detail): "the rule failed: \(detail)"
        case .tooManySteps(let limit): "more than \(limit) steps"
        case .timedOut(let limit): "not done within \(Readable.span(limit))"
        case .cancelled: "cancelled"
        }
    }
}

extension ChainProgress: CustomStringConvertible {
    /// "2 of 5 steps ended, 1 failed".
    public var description: String {
        let count = total.map { "\(ended) of \($0)" } ?? "\(ended)"
        return "\(count) steps ended" + (failed == 0 ? "" : ", \(failed) failed")
    }
}
