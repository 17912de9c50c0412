import Apus
import Documents
import FoundationEssentials
import Recordings
import Terminal
import TreeView
import Workspaces

/// The response of the cache or of the server: a title with its source and age, a row of facts, the body, and why
/// it is stored or not.
///
/// ```
/// ╭─ Cache · disk · 4 min old ─────── 200 ╮
/// │ fresh ▰▰▱▱▱▱▱▱ 58 s left       1.2 kB │  facts
/// │ words about a failure, if there is one│
/// │ body                                  │
/// ╰─ path.of.the.cursor ── stored on disk ╯
/// ```
struct ResponsePane: ScreenView {
    let context: ScreenContext
    /// Whether the response is the cache's or the server's.
    let side: PaneSide

    private var view: TargetState? { model.selectedView }
    var pane: ResponseState {
        (side == .cache ? view?.cache : view?.server) ?? ResponseState()
    }
    var isFocused: Bool { model.panes.focus == (side == .cache ? .cache : .server) }

    /// Draws it; returns the position of the text cursor; nil if nothing is typed here.
    func draw(in rect: Rect, into grid: inout Grid) -> Point? {
        guard !rect.isEmpty else { return nil }
        let titles = ResponseTitle(pane: self, columns: rect.columns)
        let frame = PaneFrame(
            title: titles.title,
            trailing: titles.trailing,
            foot: titles.foot,
            footTrailing: titles.footTrailing,
            isFocused: isFocused,
            isFramed: layout.isFramed
        )
        frame.draw(in: rect, into: &grid, look: look)
        ResponseTabsView(context: context, side: side, pane: pane, isFocused: isFocused)
            .draw(in: layout.tabs(of: pane, in: rect), into: &grid)
        ResponseFacts(pane: self).draw(in: layout.facts(of: pane, in: rect), into: &grid)
        if pane.showsPage, let page = pane.page {
            ResponsePageView(
                page: page,
                isFocused: isFocused,
                isFramed: layout.isFramed,
                look: look
            )
            .draw(in: layout.page(of: pane, in: rect), into: &grid)
            return nil
        }
        let area = layout.words(of: pane, in: rect)
        guard pane.response == nil || isFailed else {
            return drawBody(in: rect, into: &grid)
        }
        drawWords(in: area, into: &grid)
        return isFailed ? drawBody(in: rect, into: &grid) : nil
    }

    /// The path of the value under the cursor.
    var path: String? {
        guard let comparison = model.comparison, comparison.rows != nil else {
            return pane.document.currentPath
        }
        return comparison.node(in: side).flatMap {
            pane.document.body?.document?.dottedPath(of: $0)
        }
    }

    private var isFailed: Bool {
        if case .failed = pane.content { true } else { false }
    }

    func padded(_ rect: Rect) -> Rect {
        layout.isFramed ? rect.inset(left: 1, right: 1) : rect
    }

    /// Draws the text that is shown if there is no response, or only a part of one.
    private func drawWords(in area: Rect, into grid: inout Grid) {
        let room = padded(area)
        let words = ResponsePlaceholder(pane: self)
        if case .waiting = pane.content {
            words.drawWaiting(in: room, into: &grid)
            return
        }
        let limit = layout.failureRows(of: pane, in: area)
        let rows = isFailed ? room.inset(bottom: room.rows - max(1, limit)) : room
        words.paragraph.draw(in: rows, into: &grid)
    }

    private func drawBody(in rect: Rect, into grid: inout Grid) -> Point? {
        let area = layout.body(of: pane, in: rect)
        if let problem = pane.bodyProblem {
            Paragraph(problem, look[.error]).draw(in: padded(area), into: &grid)
        } else if let comparison = model.comparison, !pane.document.isTyping {
            ComparedRows(
                comparison: comparison,
                pane: pane.document,
                side: side,
                isAlone: layout.showsOneResponse,
                isFocused: isFocused,
                isPadded: layout.isFramed,
                now: model.clock.now.uptime,
                keys: model.keys,
                look: look
            ).draw(in: area, into: &grid)
        } else if pane.document.body != nil {
            return DocumentPaneView(
                pane: pane.document,
                isFocused: isFocused,
                isPadded: layout.isFramed,
                now: model.clock.now.uptime,
                keys: model.keys,
                look: look
            ).draw(in: area, into: &grid)
        } else if let response = pane.response, !isFailed || !response.body.isEmpty {
            let text = pane.filter?.output.map { _ in "The command wrote nothing." }
            Paragraph(text ?? self.text(without: response), look[.textMuted])
                .draw(in: padded(area), into: &grid)
        }
        return nil
    }

    /// The text in place of a body: that there is none, or that it is being opened.
    private func text(without response: Response) -> String {
        if response.body.isEmpty { return "The response has no body." }
        // A small body is open in the next frame, so a text would only flicker.
        guard response.body.count > 1_000_000 else { return "" }
        return "opening \(Readable.bytes(response.body.count))\(look.symbols.ellipsis)"
    }
}

