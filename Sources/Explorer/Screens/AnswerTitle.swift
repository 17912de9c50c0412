import Apus
import Documents
import FoundationEssentials
import Terminal

/// The words in the border of an answer's pane.
struct AnswerTitle {
    let pane: AnswerPane
    /// The pane's columns.
    let columns: Int

    private var look: Look { pane.look }
    private var muted: StyleID {
        look[pane.isFocused ? .paneTitleFocused : .paneTitle]
    }

    /// Whose answer it is, from where, and how old it is or how long it took.
    var title: [StyledText] {
        let name =
            pane.side == .cache
            ? StyledText("Cache", look[.sourceCache]) : StyledText("Server", look[.sourceServer])
        guard let response = pane.pane.response else { return [name] }
        return [name] + facts(of: response).map { StyledText($0, muted) }
    }

    private func facts(of response: Response) -> [String] {
        switch response.source {
        case .memory(let hit): place("memory") + [age(since: hit.stored)]
        case .disk(let hit): place("disk") + [age(since: hit.stored)]
        case .gateway: ["cache"]
        case .stub: ["stub"]
        case .replay: ["replay"]
        case .synthetic: ["synthetic"]
        case .server:
            response.metrics.map { [Readable.duration($0.phases.total)] } ?? []
        }
    }

    /// Where there is room for one of the two, the age counts more.
    private func place(_ name: String) -> [String] { columns < 38 ? [] : [name] }

    private func age(since date: Date) -> String {
        Readable.age(.seconds(max(0, pane.model.now.wall.timeIntervalSince(date))))
    }

    /// The status, or how it failed.
    var trailing: StyledText {
        switch pane.pane.content {
        case .answer(let response):
            return StyledText(String(response.status), look.style(ofStatus: response.status))
        case .failed(let error):
            let status = error.response.map { "\($0.status) " } ?? ""
            let text = "\(status)\(look.symbols.crossMark) \(ErrorMessages.word(for: error))"
            return StyledText(text, look[.statusFailure])
        case .waiting:
            return StyledText(look.spinner(at: pane.model.now.uptime), look[.chainRunning])
        case .missed(let reason):
            let phrase = ErrorMessages.phrase(for: reason, now: pane.model.now.wall)
            return StyledText(phrase, look[.textMuted])
        case .empty: return StyledText()
        }
    }

    /// The path of the cursor.
    var foot: StyledText {
        guard pane.isFocused, let path = pane.path
        else { return StyledText() }
        // The end of a path tells more than its beginning.
        let room = columns - 8 - (fault.map { TextWidth.columns(of: $0) + 3 } ?? 0)
        let shown = TextWidth.cut(path, to: room, .start, ellipsis: look.symbols.ellipsis)
        return StyledText(shown, look[.textMuted])
    }

    /// Where the body broke or what it is not; else why the answer is or is not kept.
    var footTrailing: StyledText {
        if let fault { return StyledText(fault, look[.warning]) }
        guard pane.side == .server, let storage = pane.model.selectedView?.storage,
            pane.pane.response != nil
        else { return StyledText() }
        let phrase = ErrorMessages.phrase(for: storage, now: pane.model.now.wall)
        // The cursor's path goes before what can be read without the focus.
        let fits = TextWidth.columns(of: phrase) + foot.columns + 8 <= columns
        return fits ? StyledText(phrase, look[.textMuted]) : StyledText()
    }

    private var fault: String? {
        if let mismatch = pane.pane.tree.body?.mismatch { return mismatch.description }
        if let problem = pane.pane.tree.body?.treeProblem { return problem }
        guard let place = pane.pane.tree.faultPosition else { return nil }
        return "breaks at line \(place.line), column \(place.column)"
    }
}
