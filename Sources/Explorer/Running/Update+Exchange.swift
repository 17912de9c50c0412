import Apus
import Documents
import HTTPTypes
import Terminal
import TreeView

extension Model {
    /// Handles the result of an effect.
    mutating func receive(_ message: Message) -> [Effect] {
        switch message {
        case .stateRead(let state):
            if workspace.catalog == nil, keptState != nil { keptState = state }
        case .stateFailed(let text): warn(text)
        case .catalogLoaded(let catalog): return show(catalog)
        case .catalogFailed(let problem): return report(problem)
        case .catalogChecked(let problem):
            workspace.problem = problem
            workspace.isProblemInUse = true
        case .catalogChanged: return loadChanges()
        case .theme(let message): return receive(message)
        case .targetsIndexed(let index):
            palette.targets = index
            layers.picker?.search(in: index)
        case .keysChanged: return [.loadKeys]
        case .keysLoaded(let keys, let problem):
            self.keys = keys
            if let problem { warn(problem) }
        case .exchange(let id, let event): return apply(event, to: id)
        case .grown(let id, let response, let body): return grow(id, response: response, body: body)
        case .batch(let id, let event): apply(event, to: id)
        case .chain(let id, let event): return apply(event, to: id)
        case .captured(let id, let step, let captures): keep(captures, ofStep: step, in: id)
        case .watched(let id, let result, let duration, let isChange):
            return apply(result, after: duration, toWatch: id, isChange: isChange)
        case .watchEnded(let id, let isReached): endWatch(id, isReached: isReached)
        case .peeked(let item, let environment, let response):
            return showHeld(response, of: item, in: environment)
        case .bodyOpened(let address, let body):
            return inDocument(at: address) { $0.show(body) } + markUnexpected(at: address)
                + compareOpened(address.item)
                + refreshComparison(of: address.item)
        case .filtered(let address, let outcome): return showOutput(outcome, at: address)
        case .compared(let address, let rows): return show(rows, of: address)
        case .bodyFailed(let address, let text):
            changeBody(at: address) { $0.bodyProblem = text }
        case .checked(let address, let checked): show(checked, at: address)
        case .workers(let id, let event): apply(event, to: id)
        case .workersEnded(let id, let problem): return endWorkers(id, problem)
        case .batchChecked(let id, let index, let isMet): judge(index, isMet: isMet, in: id)
        case .batchJudged(let id, let items): judge(items, of: id)
        case .stepChecked(let id, let step, let count):
            self.count(unmet: count, ofStep: step, in: id)
        case .bodySaved(let outcome): finishSaving(outcome)
        case .tree(let address, let message):
            return inDocument(at: address) { $0.receive(message) }
                + refreshComparison(of: address.item)
        case .cacheNotice(let text): warn(text)
        case .sharedCache(.failed(let reason)): workspace.sharedCacheProblem = reason
        case .sharedCache(.recovered): workspace.sharedCacheProblem = nil
        case .sharedCache(.refused(let detail)): workspace.sharedCacheRefusal = detail
        case .sharedCache(.writesFailed), .sharedCache(.writesRecovered): break
        case .history(let message): return receive(message)
        case .sharing(let message): return receive(message)
        case .imports(let message): return receive(message)
        case .request(let message): return receive(message)
        case .supply(let message): return receive(message)
        case .signIn(let message): return receive(message)
        }
        return []
    }

    /// Shows what the cache holds for a target; nil if it holds nothing.
    private mutating func showHeld(
        _ response: Response?,
        of item: CatalogID,
        in environment: Int
    ) -> [Effect] {
        guard let view = responses.views[item, environment] else { return [] }
        guard let response else {
            // The cache's older response no longer holds, but the reason for a miss still does.
            if view.cache.response != nil {
                responses.views.update(item, environment: environment) {
                    $0.cache.clear(to: .empty)
                }
            }
            return []
        }
        return show(.response(response), in: .cache, of: item, environment)
    }

    // MARK: One request

    private mutating func apply(_ event: ExchangeEvent, to id: RunID) -> [Effect] {
        guard let run = runs[id] else { return [] }
        switch event {
        case .progress(let progress): record(progress, of: id)
        case .finished(let summary):
            runs.end(id, with: summary, at: clock.now.uptime)
            arrangeSession()
        default: break
        }
        let effects = isShown(run) ? show(event, of: run) : []
        guard case .finished = event else { return effects }
        return effects + refreshCookies()
    }

