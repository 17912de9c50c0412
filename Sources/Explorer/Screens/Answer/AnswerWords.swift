import Apus
import Documents
import Terminal

/// What an answer's pane says when it has no answer to show.
struct AnswerWords {
    let pane: AnswerPane

    private var look: Look { pane.look }

    /// The words of an empty or failed pane.
    var paragraph: Paragraph {
        switch pane.pane.content {
        case .failed(let error): failure(error)
        case .missed(let reason): missed(reason)
        case .empty: empty
        case .waiting, .answer: Paragraph(parts: [])
        }
    }

    /// The lines of an error: title, detail, advice, and what was received.
    static func texts(of error: ApusError) -> [String] {
        let message = error.message
        var texts = [message.title]
        if !message.detail.isEmpty { texts.append(message.detail.asSentence) }
        texts.append(advice(for: error))
        if let received = received(of: error) { texts.append(received) }
        return texts
    }

    /// What to do, and the key for it.
    private static func advice(for error: ApusError) -> String {
        let key =
            if case .cacheMiss = error.reason { "s chooses the source." } else {
                "r sends it again."
            }
        return error.message.advice.map { "\($0) \(key)" } ?? key
    }

    private static func received(of error: ApusError) -> String? {
        guard let response = error.response, !response.body.isEmpty else { return nil }
        let size = Readable.bytes(response.body.count)
        return response.isComplete ? "The answer, \(size):" : "Received before that, \(size):"
    }

    private func failure(_ error: ApusError) -> Paragraph {
        let texts = Self.texts(of: error)
        let sign = look.symbols.crossMark
        let advice = Self.advice(for: error)
        let received = Self.received(of: error)
        return Paragraph(
            parts: texts.enumerated().map { index, text in
                if index == 0 { return .init(text: "\(sign) \(text)", style: look[.error]) }
                let isQuiet = text == advice || text == received
                return .init(text: text, style: look[isQuiet ? .textMuted : .text])
            }
        )
    }

    private func missed(_ reason: CacheMissReason) -> Paragraph {
        let advice =
            switch reason {
            case .corrupt, .otherForm: "Enter fetches it again."
            case .policyNone: "Its cache policy can change that."
            case .unavailable: "Until then answers come from the server."
            default: "Enter sends; s chooses where answers come from."
            }
        return words(reason.text.asSentence, advice)
    }

    private var empty: Paragraph {
        switch (pane.model.list.selected?.kind, pane.side) {
        case (.group, .cache): words("A group of targets.", "Enter folds and unfolds it.")
        case (.group, .server): words("Choose a target with the arrow keys.", "Enter sends it.")
        case (_, .cache): missed(keepsNothing ? .policyNone : .notFound)
        case (_, .server): words("Nothing sent yet.", "Enter sends the target.")
        }
    }

    private var keepsNothing: Bool {
        guard case .success(let resolved)? = pane.model.selectedView?.request else { return false }
        return resolved.target.cachePolicy.storage == .none
    }

    private func words(_ text: String, _ advice: String) -> Paragraph {
        Paragraph(parts: [
            .init(text: text, style: look[.text]), .init(text: advice, style: look[.textMuted]),
        ])
    }

    /// The spinner, for how long, and what has come so far.
    func drawWaiting(in area: Rect, into grid: inout Grid) {
        guard !area.isEmpty else { return }
        let now = pane.model.now.uptime
        let run = pane.model.list.selected.flatMap { pane.model.runs.latest(of: $0.id) }
        let verb = pane.side == .cache ? "looking" : "waiting"
        var line = StyledText("\(look.spinner(at: now)) ", look[.chainRunning])
        line.append("\(verb)  ", look[.text])
        if let run {
            line.append(
                ProgressText.elapsed(run.duration(by: now)).trimmed,
                look[.textMuted]
            )
        }
        grid.draw(line, x: area.x, y: area.y, width: area.columns, cut: .end)
        guard pane.side == .server, area.rows > 2, case .single(let single)? = run?.state,
            let progress = single.progress, progress.bytesReceived > 0
        else { return }
        drawProgress(progress, in: area.inset(top: 2), now: now, into: &grid)
    }

    private func drawProgress(
        _ progress: TransferProgress,
        in area: Rect,
        now: Duration,
        into grid: inout Grid
    ) {
        let amount = ProgressText.amount(progress)
        let gauge = Rect(
            x: area.x,
            y: area.y,
            columns: max(4, min(40, area.columns - amount.count - 2)),
            rows: 1
        )
        ProgressGauge(progress: progress, now: now).draw(in: gauge, into: &grid, look: look)
        grid.draw(
            amount,
            x: gauge.maxX + 2,
            y: area.y,
            width: max(0, area.maxX - gauge.maxX - 2),
            style: look[.textMuted],
            cut: .end
        )
    }
}
