import Apus
import Documents
import FoundationEssentials
import Recordings
import Terminal
import TreeView

/// The columns of the targets when the list has the whole screen.
///
/// ```
/// ╭─ Targets · 23 ──── path ──────────── status ─── time ──── size ─ cached ─────── age ╮
/// │   GET  Show user   /users/{{ user }}    200    12 ms    416 B   disk     4 min old │
/// ```
struct TargetsTable: ScreenView {
    /// The facts about the last response of a target.
    private struct Facts {
        var status: Int?
        var time: Duration?
        var size: Int?
        var cached = ""
        var date: Date?
    }

    private static let widths: [(title: String, columns: Int)] = [
        ("status", 9), ("time", 10), ("size", 10), ("cached", 9), ("age", 14),
    ]
    private static let rest = widths.reduce(0) { $0 + $1.columns }

    let context: ScreenContext
    /// The width of the names.
    let name: Int
    /// The last exchanges in the loaded history, by the names of their targets.
    private let recorded: [String: RecordedExchange]

    /// Nil if the list shares the screen, or there is no room.
    init?(_ context: ScreenContext) {
        let model = context.model
        let columns = context.layout.targets.columns - 4
        guard model.panes.isZoomed, model.panes.focus == .targets, columns >= 90 else { return nil }
        self.context = context
        name = min(44, (columns - Self.rest) / 2)
        let places = model.workspace.catalog?.environments ?? []
        recorded = model.session.latest(
            of: model.workspace.catalog?.name ?? "",
            in: places.indices.contains(model.workspace.environment)
                ? places[model.workspace.environment] : ""
        )
    }

    /// Draws the titles of the columns in the upper border.
    func drawTitles(in row: Rect, into grid: inout Grid) {
        grid.draw(" path ", x: row.x + name - 1, y: row.y, style: look[.textMuted])
        for (title, end) in zip(Self.widths.map(\.title), ends(in: row)) {
            grid.draw(" \(title) ", endingAt: end + 1, y: row.y, style: look[.textMuted])
        }
    }

    /// Draws a row of the list; a batch or a chain has its state in place of a status.
    func draw(_ target: TargetList.Row, _ state: StyledText, in row: Rect, into grid: inout Grid) {
        let path = row.inset(left: name, right: Self.rest)
        grid.draw(target.path, in: path, style: look[.textMuted], cut: .middle)
        let ends = ends(in: row)
        guard case .target = target.kind else {
            grid.draw(state, x: ends[0] - state.columns, y: row.y, width: state.columns)
            return
        }
        let facts = facts(of: target.id)
        if model.runs.latest(of: target.id, in: model.workspace.environment)?.isRunning == true
            || facts.status == nil
        {
            grid.draw(state, x: ends[0] - state.columns, y: row.y, width: state.columns)
        } else if let status = facts.status {
            let style = look.style(ofStatus: status)
            grid.draw(String(status), endingAt: ends[0], y: row.y, style: style)
        }
        let texts = [
            facts.time.map { Readable.duration($0) }, facts.size.map { Readable.bytes($0) },
            facts.cached,
            facts.date.map {
                Readable.age(.seconds(max(0, model.clock.now.wall.timeIntervalSince($0))))
            },
        ]
        let scopes: [Scope] = [.text, .textMuted, .sourceCache, .textMuted]
        for (index, text) in texts.enumerated() {
            guard let text else { continue }
            grid.draw(text, endingAt: ends[index + 1], y: row.y, style: look[scopes[index]])
        }
    }

    /// The right ends of the columns after the path.
    private func ends(in row: Rect) -> [Int] {
        var end = row.maxX - Self.rest
        return Self.widths.map { width in
            end += width.columns
            return end
        }
    }

    /// The facts from runs of this program, or else from the history.
    private func facts(of id: CatalogID) -> Facts {
        var facts = Facts()
        if let exchange = recorded[id.description] {
            facts.status = exchange.errorCode == nil ? exchange.status : nil
            facts.time = exchange.duration
            facts.size = exchange.size
            facts.date = exchange.started
        }
        if let run = model.runs.latest(of: id, in: model.workspace.environment), !run.isRunning,
            case .single(let single) = run.state
        {
            facts = Facts(time: run.duration(by: model.clock.now.uptime), date: run.date)
            if case .answered(let status, _)? = single.ending { facts.status = status }
            facts.size = model.view(of: id)?.server.response?.body.count
        }
        if case .stored(let storage, _)? = model.view(of: id)?.storage {
            facts.cached = storage == .disk || storage == .memoryAndDisk ? "disk" : "memory"
        }
        switch model.view(of: id)?.cache.response?.source {
        case .memory(let hit)?:
            facts.cached = "memory"
            facts.date = facts.date ?? hit.stored
        case .disk(let hit)?, .shared(let hit)?:
            // What comes from the shared cache is on disk from then on.
            facts.cached = "disk"
            facts.date = facts.date ?? hit.stored
        default: break
        }
        return facts
    }
}