    /// Whether a run's responses belong in the panes.
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
            responses.views.update(item, environment: environment) { view in
                (view.sentRequest, view.attempts, view.duration) = (request, attempt, nil)
            }
        case .decided(let decision):
            responses.views.update(item, environment: environment) { $0.decisions.append(decision) }
        case .lookedUp(let lookup):
            responses.views.update(item, environment: environment) { view in
                view.lookup = lookup
                if case .miss(_, let reason) = lookup { view.cache.clear(to: .missed(reason)) }
            }
        case .response(let response):
            let side: PaneSide = response.source.cacheHit == nil ? .server : .cache
            // The server may have refused access because secrets did not follow a redirect.
            let withheld = side == .server ? response.withheldTexts : []
            if !withheld.isEmpty { warn(withheld.joined(separator: "; ")) }
            if response.isRevalidated {
                responses.views.update(item, environment: environment) {
                    $0.server.clear(to: .notModified)
                }
            }
            return show(.response(response), in: side, of: item, environment)
        case .serverFailed(let error):
            return show(.failed(error), in: .server, of: item, environment)
        case .storage(let outcome):
            responses.views.update(item, environment: environment) { $0.storage = outcome }
        case .finished(let summary): return showEnd(summary, item, environment)
        }
        return []
    }

    /// Shows what has been received of a body so far; a cursor on the last row stays on the last row.
    private mutating func grow(
        _ id: RunID,
        response: Response,
        body: BodyDocument
    ) -> [Effect] {
        guard let run = runs[id], run.isRunning, isShown(run) else { return [] }
        let (item, environment) = (run.item, run.environment)
        var effects: [Effect] = []
        responses.views.update(item, environment: environment) { view in
            let news = view.server.grow(response, body)
            let address = view.address(of: .server, in: item)
            effects = news.map { .tree(address, $0) }
        }
        fitPanes()
        return effects
    }

    private mutating func record(_ progress: TransferProgress, of id: RunID) {
        runs.update(id) { run in
            guard case .single(var single) = run.state else { return }
            single.progress = progress
            single.rate.record(
                max(progress.bytesReceived, progress.bytesSent),
                at: clock.now.uptime
            )
            run.state = .single(single)
        }
    }

    private mutating func showEnd(
        _ summary: ExchangeSummary,
        _ item: CatalogID,
        _ environment: Int
    ) -> [Effect] {
        responses.views.update(item, environment: environment) { view in
            view.outcome = TargetState.Outcome(SingleRun.Ending(summary.result))
            view.duration = summary.duration
            // Its lines may say how long it took.
            for side in [PaneSide.cache, .server] where view[side].tab == .timing {
                view[side].page = nil
            }
            if summary.attempts == 0 { view.server.showNotAsked(source: view.source, summary) }
            view.server.settle()
            view.cache.settle()
        }
        guard case .failure(let error) = summary.result else {
            let isCached = summary.result.response?.source.cacheHit != nil
            let side: PaneSide = isCached ? .cache : .server
            return check(summary.result, in: side, after: summary.duration, of: item, environment)
        }
        if case .cacheMiss = error.reason {
            return say(
                "nothing sent: the cache has no response, and only the cache is asked (s: source)"
            )
        }
        return show(.failed(error), in: .server, of: item, environment)
            + check(summary.result, in: .server, after: summary.duration, of: item, environment)
    }

    /// Shows a response or a failure in its pane, and opens its body.
    mutating func show(
        _ content: ResponseState.Content,
        in side: PaneSide,
        of item: CatalogID,
        _ environment: Int
    ) -> [Effect] {
        var address: PaneAddress?
        responses.views.update(item, environment: environment) { view in
            view[side].show(content)
            address = view.address(of: side, in: item)
        }
        fitPanes()
        guard let address, let response = content.response, !response.body.isEmpty else {
            return []
        }
        let type = response.head.headerFields[.contentType]
        return [.openBody(address, response.body, contentType: type)]
    }

    // MARK: Bodies

    mutating func changeBody(
        at address: PaneAddress,
        _ change: (inout ResponseState) -> Void
    ) {
        guard let view = responses.views[address.item, address.environment],
            view[address.side].generation == address.generation
        else { return }
        responses.views.update(address.item, environment: address.environment) {
            change(&$0[address.side])
        }
    }
}

extension ResponseState {
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

extension ResponseState {
    /// Nothing was sent: an older response of the server's does not belong to this run.
    fileprivate mutating func showNotAsked(source: DataSource?, _ summary: ExchangeSummary) {
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
            // The pane has the response, and a hundred ended runs are kept.
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
