import Documents
import Terminal

/// The tabs of the request pane, with what is in each.
struct RequestTabBar {
    /// A tab as it stands in the bar.
    struct Label {
        var tab: RequestTab
        var name: String
        /// How much there is, or what.
        var count: String
        var place: Rect
    }

    let edits: RequestEdits?
    let chosen: RequestTab

    private static let gap = 2

    /// The tabs that fit into a row, the chosen one among them.
    func fitting(_ row: Rect) -> [Label] {
        var tabs = RequestTab.allCases
        while tabs.count > 1, columns(of: tabs) > row.columns {
            if tabs.first == chosen { tabs.removeLast() } else { tabs.removeFirst() }
        }
        var x = row.x
        return tabs.map { tab in
            let columns = columns(of: tab)
            let place = row.from(x: x).first(columns)
            x += columns + Self.gap
            return Label(tab: tab, name: tab.title, count: count(of: tab), place: place)
        }
    }

    private func columns(of tabs: [RequestTab]) -> Int {
        tabs.reduce(-Self.gap) { $0 + columns(of: $1) + Self.gap }
    }

    private func columns(of tab: RequestTab) -> Int {
        let count = count(of: tab)
        return TextWidth.columns(of: tab.title)
            + (count.isEmpty ? 0 : TextWidth.columns(of: count) + 1)
    }

    private func count(of tab: RequestTab) -> String {
        guard let edits else { return "" }
        return switch tab {
        case .body: edits.body == .none ? "" : edits.body.title
        case .headers: count(of: .headers, edits)
        case .query: count(of: .query, edits)
        case .authorization: edits.authorization.title
        case .options: count(of: .options, edits)
        case .cookies, .preview: ""
        }
    }

    /// The rows that are sent, or set.
    private func count(of table: RequestTable, _ edits: RequestEdits) -> String {
        let count = edits[table].count { $0.current?.value != nil }
        return count == 0 ? "" : Readable.count(count)
    }
}

extension Model {
    /// The tabs of the request pane.
    var requestTabs: RequestTabBar {
        RequestTabBar(edits: shownHand?.edits, chosen: requestPane.tab)
    }
}
