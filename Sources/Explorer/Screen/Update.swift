import Apus
import Documents
import Sharing
import Terminal
import TreeView
import Workspaces

/// Updates the model with one event; returns the effects to run.
///
/// Pure: no clock, no input or output; the time comes with the event.
func update(
    _ model: inout Model,
    _ event: TerminalEvent<Message>,
    at now: Moment
) -> [Effect] {
    model.clock.now = now
    let effects = model.handle(event)
    model.showNextQuestion()
    return effects + model.endListing() + model.keepState()
}

extension Model {
    /// Passes an event on to its handler.
    fileprivate mutating func handle(_ event: TerminalEvent<Message>) -> [Effect] {
        switch event {
        case .key(let key): return handle(key)
        case .paste(let text): return paste(text)
        case .resize(let size):
            self.size = size
            arrangeHelp()
            panes.drag = nil
            layers.close(.jump)
            fitPanes()
            guard !workspace.isRequested else { return [] }
            workspace.isRequested = true
            return [.loadCatalog, .loadKeys]
        case .message(let message): return receive(message)
        case .tick: return passTime()
        case .mouse(let mouse): return handle(mouse)
        case .programEnded(let status): return endEditing(status)
        case .copied(let outcome):
            notice = notice?.after(outcome)
            return []
        case .background(let color):
            return appearance.follow(color).map { [.loadTheme($0)] } ?? []
        case .resumed, .focus: return []
        }
    }

    /// How soon the screen changes without an event; nil if it does not.
    var tick: Duration? {
        let running = runs.running
        if running.isEmpty, selectedView?.isMoving != true { return nil }
        // A watch mostly waits, for up to an hour, and its row shows seconds.
        let isWaiting = running.allSatisfy { run in
            if case .watch(let watch) = run.state { watch.newest != nil } else { false }
        }
        return isWaiting && selectedView?.isMoving != true ? .seconds(1) : .milliseconds(100)
    }

    /// Whether something that was started will soon change the screen; a watch between two requests will not.
    var isBusy: Bool {
        workspace.catalog == nil && workspace.problem == nil
            || (tick.map { $0 < .seconds(1) } ?? false)
    }

    /// The state of what the response panes show.
    var selectedView: TargetState? { shownItem.flatMap { view(of: $0) } }

    /// What the response panes show: the line under the list's cursor, or what is shown in its place.
    var shownItem: CatalogID? { responses.shownInstead ?? targets.selected?.id }

    /// The run whose responses they show; for a line of the catalog, its newest run.
    var shownRun: Run? {
        if let watched = responses.watched { return runs[watched] }
        return shownItem.flatMap { runs.latest(of: $0, in: workspace.environment) }
    }

    /// A target's state in the chosen environment; nil if it was never looked at or has been dropped.
    func view(of id: CatalogID) -> TargetState? { responses.views[id, workspace.environment] }

    /// Changes a target's state in the chosen environment, making it first if there is none.
    mutating func changeView(of id: CatalogID, _ change: (inout TargetState) -> Void) {
        responses.views.update(id, environment: workspace.environment, change)
    }

    /// Gives every list the height that the layout has for it.
    mutating func fitPanes() {
        let pickerRows = pickerLayout.list.rows
        layers.picker?.fit(height: pickerRows)
        layers.cookies?.fit(height: PageLayout(size: size).inside.rows)
        layers.variables?.fit(height: PageLayout(size: size).inside.rows)
        let layout = layout
        targets.scroll.update(
            count: targets.rows.count,
            height: max(1, layout.inside(layout.targets).rows)
        )
        session.fit(height: layout.sessionRows)
        layers.pastValues?.fit(height: layout.pastValueRows)
        if let chain = shownChain, let part = chain.part, view(of: part.item) != nil {
            let body = chain.body(in: layout)
            let wraps = responses.wrapsText
            changeView(of: part.item) {
                $0.server.document.wraps = wraps
                $0.server.document.fit(body.size, value: layout.valueRoom)
            }
        }
        request.fit(height: layout.requestRows)
        guard let id = shownItem, view(of: id) != nil else { return }
        let (pages, wraps) = (missingPages(of: id), responses.wrapsText)
        changeView(of: id) { $0.fit(layout, pages: pages, wraps: wraps) }
    }

    /// Clears an old response if the new one takes longer than 300 ms.
    fileprivate mutating func passTime() -> [Effect] {
        guard let id = shownItem, let view = view(of: id) else { return [] }
        let patience = Duration.milliseconds(300)
        for side in [PaneSide.cache, .server] {
            let isLate = view[side].awaitedSince.map { clock.now.uptime - $0 >= patience } ?? false
            if isLate, !view[side].isReceiving {
                changeView(of: id) { $0[side].clear(to: .waiting) }
            }
        }
        return []
    }
}

