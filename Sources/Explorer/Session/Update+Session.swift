import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Interchange
import Recordings
import Terminal
import TreeView

/// The session pane: what was sent, and what can be done with it.
extension Model {
    /// Makes the lines of the session again.
    mutating func arrangeSession() {
        session.arrange(runs, at: clock.now.wall, in: clock.zone, height: layout.sessionRows)
    }

    /// Requests the lines of the session, or the next ones.
    mutating func loadSession() -> [Effect] {
        guard session.hasHistory else { return [] }
        let filter = session.readFilter(at: clock.now, in: clock.zone)
        guard session.filterProblem == nil, let position = session.nextPage() else { return [] }
        return [.history(.load(filter, before: position, generation: session.generation))]
    }

    mutating func sessionFilterChanged() -> [Effect] {
        session.restart()
        defer { arrangeSession() }
        return loadSession()
    }

    // MARK: Messages

    mutating func receive(_ message: HistoryMessage) -> [Effect] {
        switch message {
        case .loaded(let page, let generation):
            guard generation == session.generation else { return [] }
            session.append(page)
            runs.markRecorded(in: page)
            arrangeSession()
        case .loadFailed(let generation):
            if generation == session.generation { session.stopLoading() }
        case .refreshed(let page, let generation):
            guard generation == session.generation else { return [] }
            session.refresh(page)
            runs.markRecorded(in: page)
            arrangeSession()
        case .changed:
            let filter = session.readFilter(at: clock.now, in: clock.zone)
            guard session.filterProblem == nil else { return [] }
            return [
                .history(
                    .refresh(filter, count: session.refreshSize, generation: session.generation)
                )
            ]
        case .parts(let run, let page):
            session.open(run, page)
            arrangeSession()
        case .replaced(let exchange):
            session.replace(exchange)
            responses.replace(exchange)
            arrangeSession()
        case .opened(let opened, let comparing): return show(opened, comparing: comparing)
        case .fetched(let opened, let comparing): return showFetched(opened, comparing: comparing)
        case .copied(let text, let what):
            say("copied \(what)")
            return [.session(.copy(text))]
        case .sessions(let sessions): list(sessions)
        // A late message may be about a session that has ended.
        case .session(let sessionStatus):
            if session.status?.name == sessionStatus.name {
                session.status?.count = sessionStatus.count
            }
        case .sessionFailed(let name): if session.status?.name == name { session.status = nil }
        case .recorded(let id, let started):
            runs.update(id) { $0.recordedStart = started }
            arrangeSession()
        case .recordedRun(let id, let run):
            runs.update(id) { $0.recordedRun = run }
            arrangeSession()
        case .values(let values, let isWhole, let generation):
            guard layers.pastValues?.generation == generation else { return [] }
            layers.pastValues?.show(values, isWhole: isWhole)
        case .notice(let notice): self.notice = notice
        case .stopped(let text):
            session.recordingProblem = text
            fail(text)
        }
        return []
    }

    // MARK: Keys

    /// Performs an action of the session pane; nil if it has no such action.
    mutating func performInSession(_ action: Action) -> [Effect]? {
        guard session.hasHistory else { return nil }
        switch action {
        case .up, .down, .pageUp, .pageDown, .first, .last:
            session.move(action)
            return loadSession()
        case .open: return openLine()
        case .right:
            guard case .entry(.run(let run))? = session.selected, !session.isOpen(run.id) else {
                return []
            }
            return openLine()
        case .left: return closeRun()
        case .filter:
            session.filter.start(
                placeholder: "status:5xx method:post after:2h, or words",
                limit: 1024
            )
            return []
        case .mark:
            guard let id = session.selectedExchange?.id else {
                return say(session.noRequestHere("a mark"))
            }
            let isNew = session.marks.remove(id) == nil
            if isNew { session.marks.insert(id) }
            return [.history(.mark(id, isNew))]
        case .compareMarked: return compareMarked()
        case .note:
            guard let exchange = session.selectedExchange else {
                return refuse(session.noRequestHere("a note"))
            }
            layers.prompt = LinePrompt(
                purpose: .note(exchange.id),
                field: TextField(exchange.note ?? "", placeholder: "what you found out")
            )
            return []
        case .sendAgain:
            guard let exchange = session.selectedExchange else {
                return say(session.noRequestHere("sending again"))
            }
            return sendAgain(exchange)
        default: return nil
        }
    }