/// The texts in the border of a response's pane.
struct ResponseTitle {
    let pane: ResponsePane
    /// The pane's columns.
    let columns: Int

    private var look: Look { pane.look }
    private var muted: StyleID {
        look[pane.isFocused ? .paneTitleFocused : .paneTitle]
    }

    /// The side, the source, and the age or the duration of the response; and the tab, if no tabs are shown.
    var title: [StyledText] {
        let hasTabs = pane.layout.showsTabs(of: pane.pane, in: pane.layout.pane(pane.side))
        let parts = source.prefix(1) + requestName + source.dropFirst()
        guard pane.pane.showsPage, !hasTabs else { return Array(parts) }
        return parts.prefix(1) + [StyledText(pane.pane.tab.title, muted)] + parts.dropFirst()
    }

    /// Which request it is, if neither the request nor the list is on the screen.
    private var requestName: [StyledText] {
        guard pane.layout.request.isEmpty, pane.layout.targets.isEmpty, pane.layout.isFramed,
            pane.model.responses.showsSelection, let row = pane.model.targets.selected,
            case .target(let method) = row.kind
        else { return [] }
        let name = TextWidth.cut(row.name, to: max(8, columns / 3), ellipsis: look.symbols.ellipsis)
        return [StyledText("\(MethodTag(method).full) \(name)", muted)]
    }

    private var source: [StyledText] {
        guard let filter = pane.pane.filter, pane.pane.tab == .body else { return response }
        // The command is more important than how long the response took.
        return response.prefix(1) + [StyledText("| \(filter.command)", look[.textAccent])]
    }

    private var response: [StyledText] {
        if let opened = pane.model.responses.opened { return title(of: opened) }
        if pane.model.responses.watched != nil {
            let isBefore = pane.side == .cache
            let name = StyledText(
                isBefore ? "Before" : "Now",
                look[isBefore ? .sourceCache : .sourceServer]
            )
            guard !isBefore, let response = pane.pane.response else { return [name] }
            return [name] + facts(of: response).map { StyledText($0, muted) }
        }
        let name =
            pane.side == .cache
            ? StyledText("Cache", look[.sourceCache]) : StyledText("Server", look[.sourceServer])
        guard let response = pane.pane.response else { return [name] }
        return [name] + unverified(response) + facts(of: response).map { StyledText($0, muted) }
    }

    /// That nobody checked who answered.
    private func unverified(_ response: Response) -> [StyledText] {
        guard response.metrics?.isUnverified == true else { return [] }
        return [StyledText(columns < 44 ? "unverified" : "TLS not verified", look[.warning])]
    }

    /// "Then · yesterday 18:04 · local", "Now · 12 ms".
    private func title(of opened: OpenedExchange) -> [StyledText] {
        let isThen = pane.side == .cache
        let style = look[isThen ? .sourceCache : .sourceServer]
        let name = StyledText(isThen ? "Then" : "Now", style)
        let mark = pane.pane.response.map(unverified) ?? []
        if !isThen, let response = pane.pane.response, response.source != .replay {
            return [name] + mark + facts(of: response).map { StyledText($0, muted) }
        }
        guard let exchange = isThen ? opened.then : opened.now else { return [name] }
        let days = DayNames(now: pane.model.clock.now.wall, zone: pane.model.clock.zone)
        let time = days.time(of: exchange.started)
        let source = SessionRow.source(of: exchange).map { [StyledText($0, muted)] } ?? []
        // Of two chosen exchanges neither is "now".
        guard opened.isPair else { return [name, StyledText(time, muted)] + mark + source }
        let request = "\(exchange.request.method) \(exchange.requestTarget)"
        return [StyledText(time, style), StyledText(request, muted)] + mark + source
    }

    private func facts(of response: Response) -> [String] {
        switch response.source {
        case .memory(let hit): place("memory") + [age(since: hit.stored)]
        case .disk(let hit): place("disk") + [age(since: hit.stored)]
        case .shared(let hit): place("shared") + [age(since: hit.stored)]
        case .gateway: ["cache"]
        case .stub: ["stub"]
        case .replay: ["replay"]
        case .synthetic: ["synthetic"]
        case .server:
            // The whole exchange, as in the session's row and the tab Timing.
            (pane.model.selectedView?.duration ?? response.metrics?.phases.total)
                .map { [Readable.duration($0)] } ?? []
        }
    }

    /// The place of the stored response; left out if there is only room for the age.
    private func place(_ name: String) -> [String] { columns < 38 ? [] : [name] }

    private func age(since date: Date) -> String {
        Readable.age(.seconds(max(0, pane.model.clock.now.wall.timeIntervalSince(date))))
    }

    /// The status, or the failure.
    var trailing: StyledText {
        if let filter = pane.pane.filter, pane.pane.tab == .body {
            guard let ending = filter.ending else {
                let spinner = look.spinner(at: pane.model.clock.now.uptime)
                return StyledText("\(spinner) esc stops it", look[.chainRunning])
            }
            return ending.problem.map { StyledText($0, look[.statusFailure]) }
                ?? StyledText("esc shows the body", look[.keyHint])
        }
        return verdict.map { verdict in
            var text = verdict
            text.append("  ", look[.text])
            text.append(status)
            return text
        } ?? status
    }

