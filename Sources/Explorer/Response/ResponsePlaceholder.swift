import Apus
import Documents
import Terminal
import TreeView

/// The text of a response's pane that has no response to show.
struct ResponsePlaceholder {
    let pane: ResponsePane

    private var look: Look { pane.look }

    /// The text of an empty or failed pane.
    var paragraph: Paragraph {
        switch pane.pane.content {
        case .failed(let error): failure(error)
        case .missed(let reason): missed(reason)
        case .empty: empty
        case .notAsked:
            words("The server was not asked.", "The cache had a response; s chooses the source.")
        case .notModified:
            words("Nothing has changed since it was stored.", "The cached response is still valid.")
        case .waiting, .response, .receiving: Paragraph(parts: [])
        }
    }

    private func failure(_ error: ApusError) -> Paragraph {
        Paragraph(
            parts: error.paneTexts.enumerated().map { index, text in
                if index == 0 {
                    return .init(text: "\(look.symbols.crossMark) \(text)", style: look[.error])
                }
                let isQuiet = text == error.paneAdvice || text == error.receivedText
                return .init(text: text, style: look[isQuiet ? .textMuted : .text])
            }
        )
    }

    private func missed(_ reason: CacheMissReason) -> Paragraph {
        if reason == .notFound, let storage = pane.model.selectedView?.storage {
            let outcome =
                switch storage {
                case .stored: "Stored now."
                case .notStored(let reason): "The server's was not stored: \(reason.text)."
                }
            return words("Not cached before.", outcome)
        }
        let advice =
            switch reason {
            case .corrupt, .otherForm: "Enter fetches it again."
            case .policyNone: "Its cache policy can change that."
            case .unavailable: "Responses come from the server meanwhile."
            default: "Enter sends; s chooses where responses come from."
            }
        return words(reason.text.asSentence, advice)
    }

    private var empty: Paragraph {
        if pane.model.responses.watched != nil {
            return words("Nothing has changed yet.", "Changes will be marked; x stops the watch.")
        }
        if pane.model.responses.opened != nil {
            return words(
                "This is the latest response in the history.",
                "r sends the request again."
            )
        }
        return switch (pane.model.targets.selected?.kind, pane.side) {
        case (nil, _) where pane.model.targets.filter != nil:
            words("No target matches the filter.", "Esc clears it.")
        case (.group, .cache): words("A group of targets.", "Enter folds or unfolds it.")
        case (.group, .server): words("Choose a target with the arrow keys.", "Enter sends it.")
        case (nil, .cache) where isEmptyWorkspace:
            words("Nothing is here yet.", "Responses that are kept are shown here.")
        case (nil, .server) where isEmptyWorkspace: firstSteps
        case (_, .cache): missed(keepsNothing ? .policyNone : .notFound)
        case (_, .server): words("Nothing sent yet.", "Enter sends the target.")
        }
    }

    /// Whether there is nothing to select because the workspace has nothing.
    private var isEmptyWorkspace: Bool {
        pane.model.targets.targetCount == 0 && pane.model.targets.filter == nil
    }

    /// What one can do in an empty workspace.
    private var firstSteps: Paragraph {
        let keys = pane.model.keys
        func key(_ action: Action) -> String {
            keys.hint(for: action, in: [.targets, .explorer])?.key ?? ":"
        }
        var texts = [
            "\(key(.newRequest))  a new request: type its method and URL; enter sends it",
            "\(key(.pasteRequest))  paste a curl command, a URL or raw HTTP",
            "\(key(.makeGroup))  make a group   \(key(.showVariables))  environments and variables",
        ]
        if let file = pane.model.workspace.catalog?.newFile {
            texts.append("\(key(.edit))  make \(file.name) and open it in your editor")
            texts.append("\(key(.save))  save: makes the file; until then nothing is written")
        } else {
            texts.append("\(key(.edit))  open the file in your editor")
        }
        texts.append("`apus demo` shows a whole workspace; `apus demo --write FILE` writes it.")
        let rest = texts.map { Paragraph.Part(text: $0, style: look[.textMuted]) }
        return Paragraph(
            parts: [.init(text: "This workspace has no requests yet.", style: look[.text])] + rest
        )
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

    /// Draws the spinner, the elapsed time, and the progress so far.
    func drawWaiting(in area: Rect, into grid: inout Grid) {
        guard !area.isEmpty else { return }
        let now = pane.model.clock.now.uptime
        let run = pane.model.shownRun
        let verb = pane.side == .cache ? "looking" : "waiting"
        var line = StyledText("\(look.spinner(at: now)) ", look[.chainRunning])
        line.append("\(verb)  ", look[.text])
        if let run {
            line.append(
                ProgressText.elapsed(run.duration(by: now)),
                look[.textMuted]
            )
        }
        grid.draw(line, in: area)
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
