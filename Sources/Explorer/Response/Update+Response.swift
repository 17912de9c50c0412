import Apus
import Terminal
import TreeView

/// The tabs of a response other than its body.
extension Model {
    /// The tab that takes the keys; nil if the body takes them or there is no response.
    var shownPage: ResponsePage? {
        guard let side = panes.focusedSide, let response = selectedView?[side], response.showsPage
        else {
            return nil
        }
        return response.page
    }

    /// The shown tabs that have no lines yet, with their lines.
    func missingPages(of id: CatalogID) -> [PaneSide: ResponsePage] {
        var pages: [PaneSide: ResponsePage] = [:]
        for side in [PaneSide.cache, .server] {
            guard let response = view(of: id)?[side], response.showsPage, response.page == nil,
                let details = responseDetails(side)
            else { continue }
            pages[side] = ResponsePage(details.lines(of: response.tab))
        }
        return pages
    }

    // MARK: Keys

    /// Handles the letter of a tab right after the key for tabs; nil for any other key.
    mutating func handleTabLetter(_ key: Key) -> [Effect]? {
        layers.close(.tabLetter)
        return keys.action(for: key, in: [.tabs]).map { showTab($0) }
    }

    /// Shows a tab of the focused response, or else of the server's; `details` stands for the next tab.
    mutating func showTab(_ action: Action) -> [Effect] {
        let side = responseSide
        guard let response = selectedView?[side], response.hasResponse, !isChainSelected else {
            return say("there is no response yet")
        }
        let named = ResponseTab.allCases.first { $0.action == action }
        if named == nil { layers.open(.tabLetter) } else { layers.close(.tabLetter) }
        // The user is going to read the tab, so its pane gets the keys.
        panes.focus = side == .cache ? .cache : .server
        let hasExpectations = response.checked != nil
        show(named ?? response.tab.moved(by: 1, hasExpectations: hasExpectations), of: side)
        return []
    }

    mutating func show(_ tab: ResponseTab, of side: PaneSide) {
        changePane(side) { $0.show(tab) }
        fitPanes()
    }

    /// Performs an action in the tab that takes the keys; nil if there is none, or it has no such action.
    mutating func performInTab(_ action: Action) -> [Effect]? {
        guard let side = panes.focusedSide, let page = shownPage, let tab = selectedView?[side].tab
        else {
            return nil
        }
        switch action {
        case .up, .down, .pageUp, .pageDown, .first, .last:
            changePane(side) { $0.page?.scroll.move(action) }
        case .right, .left:
            let hasExpectations = selectedView?[side].checked != nil
            let step = action == .right ? 1 : -1
            show(tab.moved(by: step, hasExpectations: hasExpectations), of: side)
        case .open where tab == .expectations: return goToCheckedValue()
        case .removeExpectation: return removeExpectation()
        case .back:
            if page.needle.isEmpty { show(.body, of: side) } else { find("") }
        case .search:
            layers.prompt = LinePrompt(
                purpose: .find,
                field: TextField(page.needle, placeholder: "text in this tab", limit: 1024)
            )
        case .nextMatch, .previousMatch: stepMatch(side, forward: action == .nextMatch)
        case .copyText: return copy(page.selectedText ?? "", "")
        case .copyPage: return copy(page.wholeText, "the whole tab")
        case .showAllFields: toggleAllFields(side, tab)
        default: return nil
        }
        return []
    }

    private mutating func toggleAllFields(_ side: PaneSide, _ tab: ResponseTab) {
        guard tab == .tls else {
            say("only the tab TLS has more fields")
            return
        }
        changePane(side) { response in
            response.showsAllFields.toggle()
            response.page = nil
        }
        fitPanes()
    }

    /// Searches the tab that takes the keys; an empty text ends the search.
    mutating func find(_ text: String) {
        if panes.focus == .request { return request.find(text) }
        guard let side = panes.focusedSide else { return }
        changePane(side) { $0.page?.find(text) }
    }

    private mutating func stepMatch(_ side: PaneSide, forward: Bool) {
        var isWrapped: Bool?
        changePane(side) { isWrapped = $0.page?.step(forward: forward) }
        if isWrapped == true { notice = DocumentPane.wrapped(forward: forward) }
        guard isWrapped == nil, let page = shownPage else { return }
        let text = page.needle.isEmpty ? "/ searches this tab" : "no matches for \(page.needle)"
        say(text)
    }

    private mutating func copy(_ text: String, _ name: String) -> [Effect] {
        guard !text.isEmpty else { return say("there is nothing to copy on this line") }
        guard text.utf8.count <= DocumentPane.copyLimit else {
            return warn("too long for the clipboard")
        }
        say("copied \(name.isEmpty ? String(text.prefix(200)) : name)")
        return [.session(.copy(text))]
    }

    /// Handles a click on a tab, or on a line of one; nil for a click elsewhere.
    mutating func clickTabs(
        of response: ResponseState,
        _ side: PaneSide,
        at point: Point,
        hadFocus: Bool
    ) -> [Effect]? {
        let pane = layout.pane(side)
        let tabs = layout.tabs(of: response, in: pane)
        if tabs.contains(point) {
            let counts = responseDetails(side)?.counts ?? [:]
            let row = ResponseTabs(counts: counts, columns: tabs.columns)
            if let tab = row.tab(at: point.x - tabs.x) { show(tab, of: side) }
            return []
        }
        guard response.showsPage else { return nil }
        let row = point.y - layout.page(of: response, in: pane).y
        guard row >= 0, let scroll = response.page?.scroll else { return [] }
        let isSecond = hadFocus && scroll.selection == scroll.offset + row
        changePane(side) { $0.page?.scroll.select(scroll.offset + row) }
        return isSecond && response.tab == .expectations ? goToCheckedValue() : []
    }
}

extension ResponseState {
    /// Whether a tab other than the body is shown.
    var showsPage: Bool { tab != .body && hasResponse }

    /// Shows a tab, from its first line.
    mutating func show(_ tab: ResponseTab) {
        self.tab = tab
        page = nil
    }

    /// Scrolls without choosing, as the wheel does.
    mutating func scroll(by rows: Int) {
        if showsPage { page?.scroll.scroll(by: rows) } else { document.scroll(by: rows) }
    }
}
