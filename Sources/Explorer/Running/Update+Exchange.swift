import Apus
import Documents
import HTTPTypes
import Terminal
import TreeView

extension Model {
    /// Handles the result of an effect.
    mutating func handle(_ message: Message) -> [Effect] {
        switch message {
        case .stateRead(let state): if catalog == nil { keptState = state }
        case .stateFailed(let text): notice = Notice(kind: .warning, text: text)
        case .catalogLoaded(let catalog): return take(catalog)
        case .catalogFailed(let problem): return take(problem)
        case .catalogChanged: return loadChanges()
        case .theme(let message): return take(message)
        case .targetsIndexed(let index):
            targetIndex = index
            picker?.take(index)
        case .keysChanged: return [.loadKeys]
        case .keysLoaded(let keys, let problem):
            self.keys = keys
            if let problem { notice = Notice(kind: .warning, text: problem) }
        case .exchange(let id, let event): return take(event, of: id)
        case .grown(let id, let response, let body): return grow(id, response, body)
        case .batch(let id, let event): take(event, of: id)
        case .chain(let id, let event): return take(event, of: id)
        case .captured(let id, let step, let captures): note(captures, ofStep: step, in: id)
        case .watched(let id, let result, let isChange):
            return take(result, ofWatch: id, isChange)
        case .watchEnded(let id, let isReached): endWatch(id, isReached: isReached)
        case .peeked(let item, let environment, let response):
            return takePeek(response, of: item, environment)
        case .bodyOpened(let address, let body):
            return inDocument(at: address) { $0.show(body) } + compareOpened(address.item)
                + refreshComparison(of: address.item)
        case .filtered(let address, let outcome): return take(outcome, at: address)
        case .compared(let address, let rows): return take(rows, of: address)
        case .bodyFailed(let address, let text):
            changeBody(at: address) { $0.bodyProblem = text }
        case .bodySaved(let outcome): take(outcome)
        case .tree(let address, let message):
            return inDocument(at: address) { $0.receive(message) }
                + refreshComparison(of: address.item)
        case .cacheNotice(let text): notice = Notice(kind: .warning, text: text)
        case .history(let message): return take(message)
        case .request(let message): return take(message)
        }
        return []
    }

    private mutating func takePeek(
        _ response: Response?,
        of item: CatalogID,
        _ environment: Int
    ) -> [Effect] {
        guard let view = views[item, environment] else { return [] }
        guard let response else {
            // The cache's older answer no longer holds, but the reason for a miss still does.
            if view.cache.response != nil {
                views.update(item, environment: environment) { $0.cache.clear(to: .empty) }
            }
            return []
        }
        return show(.answer(response), in: .cache, of: item, environment)
    }

    // MARK: One request

    private mutating func take(_ event: ExchangeEvent, of id: RunID) -> [Effect] {
        guard let run = runs[id] else { return [] }
        switch event {
        case .progress(let progress): note(progress, of: id)
        case .finished(let summary): end(id, summary)
        default: break
        }
        let effects = isShown(run) ? show(event, of: run) : []
        guard case .finished = event else { return effects }
        return effects + refreshCookies()
    }

    /// Whether a run's answers belong in the panes.
    ///
    /// Those of an earlier run of the target do not. Those of an environment that the user has left are there when
    /// the user returns to it.
    private func isShown(_ run: Run) -> Bool {
        runs.latest(of: run.item, in: run.environment)?.id == run.id
    }

    private mutating func show(_ event: ExchangeEvent, of run: Run) -> [Effect] {
        let (item, environment) = (run.item, run.environment)
        switch event {
        case .progress: return []
        case .willSend(let request, let attempt):
            views.update(item, environment: environment) { view in
                (view.sentRequest, view.attempts, view.duration) = (request, attempt, nil)
            }
        case .decided(let decision):
            views.update(item, environment: environment) { $0.decisions.append(decision) }
        case .lookedUp(let lookup):
            views.update(item, environment: environment) { view in
                view.lookup = lookup
                if case .miss(_, let reason) = lookup { view.cache.clear(to: .missed(reason)) }
            }
        case .response(let response):
            let side: PaneSide = response.source.cacheHit == nil ? .server : .cache
            if side == .server { warnAboutWithheldSecrets(by: response) }
            if response.isRevalidated {
                views.update(item, environment: environment) { $0.server.clear(to: .notModified) }
            }
            return show(.answer(response), in: side, of: item, environment)
        case .serverFailed(let error):
            return show(.failed(error), in: .server, of: item, environment)
        case .storage(let outcome):
            views.update(item, environment: environment) { $0.storage = outcome }
        case .finished(let summary): return showEnd(summary, item, environment)
        }
        return []
    }

    /// Shows what has been received of a body so far; a cursor on the last row stays on the last row.
    private mutating func grow(
        _ id: RunID,
        _ response: Response,
        _ body: BodyDocument
    ) -> [Effect] {
        guard let run = runs[id], run.isRunning, isShown(run) else { return [] }
        let (item, environment) = (run.item, run.environment)
        var effects: [DocumentPaneEffect] = []
        var generation = 0
        views.update(item, environment: environment) { view in
            if !view.server.isReceiving { view.server.clear(to: .receiving(response)) }
            view.server.content = .receiving(response)
            view.server.awaitedSince = nil
            effects = view.server.document.grow(to: body)
            generation = view.server.generation
        }
        fitPanes()
        let address = PaneAddress(
            item: item,
            environment: environment,
            side: .server,
            generation: generation
        )
        return effects.map { .tree(address, $0) }
    }

