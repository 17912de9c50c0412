import Apus
import Documents
import Terminal
import TreeView

/// Updates the model with one event; returns the effects to run.
///
/// Pure: no clock, no input or output; the time comes with the event.
func update(
    _ model: inout Model,
    _ event: TerminalEvent<Message>,
    at now: Moment
) -> [Effect] {
    model.now = now
    return model.take(event) + model.keepState()
}

extension Model {
    /// Passes an event on to its handler.
    fileprivate mutating func take(_ event: TerminalEvent<Message>) -> [Effect] {
        switch event {
        case .key(let key): return handle(key)
        case .paste(let text): return paste(text)
        case .resize(let size):
            defer { isNew = false }
            self.size = size
            (drag, jump) = (nil, nil)
            fitPanes()
            return isNew ? [.loadCatalog, .loadKeys] : []
        case .message(let message): return handle(message)
        case .tick: return passTime()
        case .mouse(let mouse): return handle(mouse)
        case .programEnded(let status): return endEditing(status)
        case .copied(let outcome):
            notice = notice?.after(outcome)
            return []
        case .background(let color): return follow(color)
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
        catalog == nil && catalogProblem == nil || (tick.map { $0 < .seconds(1) } ?? false)
    }

    /// The state of what the answer panes show.
    var selectedView: TargetState? { shownItem.flatMap { views[$0] } }

    /// What the answer panes show: a watch, an exchange, a part of a run, or the line under the list's cursor.
    var shownItem: CatalogID? {
        watched.map(Self.item(ofWatch:)) ?? opened?.item ?? openedPart?.item ?? list.selected?.id
    }

    /// The run whose answers they show; for a line of the catalog, its newest run.
    var shownRun: Run? {
        watched.map { runs[$0] } ?? shownItem.flatMap { runs.latest(of: $0, in: environment) }
    }

    /// Identifies the panes of a watched target.
    static func item(ofWatch id: RunID) -> CatalogID { CatalogID("watch \(id.number)") }

    /// Gives every list the height that the layout has for it.
    mutating func fitPanes() {
        fitPicker()
        cookies?.fit(height: PageLayout(size: size).inside.rows)
        let layout = layout
        list.scroll.update(
            count: list.rows.count,
            height: max(1, layout.inside(layout.targets).rows)
        )
        session.fit(height: layout.sessionRows)
        pastValues?.fit(height: layout.pastValueRows)
        if let part = stepPart, views[part.item] != nil {
            let hasCaptures = chainRun.map { !$0.steps[part.place].captures.isEmpty } ?? false
            let body = chainRegions(in: layout).body(hasCaptures: hasCaptures)
            views.update(part.item, environment: environment) {
                $0.server.document.wraps = wrapsText
                $0.server.document.fit(body.size, value: layout.valueRoom)
            }
        }
        requestPane.fit(height: layout.requestRows)
        guard let id = shownItem, views[id] != nil else { return }
        let pages = missingPages(of: id)
        views.update(id, environment: environment) { view in
            for side in [PaneSide.cache, .server] {
                let rect = layout.body(of: view[side], in: layout.pane(side))
                view[side].document.wraps = wrapsText
                view[side].document.fit(rect.size, value: layout.valueRoom)
                if let page = pages[side] { view[side].page = page }
                let room = layout.page(of: view[side], in: layout.pane(side)).size
                view[side].page?.fit(room)
            }
            let heights = [PaneSide.cache, .server].map { view[$0].document.room.rows }.filter {
                $0 > 0
            }
            view.comparison?.fit(height: (heights.min() ?? 1) - Comparison.footRows)
        }
    }

    /// Clears an old answer if the new one takes longer than 300 ms.
    fileprivate mutating func passTime() -> [Effect] {
        guard let id = shownItem, let view = views[id] else { return [] }
        let patience = Duration.milliseconds(300)
        for side in [PaneSide.cache, .server] {
            let isLate = view[side].awaitedSince.map { now.uptime - $0 >= patience } ?? false
            if isLate, !view[side].isReceiving {
                views.update(id, environment: environment) { $0[side].clear(to: .waiting) }
            }
        }
        return []
    }
}

extension AnswerState {
    /// Drops everything that is shown, and shows other content.
    mutating func clear(to content: Content) {
        self.content = content
        awaitedSince = nil
        document.clear()
        filter = nil
        bodyProblem = nil
        page = nil
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
    case catalogFailed(CatalogProblem)
    /// The catalog's files have changed on disk.
    case catalogChanged
    /// An event of a request.
    case exchange(RunID, ExchangeEvent)
    /// More of an answer's body has arrived: the answer so far, and its rows.
    case grown(RunID, Response, BodyDocument)
    /// An event of a batch.
    case batch(RunID, BatchEvent)
    /// An event of a chain.
    case chain(RunID, ChainEvent)
    /// The values that a chain captured from a step's answer.
    case captured(RunID, step: Int, [ResolvedChain.Capture])
    /// The result of sending a watched target once.
    case watched(RunID, Result<Response, ApusError>, isChange: Bool)
    /// A watch has ended: its condition was met, or it was cancelled.
    case watchEnded(RunID, isReached: Bool)
    /// What the cache holds for a target; nil if it holds nothing.
    case peeked(CatalogID, environment: Int, Response?)
    /// A body is open; its first rows can be shown.
    case bodyOpened(PaneAddress, BodyDocument)
    /// A body could not be opened.
    case bodyFailed(PaneAddress, String)
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
    /// The result of work on an edited request.
    case request(RequestMessage)
}

/// Identifies an answer in a pane.
struct PaneAddress: Hashable, Sendable {
    var item: CatalogID
    var environment: Int
    var side: PaneSide
    var generation: Int
}
