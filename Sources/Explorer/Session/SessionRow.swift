import Apus
import Documents
import FoundationEssentials
import Recordings
import Terminal
import TreeView

/// A line of the session.
struct SessionRow: ScreenView {
    let context: ScreenContext
    let line: SessionList.Line
    let columns: SessionColumns
    let days: DayNames
    /// The longest time of the visible rows, which is the scale of all bars.
    let longest: Duration

    func draw(in row: Rect, into grid: inout Grid) {
        grid.clipped(to: row) { grid in
            switch line {
            case .run(let id):
                guard let run = model.runs[id] else { return }
                if !run.isRunning { drawWhen(run.date, nil, in: row, into: &grid) }
                ProgressRow(
                    run: run,
                    columns: columns.rest,
                    now: model.clock.now.uptime,
                    look: look,
                    longest: longest
                ).draw(in: row.inset(left: columns.start), into: &grid)
            case .day(let name):
                grid.draw(name, in: row.inset(left: columns.mark), style: look[.title])
            case .entry(.exchange(let exchange)): draw(exchange, in: row, into: &grid)
            case .part(let exchange):
                draw(exchange, in: row, into: &grid, isPart: true)
            case .entry(.run(let run)): draw(run, in: row, into: &grid)
            }
        }
    }

    // MARK: Exchanges

    private func draw(
        _ exchange: RecordedExchange,
        in row: Rect,
        into grid: inout Grid,
        isPart: Bool = false
    ) {
        drawSigns(of: exchange, in: row, into: &grid)
        drawWhen(exchange.started, exchange.origin.environment, in: row, into: &grid)
        let tag = MethodTag(exchange.request.method)
        let target = exchange.shownTarget(model.session.distinction)
        let indent = isPart ? 2 : 0
        drawHead(
            tag.fitting(columns.rest.tag - 1),
            look[tag.scope],
            exchange.origin.step.map { "\($0)  \(target)" } ?? target,
            indent: indent,
            in: row,
            into: &grid
        )
        let rest = row.inset(left: columns.start + columns.rest.gaugeStart)
        guard exchange.errorCode == nil else {
            let text = model.session.errors[exchange.id] ?? "failed"
            let status = exchange.status.map { "\($0) " } ?? ""
            grid.draw(
                "\(look.symbols.crossMark) \(status)\(text)",
                in: rest,
                style: look[.statusFailure]
            )
            return
        }
        if let status = exchange.status {
            grid.draw(String(status), in: rest, style: look.style(ofStatus: status))
        }
        drawNumbers(exchange.duration, exchange.size, in: row, into: &grid)
        let bar = Rect(
            x: rest.x + SessionColumns.status,
            y: rest.y,
            columns: columns.bar,
            rows: 1
        )
        drawCourse(of: exchange, in: bar, into: &grid)
    }

    /// Draws the sign of a mark, or else that of a note.
    private func drawSigns(
        of exchange: RecordedExchange,
        in row: Rect,
        into grid: inout Grid
    ) {
        if model.session.marks.contains(exchange.id) {
            grid.put(look.symbols.recording, x: row.x, y: row.y, style: look[.textAccent])
        } else if exchange.note != nil {
            grid.put("\"", x: row.x, y: row.y, style: look[.textAccent])
        }
    }

    private func drawWhen(
        _ time: Date,
        _ environment: String?,
        in row: Rect,
        into grid: inout Grid
    ) {
        var x = row.x + columns.mark
        if columns.time > 0 {
            grid.draw(
                days.clock(of: time).prefix(columns.time - 2),
                x: x,
                y: row.y,
                style: look[.textMuted]
            )
        }
        x += columns.time
        if columns.place > 0, let environment {
            grid.draw(
                environment,
                x: x,
                y: row.y,
                width: columns.place - 2,
                style: look[.textMuted],
                cut: .end
            )
        }
    }

    private func drawHead(
        _ tag: String,
        _ style: StyleID,
        _ text: String,
        indent: Int = 0,
        in row: Rect,
        into grid: inout Grid
    ) {
        let x = row.x + columns.start + indent
        grid.draw(tag, x: x, y: row.y, width: columns.rest.tag - 1, style: style)
        let start = x + columns.rest.tag
        let room = row.x + columns.start + columns.rest.tag + columns.rest.target - start
        grid.draw(text, x: start, y: row.y, width: room, style: look[.text], cut: .middle)
    }

    private func drawNumbers(
        _ duration: Duration,
        _ size: Int,
        in row: Rect,
        into grid: inout Grid
    ) {
        var x = row.maxX
        if columns.size > 0 {
            grid.draw(Readable.bytes(size), endingAt: x, y: row.y, style: look[.textMuted])
            x -= columns.size
        }
        if columns.duration > 0 {
            grid.draw(Readable.duration(duration), endingAt: x, y: row.y, style: look[.text])
        }
    }