    /// How much of the response is as expected: `2/3 ✗`; nil if nothing is expected, or it is not checked.
    private var verdict: StyledText? {
        guard let checked = pane.pane.checked, !checked.items.isEmpty else { return nil }
        let count = checked.items.count
        let sign = checked.isMet ? look.symbols.check : look.symbols.crossMark
        let numbers = "\(Readable.count(count - checked.unmetCount))/\(Readable.count(count))"
        return StyledText(
            "\(numbers) \(sign)",
            look[checked.isMet ? .statusSuccess : .statusFailure]
        )
    }

    private var status: StyledText {
        switch pane.pane.content {
        case .response(let response):
            let style = look.style(ofStatus: response.status)
            let (status, phrase) = (String(response.status), response.phrase)
            // The phrase is shown only if nothing has to be left out for it.
            let used =
                title.reduce(0) { $0 + $1.columns + 3 } + status.count + 8
                + (verdict.map { $0.columns + 2 } ?? 0)
            let fits = !phrase.isEmpty && used + TextWidth.columns(of: phrase) + 1 <= columns
            return StyledText(fits ? "\(status) \(phrase)" : status, style)
        case .receiving(let response):
            let spinner = look.spinner(at: pane.model.clock.now.uptime)
            return StyledText("\(spinner) \(response.status)", look[.chainRunning])
        case .notModified:
            return StyledText("304 Not Modified", look.style(ofStatus: 304))
        case .notAsked: return StyledText("not asked", look[.textMuted])
        case .failed(let error):
            let status = error.response.map { String($0.status) }
            let name = error.reason.shortName
            let pieces = [status, String(look.symbols.crossMark), name == status ? nil : name]
            return StyledText(
                pieces.compactMap(\.self).joined(separator: " "),
                look[.statusFailure]
            )
        case .waiting:
            return StyledText(look.spinner(at: pane.model.clock.now.uptime), look[.chainRunning])
        case .missed(let reason):
            return StyledText(shortName(of: reason), look[.textMuted])
        case .empty: return StyledText()
        }
    }

    private func shortName(of reason: CacheMissReason) -> String {
        guard case .expired(let date) = reason else { return reason.shortName }
        let time = max(0, pane.model.clock.now.wall.timeIntervalSince(date))
        return "\(reason.shortName) \(Readable.duration(.seconds(time))) ago"
    }

    /// The path of the value under the cursor, or the matches in a tab.
    var foot: StyledText {
        if pane.pane.showsPage { return pageFoot }
        guard pane.isFocused, let path = pane.path
        else { return StyledText() }
        // The end of a path tells more than its beginning.
        let room = columns - 8 - (fault.map { TextWidth.columns(of: $0) + 3 } ?? 0)
        let shown = TextWidth.cut(path, to: room, .start, ellipsis: look.symbols.ellipsis)
        return StyledText(shown, look[.textMuted])
    }

    /// The number of matches in a tab other than the body, or the place of an expectation in the file.
    private var pageFoot: StyledText {
        guard let page = pane.pane.page, !page.needle.isEmpty else { return placeOfExpectation }
        let count = page.matches.count
        guard count > 0 else { return StyledText("/ \(page.needle)  no matches", look[.warning]) }
        let place = page.current.map { "\(Readable.count($0 + 1)) of " } ?? ""
        return StyledText("/ \(page.needle)  \(place)\(Readable.count(count))", look[.textAccent])
    }

    private var placeOfExpectation: StyledText {
        guard pane.isFocused, let place = pane.model.selectedCheck?.item.location else {
            return StyledText()
        }
        let ellipsis = look.symbols.ellipsis
        let shown = TextWidth.cut(place.description, to: columns - 8, .start, ellipsis: ellipsis)
        return StyledText(shown, look[.textMuted])
    }

    /// What is wrong with the body, or else whether and why the response is stored.
    var footTrailing: StyledText {
        if let fault { return StyledText(fault, look[.warning]) }
        guard pane.side == .server, let storage = pane.model.selectedView?.storage,
            pane.pane.response != nil, storage != .notStored(.policyNone)
        else { return StyledText() }
        let phrase = storage.text(now: pane.model.clock.now.wall)
        // The path of the cursor is more important, because this can also be read without the focus.
        let fits = TextWidth.columns(of: phrase) + foot.columns + 8 <= columns
        return fits ? StyledText(phrase, look[.textMuted]) : StyledText()
    }

    private var fault: String? {
        if let mismatch = pane.pane.document.body?.mismatch { return mismatch.description }
        if let problem = pane.pane.document.body?.treeProblem { return problem }
        if pane.pane.document.body?.breakingFault != nil {
            return pane.pane.document.faultWords
        }
        guard let place = pane.pane.document.faultPosition else { return nil }
        return "syntax error at line \(place.line), column \(place.column)"
    }
}