    /// Whether the search in a tab has found something.
    var hasMatches: Bool {
        panes.focus == .request ? request.hasMatches : shownPage?.matches.isEmpty == false
    }

    mutating func clickSession(row: Int, _ hadFocus: Bool) -> [Effect] {
        let index = row + session.scroll.offset
        guard session.hasHistory, row >= 0, session.lines.indices.contains(index) else { return [] }
        let isSecond = hadFocus && index == session.scroll.selection
        session.select(index)
        return isSecond ? openLine() : loadSession()
    }

    private mutating func openLine() -> [Effect] {
        switch session.selected {
        case .entry(.exchange(let exchange)), .part(let exchange):
            // It is shown beside another marked exchange, if there is one.
            let other = session.marked.last { $0.id != exchange.id }
            let neighbor: HistoryEffect.Neighbor =
                other.map { .exchange($0) } ?? .latest
            return [.history(.open(exchange, beside: neighbor, comparing: false))]
        case .entry(.run(let run)):
            if session.close(run.id) {
                arrangeSession()
                return []
            }
            return [.history(.loadParts(run.id))]
        case .run(let id):
            if case .watch? = runs[id]?.state { return showWatch(id) }
            guard let run = runs[id],
                let row = targets.rows.firstIndex(where: { $0.id == run.item })
            else { return [] }
            targets.scroll.select(row)
            move(to: .server)
            return lookAtSelection()
        case .day, nil:
            return say(session.noRequestHere("opening"))
        }
    }

    /// Closes the batch or chain under the cursor, or the one that the exchange there belongs to.
    private mutating func closeRun() -> [Effect] {
        let run: RecordedRun.ID? =
            switch session.selected {
            case .entry(.run(let run)): run.id
            case .part(let exchange): exchange.origin.run
            default: nil
            }
        guard let run, session.close(run) else { return [] }
        arrangeSession()
        let index = session.lines.firstIndex { line in
            if case .entry(.run(let other)) = line { other.id == run } else { false }
        }
        if let index { session.select(index) }
        return []
    }

    private mutating func compareMarked() -> [Effect] {
        let marked = session.marked
        guard marked.count == 2 else {
            let text =
                marked.count < 2
                ? "mark two with space to compare them"
                : "\(marked.count) are marked; only two can be compared"
            return say(text)
        }
        return [.history(.open(marked[0], beside: .exchange(marked[1]), comparing: true))]
    }

    /// Copies the exchange that is shown, or that is under the session's cursor, as a curl command; for a target, offers
    /// the formats.
    mutating func copyCommand() -> [Effect] {
        if panes.focus == .progress, let exchange = session.selectedExchange {
            return [.history(.copyCommand(exchange.id))]
        }
        if let opened = responses.opened { return [.history(.copyCommand(opened.then.id))] }
        guard case .success? = selectedView?.request else {
            return say("select a request to copy it")
        }
        openExports()
        return []
    }

    /// Copies the selected request in a format.
    func copyRequest(as format: String, keepsSecrets: Bool = false) -> [Effect] {
        guard case .success(let resolved)? = selectedView?.request, let id = targets.selected?.id,
            case .target(let target)? = workspace.catalog?.nodes.node(with: id)
        else { return [] }
        let exportable = workspace.catalog?.source.exportable(target, in: workspace.environment)
        let copied =
            exportable.map { CopiedRequest.ofWorkspace($0) }
            ?? .ofProgram(resolved, name: id.description)
        return [.copyRequest(copied, format: format, keepsSecrets: keepsSecrets)]
    }

    /// Starts a session by name, or ends the one that is being recorded.
    mutating func toggleSession() -> [Effect] {
        guard session.hasHistory else {
            layers.open(.refusedText)
            return sayNothingIsRecorded()
        }
        if let ended = session.status {
            session.status = nil
            say("the session \(ended.name) has ended")
            return [.history(.endSession)]
        }
        layers.prompt = LinePrompt(
            purpose: .session,
            field: TextField(
                placeholder: "a name for what you send from now on; tab after it shares it, too",
                limit: 256
            )
        )
        return []
    }

