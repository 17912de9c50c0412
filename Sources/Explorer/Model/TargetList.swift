import Terminal

/// The list of targets: which groups are folded, the filter, the selection.
struct TargetList {
    /// A line of the list.
    struct Row: Equatable {
        enum Kind: Equatable {
            case group(isFolded: Bool, count: Int)
            case target(method: String)
            case batch
            case chain
        }
        var id: CatalogID
        var name: String
        var depth: Int
        var kind: Kind
    }

    /// The groups that are folded.
    private(set) var folded: Set<CatalogID> = []
    /// The filter's field; nil when there is no filter.
    var filter: TextField?
    /// Whether the filter has the keys.
    var isTypingFilter = false
    /// The lines that are shown now.
    private(set) var rows: [Row] = []
    /// Selection and offset.
    var scroll = ListScroll()
    /// Targets in all, for the pane's title.
    private(set) var targetCount = 0
    /// Targets, batches and chains that match the filter, folded or not.
    private var leafCount = 0

    /// The line under the cursor.
    var selected: Row? { rows.indices.contains(scroll.selection) ? rows[scroll.selection] : nil }

    /// Lays the lines out anew; the selection stays on its line if that is still shown.
    mutating func arrange(_ catalog: Catalog) {
        let kept = selected?.id
        let words = (filter?.text ?? "").lowercased().split(separator: " ").map(String.init)
        rows = []
        targetCount = 0
        leafCount = 0
        append(catalog.nodes, path: "", depth: 0, words: words, isShown: true)
        let place = rows.firstIndex { $0.id == kept }
        scroll.update(count: rows.count, height: scroll.height)
        if let place {
            scroll.select(place)
        } else if kept == nil || !words.isEmpty {
            // A filter's first hit is more useful than the group above it.
            scroll.select(rows.firstIndex { if case .group = $0.kind { false } else { true } } ?? 0)
        }
    }

    /// Folds or unfolds the group under the cursor.
    mutating func toggle(_ id: CatalogID, in catalog: Catalog) {
        if folded.remove(id) == nil { folded.insert(id) }
        arrange(catalog)
    }

    /// Appends the lines of `nodes` that match; tells whether there were any.
    @discardableResult
    private mutating func append(
        _ nodes: [CatalogNode],
        path: String,
        depth: Int,
        words: [String],
        isShown: Bool
    ) -> Bool {
        var hasMatch = false
        for node in nodes {
            switch node {
            case .group(let name, let children):
                hasMatch =
                    appendGroup(
                        name,
                        children,
                        path: path,
                        depth: depth,
                        words: words,
                        isShown: isShown
                    )
                    || hasMatch
            case .target(let target):
                targetCount += 1
                let row = Row(
                    id: target.id,
                    name: target.name,
                    depth: depth,
                    kind: .target(method: target.method)
                )
                hasMatch =
                    append(row, "\(target.method) \(path) \(target.path)", words, isShown)
                    || hasMatch
            case .batch(let batch):
                let row = Row(id: batch.id, name: batch.name, depth: depth, kind: .batch)
                hasMatch = append(row, "batch \(path)", words, isShown) || hasMatch
            case .chain(let chain):
                let row = Row(id: chain.id, name: chain.name, depth: depth, kind: .chain)
                hasMatch = append(row, "chain \(path)", words, isShown) || hasMatch
            }
        }
        return hasMatch
    }

    private mutating func appendGroup(
        _ name: String,
        _ children: [CatalogNode],
        path: String,
        depth: Int,
        words: [String],
        isShown: Bool
    ) -> Bool {
        let id = CatalogID("\(path)\(name)/")
        // While a filter is on, all that matches is shown, folded or not.
        let isFolded = folded.contains(id) && words.isEmpty
        let place = rows.count
        let before = leafCount
        let hasMatch = append(
            children,
            path: id.description,
            depth: depth + 1,
            words: words,
            isShown: isShown && !isFolded
        )
        guard isShown, hasMatch || words.isEmpty else { return hasMatch }
        let count = leafCount - before
        rows.insert(
            Row(id: id, name: name, depth: depth, kind: .group(isFolded: isFolded, count: count)),
            at: place
        )
        return true
    }

    private mutating func append(
        _ row: Row,
        _ context: String,
        _ words: [String],
        _ isShown: Bool
    ) -> Bool {
        let text = "\(row.name) \(context)".lowercased()
        guard words.allSatisfy({ text.contains($0) }) else { return false }
        leafCount += 1
        if isShown { rows.append(row) }
        return true
    }
}