    /// Reports which secrets did not follow a redirect; the server may have refused access because of that.
    private mutating func warnAboutWithheldSecrets(by response: Response) {
        let texts = response.withheldTexts
        guard !texts.isEmpty else { return }
        notice = Notice(kind: .warning, text: texts.joined(separator: "; "))
    }

    private mutating func note(_ progress: TransferProgress, of id: RunID) {
        runs.update(id) { run in
            guard case .single(var single) = run.state else { return }
            single.progress = progress
            single.rate.note(max(progress.bytesReceived, progress.bytesSent), at: now.uptime)
            run.state = .single(single)
        }
    }

    private mutating func end(_ id: RunID, _ summary: ExchangeSummary) {
        runs.update(id) { run in
            guard case .single(var single) = run.state else { return }
            single.ending = SingleRun.Ending(summary.result)
            single.metrics = summary.result.response?.metrics
            single.duration = summary.duration
            run.state = .single(single)
        }
        runs.end(id, at: now.uptime)
        arrangeSession()
    }

    private mutating func showEnd(
        _ summary: ExchangeSummary,
        _ item: CatalogID,
        _ environment: Int
    ) -> [Effect] {
        views.update(item, environment: environment) { view in
            view.outcome = TargetState.Outcome(SingleRun.Ending(summary.result))
            view.duration = summary.duration
            // Its lines may say how long it took.
            for side in [PaneSide.cache, .server] where view[side].tab == .timing {
                view[side].page = nil
            }
            if summary.attempts == 0 { view.server.noteNotAsked(from: view.source, summary) }
            view.server.settle()
            view.cache.settle()
        }
        guard case .failure(let error) = summary.result else { return [] }
        if case .cacheMiss = error.reason {
            notice = Notice(
                kind: .information,
                text:
                    "nothing sent: the cache has no answer, and only the cache is asked (s: source)"
            )
            return []
        }
        return show(.failed(error), in: .server, of: item, environment)
    }

    /// Shows an answer or a failure in its pane, and opens its body.
    mutating func show(
        _ content: AnswerState.Content,
        in side: PaneSide,
        of item: CatalogID,
        _ environment: Int
    ) -> [Effect] {
        var state = AnswerState()
        views.update(item, environment: environment) { view in
            // The cursor stays on its row, because the new answer is usually like the old one.
            let scroll = view[side].document.scroll
            view[side].clear(to: content)
            view[side].document.scroll = scroll
            state = view[side]
        }
        fitPanes()
        guard let response = state.response, !response.body.isEmpty else { return [] }
        let address = PaneAddress(
            item: item,
            environment: environment,
            side: side,
            generation: state.generation
        )
        let type = response.head.headerFields[.contentType]
        return [.openBody(address, response.body, contentType: type)]
    }

    // MARK: Bodies

    mutating func changeBody(
        at address: PaneAddress,
        _ change: (inout AnswerState) -> Void
    ) {
        guard let view = views[address.item, address.environment],
            view[address.side].generation == address.generation
        else { return }
        views.update(address.item, environment: address.environment) { change(&$0[address.side]) }
    }
}

extension AnswerState {
    /// Ends the waiting when the run has ended: a side that still waits becomes empty.
    fileprivate mutating func settle() {
        awaitedSince = nil
        switch content {
        case .waiting: content = .empty
        // The end of the run delivers it again.
        case .receiving: clear(to: .empty)
        default: break
        }
    }
}

extension AnswerState {
    /// Nothing was sent: an older answer of the server's does not belong to this run.
    fileprivate mutating func noteNotAsked(from source: DataSource?, _ summary: ExchangeSummary) {
        // The server is asked in the background.
        if case .cacheThenRefresh? = source { return }
        switch summary.result {
        case .success(let response):
            if response.source.cacheHit != nil { clear(to: .notAsked) }
        case .failure(let error):
            if case .cacheMiss = error.reason, response != nil { clear(to: .notAsked) }
        }
    }
}

extension Response {
    /// Whether the server has just confirmed it with a 304.
    var isRevalidated: Bool { source.cacheHit != nil && decision?.outcome == .updated }
}

extension Result where Success == Response, Failure == ApusError {
    /// The response, or what was received of it.
    var response: Response? {
        switch self {
        case .success(let response): response
        case .failure(let error): error.response
        }
    }
}

extension SingleRun.Ending {
    init(_ result: Result<Response, ApusError>) {
        switch result {
        case .success(let response):
            self = .answered(
                status: response.isRevalidated ? 304 : response.status,
                isFromCache: response.source.cacheHit != nil
            )
        case .failure(var error):
            // The pane has the answer, and a hundred ended runs are kept.
            error.response = nil
            self = .failed(error)
        }
    }
}

extension TargetState.Outcome {
    init(_ ending: SingleRun.Ending) {
        switch ending {
        case .answered(let status, let isFromCache):
            self = .status(status, isFromCache: isFromCache)
        case .failed(let error): self = error.reason == .cancelled ? .cancelled : .failed
        }
    }
}
