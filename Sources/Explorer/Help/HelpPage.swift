import Terminal
import TreeView

/// A page of the explorer's help.
enum HelpSubject: CaseIterable {
    /// The notes on the line under the list's cursor, the groups around it, and the workspace.
    case notes
    case keys, workspace, runs, sharing, security, files

    var title: String {
        switch self {
        case .notes: "Notes"
        case .keys: "Keys"
        case .workspace: "Workspace"
        case .runs: "CI"
        case .sharing: "Sharing"
        case .security: "Security"
        case .files: "Files"
        }
    }
}

/// The open help: which of its pages, its first row, and what is searched for in all of them.
struct HelpPage {
    var subject = HelpSubject.keys
    var scroll = PageScroll()
    /// The search; nil if there is none.
    var filter: ListFilter?
    /// The lines of the page, or what was found; empty for all keys, which stand in columns.
    var lines: [HelpLine] = []

    /// Whether all keys are shown in columns.
    var showsAllKeys: Bool { subject == .keys && (filter?.text ?? "").isEmpty }
}

extension Model {
    /// The pages that there are now.
    var helpSubjects: [HelpSubject] {
        HelpSubject.allCases.filter { $0 != .notes || selectedNotes != nil }
    }

    /// Opens the help: with the notes on the line under the cursor if there are some, else with the keys.
    mutating func openHelp() {
        let hasNotes = panes.focus == .targets && layers.page == nil && selectedNotes != nil
        layers.open(.help(HelpPage(subject: hasNotes ? .notes : .keys)))
        arrangeHelp()
    }

    /// Makes the lines of the open page again, for its room.
    mutating func arrangeHelp() {
        guard var page = layers.help else { return }
        let columns = PageLayout(size: size).inside.columns
        let text = HelpPages(keys: keys, notes: selectedNotes, columns: columns)
        let words = page.filter?.text ?? ""
        page.lines =
            page.showsAllKeys
            ? [] : words.isEmpty ? text.lines(of: page.subject) : text.lines(with: words)
        layers.help = page
    }

    /// Handles a key while the help is open and its search is not being typed.
    mutating func handleInHelp(_ key: Key, _ page: HelpPage) -> [Effect] {
        var page = page
        if keys.action(for: key, in: [.targets]) == .filter {
            page.filter.start(placeholder: "a key, what it does, or a word of a page", limit: 64)
            layers.help = page
            return []
        }
        guard let action = pageAction(for: key) else { return [] }
        if let effects = performOnAnyPage(action, .help) { return effects }
        switch action {
        case .back where page.filter != nil: page.filter = nil
        case .focusNext, .right: page.subject = subject(after: page.subject, by: 1)
        case .focusPrevious, .left: page.subject = subject(after: page.subject, by: -1)
        default:
            let area = PageLayout(size: size).inside
            let moved = page.scroll.after(action, page: area.rows, count: helpRows(page, area))
            page.scroll = moved ?? page.scroll
            layers.help = moved == nil ? nil : page
            return []
        }
        page.scroll = PageScroll()
        layers.help = page
        arrangeHelp()
        return []
    }

    private func subject(after subject: HelpSubject, by step: Int) -> HelpSubject {
        let all = helpSubjects
        let index = all.firstIndex(of: subject) ?? 0
        return all[(index + step + all.count) % all.count]
    }

    /// How many rows the open page has.
    func helpRows(_ page: HelpPage, _ area: Rect) -> Int {
        guard page.showsAllKeys else { return page.lines.count }
        return HelpText(keys, places: KeyBinding.Place.ofExplorer, columns: area.columns).rowCount
    }

    /// What the authors say of the line under the list's cursor, the groups around it, and the workspace, in
    /// Markdown; nil if they say nothing.
    var selectedNotes: String? {
        guard let catalog = workspace.catalog else { return nil }
        var parts: [String] = []
        func append(_ title: String, _ note: String?) {
            if let note { parts.append("# \(title)\n\n\(note)") }
        }
        if let row = targets.selected {
            var path = row.id.description
            if case .target(let target)? = catalog.nodes.node(with: row.id) {
                append(target.name, target.note)
            }
            while let slash = path.lastIndex(of: "/") {
                path = String(path[..<slash])
                append(path, catalog.groupNotes[path])
            }
        }
        append(catalog.name, catalog.note)
        return parts.isEmpty ? nil : parts.joined(separator: "\n\n")
    }
}
