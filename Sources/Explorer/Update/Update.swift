import Apus
import Documents
import Terminal

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
    /// Takes an event where it belongs.
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
        case .resumed, .focus: return []
        }
    }

    /// How soon the screen changes without an event; nil when it does not.
    var tick: Duration? {
        let running = runs.running
        if running.isEmpty, selectedView?.isMoving != true { return nil }
        // A watch waits for most of its time, an hour perhaps: its row tells seconds.
        let isWaiting = running.allSatisfy { run in
            if case .watch(let watch) = run.state { watch.newest != nil } else { false }
        }
        return isWaiting && selectedView?.isMoving != true ? .seconds(1) : .milliseconds(100)
    }

    /// Whether what was begun will change the screen soon: a watch between two requests will not.
    var isBusy: Bool {
        catalog == nil && catalogProblem == nil || (tick.map { $0 < .seconds(1) } ?? false)
    }

    /// The view of the selected target.
    var selectedView: TargetState? { shownItem.flatMap { views[$0] } }

    /// What the answer panes show: an exchange of the history, or the line under the list's cursor.
    var shownItem: CatalogID? {
        watched.map(Self.item(ofWatch:)) ?? opened?.item ?? openedPart?.item ?? list.selected?.id
    }

    /// The run whose answers they show; of a line of the catalog, the newest.
    var shownRun: Run? {
        watched.map { runs[$0] } ?? shownItem.flatMap { runs.latest(of: $0, in: environment) }
    }

    /// The name of the panes of a target that is watched.
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
                $0.server.document.fit(body.size, value: layout.valueRoom)
            }
        }
        requestPane.fit(height: layout.requestRows)
        guard let id = shownItem, views[id] != nil else { return }
        let pages = missingPages(of: id)
        views.update(id, environment: environment) { view in
            for side in [PaneSide.cache, .server] {
                let rect = layout.body(of: view[side], in: layout.pane(side))
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

    /// Clears an old answer when the new one is slow.
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
    /// Drops what is shown.
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
    /// What was kept of the workspace at the last end; it comes before the first catalog.
    case stateRead(KeptState)
    /// Why nothing is kept for the next start.
    case stateFailed(String)
    /// The workspace was read.
    case catalogLoaded(Catalog)
    /// It was not.
    case catalogFailed(CatalogProblem)
    /// Its files have changed on disk.
    case catalogChanged
    /// A request moved.
    case exchange(RunID, ExchangeEvent)
    /// More of an answer's body has come: what there is of it, and its rows.
    case grown(RunID, Response, BodyDocument)
    /// A batch moved.
    case batch(RunID, BatchEvent)
    /// A chain moved.
    case chain(RunID, ChainEvent)
    /// What a chain took out of a step's answer.
    case captured(RunID, step: Int, [ResolvedChain.Capture])
    /// A target that is watched was answered, or not.
    case watched(RunID, Result<Response, ApusError>, isChange: Bool)
    /// A target is not watched any more: its condition is so, or it was cancelled.
    case watchEnded(RunID, isReached: Bool)
    /// What the cache holds for a target; nil for nothing.
    case peeked(CatalogID, environment: Int, Response?)
    /// A body is open; its first rows can be shown.
    case bodyOpened(PaneAddress, BodyDocument)
    /// A body could not be opened.
    case bodyFailed(PaneAddress, String)
    /// What became of a body that was to be saved.
    case bodySaved(BodySaving)
    /// The result of a document pane's effect.
    case tree(PaneAddress, DocumentPaneMessage)
    /// A command that a body went through has ended.
    case filtered(PaneAddress, BodyFilter.Outcome)
    /// Two bodies were compared.
    case compared(ComparisonAddress, AlignedRows)
    /// The cache has something to say.
    case cacheNotice(String)
    /// What came of work on themes.
    case theme(ThemeMessage)
    /// The targets can be searched.
    case targetsIndexed(TargetIndex)
    /// The file of keys has changed.
    case keysChanged
    /// Keys that the user bound, and what is wrong with the others.
    case keysLoaded(KeyTable, problem: String?)
    /// What came of work on the history.
    case history(HistoryMessage)
    /// What came of work on a request that is edited.
    case request(RequestMessage)
}

/// Which answer in which pane.
struct PaneAddress: Hashable, Sendable {
    var item: CatalogID
    var environment: Int
    var side: PaneSide
    var generation: Int
}
