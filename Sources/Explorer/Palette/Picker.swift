import Terminal
import TreeView

/// A list over the panes that is searched by typing: the palette, or the values of one setting.
struct Picker {
    enum Kind: Equatable {
        case palette, environments, sources, themes, exports, sessions

        var title: String {
            switch self {
            case .palette: "Commands"
            case .environments: "Environment"
            case .sources: "Source"
            case .themes: "Theme"
            case .exports: "Copy the request as"
            case .sessions: "Sessions"
            }
        }
    }

    /// What can be chosen.
    enum Choice: Equatable {
        case action(Action, Key)
        /// An action of another pane, which gets the keys first.
        case actionIn(Focus, Action, Key)
        case environment(Int)
        case source(SourceChoice)
        case theme(String)
        case session(String)
        /// A session that a colleague shares.
        case shared(String)
        /// The server that colleagues share sessions on.
        case server
        /// Put a file of another program into the workspace.
        case importFile
        case setting(Setting)
        case target(CatalogID)
        /// A format to copy the selected target in.
        case export(String)
    }

    /// A setting that can be switched in the palette.
    enum Setting: Equatable {
        case mouse, asking
    }

    /// A line of the list.
    struct Item: Equatable {
        var choice: Choice
        /// The mark of an environment, which sets the style of its name.
        var mark = EnvironmentMark()
        var name: String
        /// The method of a target; empty for others.
        var method = ""
        /// A further description.
        var detail: String
        /// On the right: its key, or the kind of thing it is.
        var note: String
        /// Further words to find it by.
        var words = ""
    }

    let kind: Kind
    var field: TextField
    var scroll = ListScroll()
    /// The lines that match.
    private(set) var shown: [Item] = []
    /// The number of matches, which may be more than are shown.
    private(set) var count = 0

    private let items: [Item]
    private let texts: FuzzyIndex
    private var targets: TargetIndex?
    /// The last search text and its results.
    private var last: (text: String, items: FuzzyIndex.Result, targets: FuzzyIndex.Result)?

    init(_ kind: Kind, _ items: [Item], targets: TargetIndex? = nil, height: Int) {
        self.kind = kind
        self.items = items
        self.targets = targets
        var texts = FuzzyIndex()
        for item in items { texts.append(item.name, "\(item.words) \(item.detail) \(item.note)") }
        self.texts = texts
        let placeholder =
            kind == .palette ? "an action, a target, a session, an environment, a theme" : "name"
        field = TextField(placeholder: placeholder, limit: 256)
        scroll.update(count: 0, height: height)
        search()
    }

    /// The line under the cursor.
    var selected: Item? {
        shown.indices.contains(scroll.selection) ? shown[scroll.selection] : nil
    }

    /// Moves the cursor to a choice.
    mutating func select(_ choice: Choice) {
        if let index = shown.firstIndex(where: { $0.choice == choice }) { scroll.select(index) }
    }

    mutating func fit(height: Int) { scroll.update(count: shown.count, height: height) }

    /// Searches the targets, too, which are indexed elsewhere.
    mutating func search(in targets: TargetIndex) {
        guard kind == .palette else { return }
        self.targets = targets
        last = nil
        search()
    }

    /// Searches for the input.
    mutating func search() {
        let text = field.text
        defer { scroll.update(count: shown.count, height: scroll.height) }
        guard !text.allSatisfy({ $0 == " " }) else {
            (shown, count, last) = (items, items.count, nil)
            return
        }
        // A longer text matches only lines that its beginning matches.
        let former = last.flatMap { text.hasPrefix($0.text) ? $0 : nil }
        let found = texts.search(text, within: former?.items)
        let others =
            (kind == .palette ? targets : nil)?.texts.search(text, within: former?.targets)
            ?? FuzzyIndex.Result()
        last = (text, found, others)
        count = found.count + others.count
        shown = merged(found.best, others.best)
        scroll.moveToFirst()
    }

    /// Both lists merged, best first; on a tie, actions come first.
    private func merged(_ found: [FuzzyIndex.Hit], _ others: [FuzzyIndex.Hit]) -> [Item] {
        var result: [Item] = []
        var (left, right) = (found[...], others[...])
        while result.count < FuzzyIndex.mostShown {
            if let item = left.first, item.score <= right.first?.score ?? .max {
                result.append(items[item.index])
                left.removeFirst()
            } else if let target = right.first, let line = targets?.lines[target.index] {
                result.append(
                    Item(
                        choice: .target(line.id),
                        name: line.id.description,
                        method: line.method,
                        detail: line.summary,
                        note: line.kind
                    )
                )
                right.removeFirst()
            } else {
                break
            }
        }
        return result
    }
}

extension Picker.Item {
    /// The items with what they are after their names where two have the same name.
    static func distinct(_ items: [Picker.Item]) -> [Picker.Item] {
        var counts: [String: Int] = [:]
        for item in items { counts[item.name.lowercased(), default: 0] += 1 }
        var seen: Set<String> = []
        return items.map { item in
            var item = item
            if counts[item.name.lowercased()] != 1, !item.isAction {
                item.name += " (\(item.note))"
            }
            // Two actions of the same name, or two sessions that differ by case.
            if !seen.insert(item.name.lowercased()).inserted {
                item.name += " (\(item.note))"
                seen.insert(item.name.lowercased())
            }
            return item
        }
    }

    /// The note of a session that is watched.
    static let watched = "watching"

    /// Whether it is an action, whose key stands at the right.
    var isAction: Bool {
        switch choice {
        case .action, .actionIn: true
        default: false
        }
    }
}