    mutating func sayNothingIsRecorded() -> [Effect] {
        warn("nothing is recorded: apus was started with --no-history")
    }

    // MARK: An exchange in the panes

    /// Shows an exchange in the panes: the recorded one on the left, the one to compare with on the right.
    private mutating func show(_ opened: OpenedExchange, comparing: Bool) -> [Effect] {
        // The tabs stay, so that a user who reads the headers of one response sees those of the next.
        let tabs: [PaneSide: ResponseTab] =
            responses.opened == nil || comparing
            ? [:]
            : [
                .cache: selectedView?.cache.tab ?? .body,
                .server: selectedView?.server.tab ?? .body,
            ]
        responses.shown = .exchange(opened)
        layers.close(.pastValues)
        let item = opened.item
        // As the file says now, not when it was recorded.
        let checkedTarget = own(opened.then).flatMap { target, environment in
            environment.flatMap { try? resolve(target, in: $0) }?.checkedTarget
        }
        changeView(of: item) { view in
            view = TargetState(environment: view.environment)
            view.request = .success(ResolvedTarget(opened))
            view.checkedTarget = checkedTarget
            for (side, tab) in tabs { view[side].tab = tab }
        }
        defer { awaitSentAgain(item) }
        responses.comparesOpened = comparing
        if panes.focusedSide == nil || comparing { panes.focus = .cache }
        var effects = show(.init(opened.thenResult), in: .cache, of: item, workspace.environment)
        if let now = opened.nowResult {
            effects += show(.init(now), in: .server, of: item, workspace.environment)
        }
        for (side, size, absence) in [
            (PaneSide.cache, opened.thenUnkeptSize, opened.thenAbsence),
            (.server, opened.nowUnkeptSize, opened.nowAbsence),
        ] {
            let exchange = side == .cache ? opened.then : opened.now
            changeView(of: item) { $0[side].recordedSize = exchange?.size }
            guard let size else { continue }
            let reason = absence.map { "is \($0)" } ?? "was too large to be kept in the history"
            changeView(of: item) {
                $0[side].bodyProblem = "The body, \(Readable.bytes(size)), \(reason)."
            }
        }
        fitPanes()
        return effects + checks(of: opened)
    }

    /// Shows the bodies that have come, unless something else was opened meanwhile.
    private mutating func showFetched(_ opened: OpenedExchange, comparing: Bool) -> [Effect] {
        guard let shown = responses.opened, shown.then.id == opened.then.id,
            shown.now?.id == opened.now?.id
        else { return [] }
        let focus = panes.focus
        defer { if !comparing { panes.focus = focus } }
        return show(opened, comparing: comparing)
    }

    /// Has the responses of an opened exchange checked whose bodies are kept.
    private func checks(of opened: OpenedExchange) -> [Effect] {
        func check(
            _ exchange: RecordedExchange?,
            _ result: Result<Response, ApusError>?,
            isKept: Bool,
            in side: PaneSide
        ) -> [Effect] {
            guard let exchange, let result, isKept else { return [] }
            return self.check(
                result,
                in: side,
                after: exchange.duration,
                of: opened.item,
                workspace.environment
            )
        }
        return check(
            opened.then,
            opened.thenResult,
            isKept: opened.thenUnkeptSize == nil,
            in: .cache
        )
            + check(
                opened.now,
                opened.nowResult,
                isKept: opened.nowUnkeptSize == nil,
                in: .server
            )
    }

    /// Closes what the response panes show in index of the target.
    mutating func closeOpened() {
        guard !responses.showsSelection else { return }
        responses.shown = .selection
        responses.comparesOpened = false
        fitPanes()
    }

    /// Starts to compare once both bodies are there, if the exchange was opened for that.
    mutating func compareOpened(_ item: CatalogID) -> [Effect] {
        guard responses.comparesOpened, shownItem == item, comparison == nil, canCompare else {
            return []
        }
        responses.comparesOpened = false
        return toggleComparison()
    }

