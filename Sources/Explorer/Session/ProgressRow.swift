import Apus
import Documents
import Terminal
import TreeView

/// A row of a run: a request, a batch, a chain or a watch.
struct ProgressRow {
    let run: Run
    let columns: ProgressColumns
    let now: Duration
    let look: Look
    /// The longest transfer of all rows, which is the scale of their bars.
    var longest = Duration.zero

    func draw(in row: Rect, into grid: inout Grid) {
        guard !row.isEmpty else { return }
        grid.clipped(to: row) { grid in
            switch run.state {
            case .single(let single): drawSingle(single, in: row, into: &grid)
            case .batch(let batch): drawBatch(batch, in: row, into: &grid)
            case .chain(let chain): drawChain(chain, in: row, into: &grid)
            case .watch(let watch): drawWatch(watch, in: row, into: &grid)
            }
        }
    }

    private func drawSingle(_ single: SingleRun, in row: Rect, into grid: inout Grid) {
        let tag = MethodTag(single.method)
        drawHead(tag.fitting(columns.tag - 1), look[tag.scope], single.target, in: row, into: &grid)
        let rest = row.inset(left: columns.gaugeStart)
        guard run.isRunning else {
            EndedRequestRow(
                single: single,
                duration: run.duration(by: now),
                look: look,
                longest: longest
            ).draw(in: rest, into: &grid)
            return
        }
        guard let progress = single.progress, progress.bytesReceived + progress.bytesSent > 0 else {
            drawWaiting(in: rest, into: &grid)
            return
        }
        let gauge = Rect(x: rest.x, y: row.y, columns: columns.gauge, rows: 1)
        ProgressGauge(progress: progress, now: now).draw(in: gauge, into: &grid, look: look)
        drawNumbers(progress, single.rate.bytesPerSecond, in: row, into: &grid)
    }

    private func drawHead(
        _ tag: String,
        _ style: StyleID,
        _ name: String,
        in row: Rect,
        into grid: inout Grid
    ) {
        grid.draw(tag, x: row.x, y: row.y, width: columns.tag - 1, style: style)
        grid.draw(
            name,
            x: row.x + columns.tag,
            y: row.y,
            width: min(columns.target, max(0, row.columns - columns.tag)),
            style: look[run.isRunning ? .text : .textMuted],
            cut: .middle
        )
    }

    private func drawWaiting(in area: Rect, into grid: inout Grid) {
        let elapsed = ProgressText.elapsed(run.duration(by: now))
        var line = StyledText("\(look.spinner(at: now)) ", look[.chainRunning])
        line.append("waiting ", look[.textMuted])
        // The width is fixed, so that the text does not jump as the time changes.
        line.append(TextWidth.padded(elapsed, to: 7, alignment: .trailing), look[.text])
        grid.draw(line, in: area)
    }

    private func drawNumbers(
        _ progress: TransferProgress,
        _ rate: Double?,
        in row: Rect,
        into grid: inout Grid
    ) {
        var x = row.x + columns.textStart
        let left = ProgressText.remaining(progress, rate: rate)
            .map { "\(ProgressText.elapsed($0)) left" }
        let texts = [
            (ProgressText.amount(progress), columns.amount, look[.text]),
            (rate.map(Readable.rate) ?? "", columns.rate, look[.textMuted]),
            (left ?? "", columns.left, look[.textMuted]),
        ]
        for (text, width, style) in texts where width > 0 {
            grid.draw(text, endingAt: x + width, y: row.y, width: width, style: style)
            x += width + ProgressColumns.gap
        }
    }