    /// Draws the source if it is not the server, else where the time went, on the scale of all rows.
    private func drawCourse(
        of exchange: RecordedExchange,
        in area: Rect,
        into grid: inout Grid
    ) {
        guard area.columns > 0 else { return }
        if let words = Self.source(of: exchange) {
            grid.draw(words, in: area, style: look[.sourceCache])
            return
        }
        guard let phases = exchange.phases else { return }
        var area = area
        if exchange.isUnverified {
            // The bar keeps its place and scale in all rows, so the words stand at the end of its room.
            let words = area.columns >= 24 ? "not verified" : "!"
            grid.draw(words, endingAt: area.maxX, y: area.y, style: look[.warning])
            area = area.inset(right: words.count + 1)
        }
        PhaseBar(
            phases: phases,
            total: exchange.duration,
            longest: longest,
            columns: columns.bar
        ).draw(in: area, into: &grid, look: look)
    }

    /// "from memory"; nil for a response from the server.
    static func source(of exchange: RecordedExchange) -> String? {
        switch exchange.source {
        case "memory": "from memory"
        case "disk": "from disk"
        case "shared": "from the shared cache"
        case "gateway": "from the cache"
        case "stub": "stub"
        case "replay": "replayed"
        default: nil
        }
    }

    // MARK: Batches and chains

    private func draw(_ run: RecordedRun, in row: Rect, into grid: inout Grid) {
        let isOpen = model.session.isOpen(run.id)
        let fold = isOpen ? look.symbols.foldOpen : look.symbols.foldClosed
        grid.put(fold, x: row.x, y: row.y, style: look[.treeFold])
        drawWhen(run.started, run.environment, in: row, into: &grid)
        let sign =
            switch run.kind {
            case .batch: String(look.symbols.batch)
            case .chain: String(look.symbols.chain)
            case .watch: "watch"
            }
        drawHead(sign, look[.textAccent], run.name, in: row, into: &grid)
        let rest = row.inset(left: columns.start + columns.rest.gaugeStart)
        if let own = model.runs.runs.last(where: { $0.recordedRun == run.id }),
            case .chain(let chain) = own.state
        {
            // The state of each step tells more than their number.
            ChainLine(steps: chain.steps, now: model.clock.now.uptime, look: look)
                .draw(in: rest, into: &grid)
            return
        }
        var line = StyledText(Readable.count(run.count), look[.text])
        if let total = run.total, total > run.count {
            line.append(" of \(Readable.count(total))", look[.textMuted])
        }
        if run.failedCount > 0 {
            line.append(look.separator, look[.textMuted])
            line.append(
                "\(Readable.count(run.failedCount)) \(look.symbols.crossMark)",
                look[.statusFailure]
            )
        } else if run.total.map({ $0 <= run.count }) ?? false {
            line.append(" \(look.symbols.check)", look[.text])
        }
        grid.draw(line, in: rest)
        let time = run.ended.map { $0.timeIntervalSince(run.started) }
        if let time {
            drawNumbers(.seconds(max(0, time)), run.size, in: row, into: &grid)
        }
    }
}

/// Where the time of a transfer went, its parts one after the other.
struct PhaseBar {
    let phases: TransferMetrics.Phases
    /// The time that the number beside it says, of which the phases are a part.
    let total: Duration
    /// The time of a full bar.
    let longest: Duration
    /// The columns of a full bar; nil for all of its room.
    var columns: Int?

    func draw(in area: Rect, into grid: inout Grid, look: Look) {
        let total = max(total, phases.total)
        guard total > .zero, area.columns > 2 else { return }
        // Draws the square root of the time, so that one long transfer does not shrink all others to a point.
        let share = (total / max(longest, total)).squareRoot()
        let full = Double(columns ?? area.columns)
        let columns = min(area.columns, max(1, Int((share * full).rounded())))
        var x = area.x
        var (done, drawn) = (Duration.zero, 0)
        // What is not of the last transfer came before it: earlier attempts, waiting for a turn.
        let before = TransferPhase(
            name: "before",
            duration: total - phases.total + phases.redirects
        )
        for part in [before] + TransferPhase.parts(of: phases) {
            done += part.duration
            let end = Int((min(1, done / total) * Double(columns)).rounded())
            guard end > drawn else { continue }
            let rect = Rect(x: x, y: area.y, columns: end - drawn, rows: 1)
            let isBody = part.name == "body"
            grid.fill(
                rect,
                with: isBody ? look.symbols.gaugeEighths[7] : look.symbols.gaugeUnknown,
                style: look[part.name == "wait" ? .gaugeUnknown : isBody ? .gaugeFill : .textMuted]
            )
            (x, drawn) = (x + end - drawn, end)
        }
    }
}