extension TargetState {
    /// Gives both sides the room that a layout has for them, and shows `pages` on tabs without lines.
    fileprivate mutating func fit(_ layout: Layout, pages: [PaneSide: ResponsePage], wraps: Bool) {
        for side in [PaneSide.cache, .server] {
            let rect = layout.body(of: self[side], in: layout.pane(side))
            self[side].document.wraps = wraps
            self[side].document.fit(rect.size, value: layout.valueRoom)
            if let page = pages[side] { self[side].page = page }
            let room = layout.page(of: self[side], in: layout.pane(side)).size
            self[side].page?.fit(room)
        }
        let heights = [PaneSide.cache, .server].map { self[$0].document.room.rows }
        let least = heights.filter { $0 > 0 }.min() ?? 1
        comparison?.fit(height: least - Comparison.footRows)
    }
}

extension ResponseState {
    /// Shows a new response or failure; the cursor stays on its row, because the response is usually like the old one.
    mutating func show(_ content: Content) {
        let scroll = document.scroll
        clear(to: content)
        document.scroll = scroll
    }

    /// Shows more of a body that is arriving.
    mutating func grow(_ response: Response, _ body: BodyDocument) -> [DocumentPaneEffect] {
        if !isReceiving { clear(to: .receiving(response)) }
        content = .receiving(response)
        awaitedSince = nil
        return document.grow(to: body)
    }

    /// Drops everything that is shown, and shows other content.
    mutating func clear(to content: Content) {
        self.content = content
        awaitedSince = nil
        document.clear()
        filter = nil
        bodyProblem = nil
        page = nil
        checked = nil
        generation += 1
    }
}

/// The result of an effect.
enum Message: Sendable {
    /// The state of the workspace at the last end; arrives before the first catalog.
    case stateRead(KeptState)
    /// Why nothing can be kept for the next start.
    case stateFailed(String)
    /// The catalog was loaded.
    case catalogLoaded(Catalog)
    /// The catalog could not be loaded.
    case catalogFailed(CatalogError)
    /// Something is wrong with the catalog that was loaded last.
    case catalogChecked(CatalogError)
    /// The catalog's files have changed on disk.
    case catalogChanged
    /// A result of work on an import.
    case imports(ImportMessage)
    /// An event of a request.
    case exchange(RunID, ExchangeEvent)
    /// More of a response's body has arrived: the response so far, and its rows.
    case grown(RunID, Response, BodyDocument)
    /// An event of a batch.
    case batch(RunID, BatchEvent)
    /// An event of a chain.
    case chain(RunID, ChainEvent)
    /// The values that a chain captured from a step's response.
    case captured(RunID, step: Int, [ResolvedChain.Capture])
    /// The result of sending a watched target once.
    case watched(RunID, Result<Response, ApusError>, after: Duration, isChange: Bool)
    /// A watch has ended: its condition was met, or it was cancelled.
    case watchEnded(RunID, isReached: Bool)
    /// What the cache holds for a target; nil if it holds nothing.
    case peeked(CatalogID, environment: Int, Response?)
    /// A body is open; its first rows can be shown.
    case bodyOpened(PaneAddress, BodyDocument)
    /// A body could not be opened.
    case bodyFailed(PaneAddress, String)
    /// What came of what is expected of a response.
    case checked(PaneAddress, CheckedResponse?)
    /// Whether the response to the request of a batch with an index is as expected; comes before its end.
    case batchChecked(RunID, index: Int, isMet: Bool)
    /// What happens in a batch that workers send.
    case workers(RunID, BatchCoordinator.Event)
    /// Such a batch has ended; with the reason if it could not be sent to its end.
    case workersEnded(RunID, String?)
    /// What came of what is expected of a batch as a whole.
    case batchJudged(RunID, [CheckedResponse.Item])
    /// How much is not as expected in a response to a step of a chain, by the step's index.
    case stepChecked(RunID, step: Int, unmetCount: Int)
    /// The result of saving a body.
    case bodySaved(BodySaveOutcome)
    /// The result of a document pane's effect.
    case tree(PaneAddress, DocumentPaneMessage)
    /// A command that a body was sent through has ended.
    case filtered(PaneAddress, BodyFilter.Outcome)
    /// Two bodies were compared.
    case compared(ComparisonAddress, AlignedRows)
    /// A message from the cache.
    case cacheNotice(String)
    /// Something happened to the store that responses are shared through.
    case sharedCache(SharedStoreNotice)
    /// The result of work on themes.
    case theme(ThemeMessage)
    /// The targets are ready to be searched.
    case targetsIndexed(TargetIndex)
    /// The file of keys has changed.
    case keysChanged
    /// The user's keys, and what is wrong with them.
    case keysLoaded(KeyTable, problem: String?)
    /// The result of work on the history.
    case history(HistoryMessage)
    /// The result of work on what is shared.
    case sharing(SharingMessage)
    /// The result of work on an edited request.
    case request(RequestMessage)
    /// What happens to the values that requests need.
    case supply(SupplyMessage)
    /// The result of work on sign-ins.
    case signIn(SignInMessage)
}

extension TargetState {
    /// The address of the response that a side shows now; `item` is what the state is of.
    func address(of side: PaneSide, in item: CatalogID) -> PaneAddress {
        PaneAddress(
            item: item,
            environment: environment,
            side: side,
            generation: self[side].generation
        )
    }
}

/// Identifies a response in a pane.
struct PaneAddress: Hashable, Sendable {
    var item: CatalogID
    var environment: Int
    var side: PaneSide
    var generation: Int
}