    private func drawBatch(_ batch: BatchRunState, in row: Rect, into grid: inout Grid) {
        drawHead(String(look.symbols.batch), look[.textAccent], run.name, in: row, into: &grid)
        let total = batch.total
        let gauge = Rect(
            x: row.x + columns.gaugeStart,
            y: row.y,
            columns: columns.gauge,
            rows: 1
        )
        let fraction = total > 0 ? Double(batch.progress.ended) / Double(total) : 1
        let fill: Scope = batch.failedCount > 0 ? .warning : .gaugeFill
        Gauge.draw(
            fraction: fraction,
            in: gauge,
            into: &grid,
            look: look,
            fill: look[fill]
        )
        let x = row.x + columns.textStart
        let place = Rect(x: x, y: row.y, columns: max(0, row.maxX - x), rows: 1)
        FittingLine(leading: figures(of: batch), gap: StyledText(" ", look[.text]))
            .draw(in: place, into: &grid)
    }

    private func figures(of batch: BatchRunState) -> [StyledText] {
        var pieces = [StyledText(count(of: batch), look[.text])]
        if batch.failedCount > 0 {
            let failed = Readable.count(batch.failedCount)
            pieces.append(
                StyledText("\(look.symbols.crossMark) \(failed)", look[.statusFailure])
            )
        }
        for percent in [50.0, 95] {
            guard let time = batch.latency.percentile(percent) else { continue }
            var piece = StyledText("p\(Int(percent)) ", look[.textMuted])
            piece.append(TextWidth.padded(Readable.duration(time), to: 6), look[.text])
            pieces.append(piece)
        }
        return pieces
    }

    private func count(of batch: BatchRunState) -> String {
        let total = Readable.count(batch.total)
        let ended = TextWidth.padded(
            Readable.count(batch.progress.ended),
            to: total.count,
            alignment: .trailing
        )
        let isGood =
            !run.isRunning && batch.failedCount == 0 && !batch.isCancelled && batch.isAsExpected
        let sign = isGood ? " \(look.symbols.check)" : ""
        return TextWidth.padded("\(ended) of \(total)\(sign)", to: total.count * 2 + 6)
    }

    /// Draws the newest status, the interval, and the numbers of responses and changes.
    private func drawWatch(_ watch: WatchRunState, in row: Rect, into grid: inout Grid) {
        let tag = MethodTag(watch.method)
        drawHead(tag.fitting(columns.tag - 1), look[tag.scope], watch.target, in: row, into: &grid)
        let sign: StyledText =
            run.isRunning
            ? StyledText(look.spinner(at: now), look[.chainRunning])
            : StyledText(
                String(watch.isReached ? look.symbols.check : look.symbols.middleDot),
                look[watch.isReached ? .chainDone : .textMuted]
            )
        var pieces = [sign]
        switch watch.newest?.result {
        case .success(let response)?:
            pieces.append(StyledText("\(response.status)", look.style(ofStatus: response.status)))
        case .failure(let error)?:
            let text = "\(look.symbols.crossMark) \(error.reason.shortName)"
            pieces.append(StyledText(text, look[.statusFailure]))
        case nil: break
        }
        let every =
            run.isRunning
            ? "every \(Readable.span(watch.plan.interval))" : watch.isReached ? "reached" : "ended"
        pieces.append(StyledText(every, look[.textMuted]))
        let responses =
            watch.responseCount == 1
            ? "1 response" : "\(Readable.count(watch.responseCount)) responses"
        pieces.append(StyledText(responses, look[.text]))
        if let last = watch.lastChange {
            let changes =
                watch.changeCount == 1 ? "1 change" : "\(Readable.count(watch.changeCount)) changes"
            pieces.append(StyledText(changes, look[.diffChanged]))
            let age = Readable.age(now - last).replacing(" old", with: " ago")
            pieces.append(StyledText("the last \(age)", look[.textMuted]))
        }
        if let condition = watch.plan.conditionText {
            pieces.append(StyledText("until \(condition)", look[.textMuted]))
        }
        FittingLine(leading: pieces, gap: StyledText("  ", look[.text]))
            .draw(in: row.inset(left: columns.gaugeStart), into: &grid)
    }

    private func drawChain(_ chain: ChainRunState, in row: Rect, into grid: inout Grid) {
        drawHead(String(look.symbols.chain), look[.textAccent], run.name, in: row, into: &grid)
        ChainLine(steps: chain.steps, now: now, look: look)
            .draw(in: row.inset(left: columns.gaugeStart), into: &grid)
    }
}

