import Apus
import Documents
import HTTPTypes
import Terminal
import TreeView
import Workspaces

/// Checking responses against what is expected of them, and going to what is not so.
///
///     end of a run ─▶ effect: ResponseCheck, off the main thread ─▶ message ─▶ title, list, tab, marks in the tree
extension Model {
    /// Has a response checked that has just been shown; nothing if nothing is expected of it.
    func check(
        _ result: Result<Response, ApusError>,
        in side: PaneSide,
        after duration: Duration,
        of item: CatalogID,
        _ environment: Int
    ) -> [Effect] {
        guard let view = responses.views[item, environment], let target = view.checkedTarget,
            result.response?.isComplete == true
        else { return [] }
        return [.check(view.address(of: side, in: item), target, result, after: duration)]
    }

    /// Checks the shown responses of a target anew, because what is expected of them has changed.
    mutating func checkAgain(_ id: CatalogID) -> [Effect] {
        guard let old = view(of: id), case .success(let resolved)? = old.request else { return [] }
        let target = resolved.checkedTarget
        changeView(of: id) { $0.checkedTarget = target }
        let isCached = if case .status(_, true)? = old.outcome { true } else { false }
        let side: PaneSide = isCached ? .cache : .server
        guard target != nil, let result = old[side].content.result else {
            return show(nil, at: old.address(of: side, in: id))
        }
        let duration = old.duration ?? .zero
        return check(result, in: side, after: duration, of: id, workspace.environment)
    }

    /// Shows what came of what is expected of a response.
    @discardableResult
    mutating func show(_ checked: CheckedResponse?, at address: PaneAddress) -> [Effect] {
        changeBody(at: address) { response in
            response.checked = checked
            response.markUnexpected()
            if response.tab == .expectations { response.page = nil }
        }
        fitPanes()
        return []
    }

    /// Marks what is not as expected in a body that has just been opened.
    mutating func markUnexpected(at address: PaneAddress) -> [Effect] {
        changeBody(at: address) { $0.markUnexpected() }
        return []
    }

    // MARK: The tab

    /// What the line under the cursor of the tab is about; nil if another tab is shown, or the line is a title.
    var selectedCheck: (side: PaneSide, item: CheckedResponse.Item)? {
        guard let side = panes.focusedSide, let response = selectedView?[side],
            response.tab == .expectations, let index = response.page?.selectedLine?.item,
            let checked = response.checked, checked.items.indices.contains(index)
        else { return nil }
        return (side, checked.items[index])
    }

    /// Goes to what an expectation is about: a value in the tree, a header field, a time.
    mutating func goToCheckedValue() -> [Effect] {
        guard let (side, item) = selectedCheck else { return say("choose an expectation first") }
        if let node = item.node { return goTo(node, in: side) }
        switch item.expectation?.subject {
        case .json?: return say("there is no such value in the response")
        case .body?, .text?, .size?: show(.body, of: side)
        case .field(let name)?: show(.headers, of: side, atLine: name.rawName)
        case .time?, .fromCache?: show(.timing, of: side)
        case .certificateDays?: show(.tls, of: side)
        default: show(.headers, of: side)
        }
        return []
    }

    private mutating func goTo(_ node: NodeIndex, in side: PaneSide) -> [Effect] {
        guard let response = selectedView?[side], let document = response.document.body?.document,
            node.rawValue < document.nodeCount
        else { return say("the body is not shown as a tree") }
        guard response.filter == nil else {
            return say("what a command made of the body is shown: esc in the body drops it")
        }
        show(.body, of: side)
        changePane(side) { $0.document.reveal(node) }
        fitPanes()
        return []
    }

    private mutating func show(_ tab: ResponseTab, of side: PaneSide, atLine name: String) {
        show(tab, of: side)
        changePane(side) { response in
            guard let page = response.page,
                let row = page.rows.firstIndex(where: { row in
                    page.lines[row.line].name.lowercased() == name.lowercased()
                })
            else { return }
            response.page?.scroll.select(row)
        }
    }
}

extension ResponseState {
    /// Marks the values in the tree that are not as expected; none in what a command made of the body.
    mutating func markUnexpected() {
        let items = filter == nil ? checked?.items ?? [] : []
        document.unexpected = Set(items.lazy.filter { !$0.isMet }.compactMap(\.node))
    }
}

extension ResponseState.Content {
    /// The whole response, or what was not accepted as one; nil if there is neither.
    fileprivate var result: Result<Response, ApusError>? {
        switch self {
        case .response(let response): .success(response)
        case .failed(let error): .failure(error)
        case .empty, .missed, .waiting, .notAsked, .notModified, .receiving: nil
        }
    }
}