    /// Sends an exchange again as it was, with secrets from its target, because the history has none.
    ///
    /// If its environment is not in this workspace, it goes to its original server without secrets, because the
    /// secrets of other environments belong to other servers.
    mutating func sendAgain(_ exchange: RecordedExchange) -> [Effect] {
        var own: ResolvedTarget?
        if let (target, index) = self.own(exchange) {
            let environment = exchange.origin.environment
            let method = exchange.request.method
            if let index,
                needsConfirmation(
                    .exchange(exchange),
                    in: index,
                    isSafe: Confirmation.isSafe(method),
                    "\(method) \(exchange.requestTarget) again"
                )
            {
                return []
            }
            own = index.flatMap { try? resolve(target, in: $0) }
            if index == nil, let environment {
                warn("there is no environment \(environment) here; sent to its original server")
            }
        }
        let item = CatalogID("exchange \(exchange.id)")
        let single = SingleRun(
            method: exchange.request.method,
            target: exchange.requestTarget
        )
        let id = beginRun(
            .single(single),
            of: item,
            named: exchange.origin.target ?? exchange.request.url
        )
        awaitSentAgain(item)
        return [.sendAgain(id, exchange, own)]
    }

    /// The target of the workspace that an exchange was made with, and the index of its environment, if that is here.
    private func own(_ exchange: RecordedExchange) -> (target: CatalogTarget, environment: Int?)? {
        guard exchange.origin.workspace == workspace.catalog?.name,
            let name = exchange.origin.target,
            case .target(let target)? = workspace.catalog?.nodes.node(with: CatalogID(name))
        else { return nil }
        let environment = exchange.origin.environment
        return (target, workspace.catalog?.environments.firstIndex { $0 == environment })
    }

    /// Has the pane on the right wait for the response to a request that is sent again.
    private mutating func awaitSentAgain(_ item: CatalogID) {
        guard let run = runs.latest(of: item, in: workspace.environment), run.isRunning else {
            return
        }
        changeView(of: item) { $0.server.awaitResponse(since: run.started) }
    }

    /// Shows the response before or after the one that is shown.
    mutating func step(isOlder: Bool) -> [Effect] {
        guard session.hasHistory else { return sayNothingIsRecorded() }
        if let opened = responses.opened {
            return [
                .history(.open(opened.then, beside: isOlder ? .older : .newer, comparing: true))
            ]
        }
        guard let series = selectedSeries else {
            return say("select a target that was sent: its earlier responses are shown")
        }
        guard isOlder else { return say("this is the newest response") }
        return [.history(.openLatest(series))]
    }

    /// The recorded responses of the target under the cursor, in this environment.
    var selectedSeries: ExchangeSeries? {
        guard let catalog = workspace.catalog, case .target? = targets.selected?.kind,
            let id = targets.selected?.id,
            catalog.environments.indices.contains(workspace.environment)
        else { return nil }
        var path: String?
        if case .success(let resolved)? = selectedView?.request,
            !resolved.url.contains("•")
        {
            path = resolved.requestTarget
        }
        return .target(
            id.description,
            workspace: catalog.name,
            environment: catalog.environments[workspace.environment],
            path: path
        )
    }
}

extension ResponseState.Content {
    init(_ result: Result<Response, ApusError>) {
        switch result {
        case .success(let response): self = .response(response)
        case .failure(let error): self = .failed(error)
        }
    }
}

extension ResolvedTarget {
    /// The request of an exchange, to be shown.
    fileprivate init(_ opened: OpenedExchange) {
        let exchange = opened.then
        let origin = exchange.origin
        let attempts = exchange.attempts > 1 ? "sent \(exchange.attempts) times" : nil
        let phases = exchange.phases.map { phases in
            TransferPhase.parts(of: phases).map { "\($0.name) \(Readable.duration($0.duration))" }
                .joined(separator: ", ")
        }
        self.init(
            target: RequestTarget(opened.request),
            source: .server,
            url: exchange.request.url,
            details: [
                exchange.note.map { "\u{201C}\($0)\u{201D}" }, origin.environment, origin.step,
                attempts,
                phases,
            ].compactMap(\.self)
                + opened.request.head.headerFields.map { "\($0.name): \($0.value)" }
        )
    }
}