/// A transfer's gauge: it fills if the total is known, and moves if it is not.
struct ProgressGauge {
    let progress: TransferProgress
    let now: Duration

    func draw(in rect: Rect, into grid: inout Grid, look: Look) {
        if let fraction = ProgressText.fraction(progress) {
            Gauge.draw(fraction: fraction, in: rect, into: &grid, look: look)
        } else {
            Gauge.drawUnknown(phase: now.motionPhase, in: rect, into: &grid, look: look)
        }
    }
}

/// The numbers of a transfer.
enum ProgressText {
    /// "39 ms", then "0.3 s": tenths of a second up to a minute, then minutes; at most seven columns.
    static func elapsed(_ duration: Duration) -> String {
        let seconds = duration / .seconds(1)
        // Less than this would be "0.0 s".
        guard seconds >= 0.095, seconds < 59.95 else { return Readable.duration(duration) }
        let tenths = Int((max(0, seconds) * 10).rounded())
        return "\(tenths / 10).\(tenths % 10) s"
    }

    /// "124.0 / 200.0 MB" or "38 kB so far"; for an upload, followed by "up".
    static func amount(_ progress: TransferProgress) -> String {
        let part = part(progress)
        let amount =
            part.total.map { Readable.bytes(part.done, of: $0) }
            ?? "\(Readable.bytes(part.done)) so far"
        return part.isUpload ? "\(amount) up" : amount
    }

    /// The share that is done; nil if the total is unknown.
    static func fraction(_ progress: TransferProgress) -> Double? {
        let part = part(progress)
        return part.total.map { Double(part.done) / Double($0) }
    }

    /// The upload until it is done, then the download; the total is nil if it is unknown.
    private static func part(
        _ progress: TransferProgress
    ) -> (done: Int, total: Int?, isUpload: Bool) {
        let isSent = progress.bytesToSend.map { progress.bytesSent >= $0 } ?? false
        let isUpload = progress.bytesReceived == 0 && progress.bytesSent > 0 && !isSent
        let total = isUpload ? progress.bytesToSend : progress.bytesToReceive
        let done = isUpload ? progress.bytesSent : progress.bytesReceived
        return (done, total.flatMap { $0 > 0 ? $0 : nil }, isUpload)
    }

    /// The time that the rest of the download takes at a rate; nil if it is unknown.
    static func remaining(_ progress: TransferProgress, rate: Double?) -> Duration? {
        guard let rate, rate > 0, let total = progress.bytesToReceive,
            progress.bytesReceived > 0, total >= progress.bytesReceived
        else { return nil }
        return .seconds(min(Double(total - progress.bytesReceived) / rate, 1e9))
    }
}

/// The columns of the rows of runs, for a width.
///
/// ```
/// GET   /big?megabytes=200   ████████████▌      124.0 / 200.0 MB   310 MB/s   0.4 s left
/// tag   target               gauge              amount             rate       left
/// ```
struct ProgressColumns: Equatable {
    /// The widths; 0 if there is no room for a column.
    var tag = 7
    var target = 0
    var gauge = 0
    var amount = 0
    var rate = 0
    var left = 0

    static let gap = 2

    init(width: Int) {
        target = max(8, min(36, width * 24 / 100))
        amount = width >= 50 ? 17 : 0
        rate = width >= 72 ? 9 : 0
        left = width >= 92 ? 12 : 0
        let texts = [amount, rate, left].reduce(0) { $0 + ($1 > 0 ? $1 + Self.gap : 0) }
        gauge = max(0, min(80, width - tag - target - Self.gap - texts))
        if gauge < 4 { gauge = 0 }
        // Without a gauge, the target has its room.
        if gauge == 0 { target = max(0, width - tag - Self.gap - texts) }
    }

    /// Where the gauge begins.
    var gaugeStart: Int { tag + target + Self.gap }
    /// Where the texts after the gauge begin.
    var textStart: Int { gaugeStart + gauge + Self.gap }
}
