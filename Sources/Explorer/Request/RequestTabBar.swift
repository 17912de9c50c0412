import Documents
import Terminal
import Workspaces

/// The tabs of the request pane, each with a summary of its content.
struct RequestTabBar {
    /// A tab as the bar shows it.
    struct Label {
        var tab: RequestTab
        var name: String
        /// The number of rows in it, or the kind of its content.
        var count: String
        var place: Rect
    }

    let edits: RequestEdits?
    let chosen: RequestTab

    /// How long the labels are, from the longest.
    private enum Form: CaseIterable {
        case whole, names, closeNames, shortNames

        var gap: Int { self == .whole || self == .names ? 2 : 1 }
    }

    /// The tabs, with the longest labels that fit in a row.
    ///
    /// If not all fit, some are left out, but not the chosen one.
    func fitting(_ row: Rect) -> [Label] {
        let all = RequestTab.allCases
        let form = Form.allCases.first { columns(of: all, $0) <= row.columns } ?? .shortNames
        var tabs = all
        while tabs.count > 1, columns(of: tabs, form) > row.columns {
            if tabs.first == chosen { tabs.removeLast() } else { tabs.removeFirst() }
        }
        var x = row.x
        return tabs.map { tab in
            let label = label(tab, form)
            let columns = columns(of: label)
            let place = row.from(x: x).first(columns)
            x += columns + form.gap
            return Label(tab: tab, name: label.name, count: label.count, place: place)
        }
    }

    private func columns(of tabs: [RequestTab], _ form: Form) -> Int {
        tabs.reduce(-form.gap) { $0 + columns(of: label($1, form)) + form.gap }
    }

    private func columns(of label: (name: String, count: String)) -> Int {
        let count = label.count.isEmpty ? 0 : TextWidth.columns(of: label.count) + 1
        return TextWidth.columns(of: label.name) + count
    }

    private func label(_ tab: RequestTab, _ form: Form) -> (name: String, count: String) {
        switch form {
        case .whole: (tab.title, count(of: tab))
        case .names, .closeNames: (tab.title, "")
        case .shortNames: (tab.shortTitle, "")
        }
    }

    private func count(of tab: RequestTab) -> String {
        guard let edits else { return "" }
        return switch tab {
        case .body: edits.body == .none ? "" : edits.body.title
        case .headers: count(of: .headers, edits: edits)
        case .query: count(of: .url, .query, edits: edits)
        case .authorization: authorization(edits)
        case .options: count(of: .options, edits: edits)
        case .cookies, .preview: ""
        }
    }

    /// The number of rows that are sent, or set.
    private func count(of tables: RequestTable..., edits: RequestEdits) -> String {
        let count = tables.reduce(0) { sum, table in
            sum + edits[table].count { $0.current?.value != nil }
        }
        return count == 0 ? "" : Readable.count(count)
    }

    /// The credentials that are sent: "inherited" only if there is something to inherit.
    private func authorization(_ edits: RequestEdits) -> String {
        let inherited = edits.original.inheritedAuthorization?.authorization ?? .none
        if edits.authorization == .inherited, inherited == .none { return "" }
        return edits.authorization.title
    }
}

extension Model {
    /// The tabs of the request pane.
    var requestTabs: RequestTabBar {
        RequestTabBar(edits: request.shownEdits?.edits, chosen: request.tab)
    }
}
