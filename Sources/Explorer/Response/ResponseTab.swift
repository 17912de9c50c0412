import Terminal
import TreeView

/// A tab of a response's pane.
enum ResponseTab: CaseIterable, Sendable {
    case body, expectations, headers, cookies, timing, tls, request, raw

    /// The name in the row of tabs.
    var title: String {
        switch self {
        case .body: "Body"
        case .expectations: "Expect"
        case .headers: "Headers"
        case .cookies: "Cookies"
        case .timing: "Timing"
        case .tls: "TLS"
        case .request: "Request"
        case .raw: "Raw"
        }
    }

    /// The name for narrow panes.
    var shortTitle: String {
        switch self {
        case .expectations: "Exp"
        case .headers: "Head"
        case .cookies: "Cook"
        case .timing: "Time"
        case .request: "Req"
        case .body, .tls, .raw: title
        }
    }

    /// The action that selects it.
    var action: Action {
        switch self {
        case .body: .showBody
        case .expectations: .showExpectations
        case .headers: .showHeaders
        case .cookies: .showCookies
        case .timing: .showTiming
        case .tls: .showCertificate
        case .request: .showRequest
        case .raw: .showRaw
        }
    }

    /// The tab `step` places further, wrapping around; that of expectations is there only if it has some.
    func moved(by step: Int, hasExpectations: Bool) -> ResponseTab {
        let all = Self.allCases.filter {
            $0 != .expectations || hasExpectations || self == .expectations
        }
        let index = all.firstIndex(of: self) ?? 0
        return all[(index + step + all.count) % all.count]
    }
}

/// The row of tabs, shortened to fit.
struct ResponseTabs {
    /// A tab in the row.
    struct Item: Equatable {
        var tab: ResponseTab
        var title: String
        /// Its first column, and how many it has.
        var column: Int
        var columns: Int
    }

    let items: [Item]

    /// Lays out the tabs, without that of expectations if there is no count of them: with counts if they fit, else without, else with short names.
    init(counts: [ResponseTab: Int], columns: Int) {
        func layOut(_ gap: Int, _ title: (ResponseTab) -> String) -> [Item] {
            var column = 0
            let tabs = ResponseTab.allCases.filter { $0 != .expectations || counts[$0] != nil }
            return tabs.map { tab in
                let text = title(tab)
                defer { column += text.count + gap }
                return Item(tab: tab, title: text, column: column, columns: text.count)
            }
        }
        let counted = layOut(2) { tab in
            counts[tab].map { $0 > 0 ? "\(tab.title) \($0)" : tab.title } ?? tab.title
        }
        let shortest = layOut(1, \.shortTitle)
        let ways = [counted, layOut(2, \.title), layOut(1, \.title)]
        items = ways.first { ($0.last.map { $0.column + $0.columns } ?? 0) <= columns } ?? shortest
    }

    /// The tab at a column of the row.
    func tab(at column: Int) -> ResponseTab? {
        items.first { $0.column <= column && column < $0.column + $0.columns }?.tab
    }
}
