import Glibc
import Terminal
import TreeView

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
        /// A target's path as written.
        var path = ""
        /// What it is for, in the words of its author.
        var summary: String?
        /// Its number among everything that can be sent, from 1; nil for a group.
        var ordinal: Int?
        /// Whether there is a note on it.
        var hasNote = false
    }

    /// The groups that are folded.
    private(set) var folded: Set<CatalogID> = []
    /// The filter's field; nil if there is no filter.
    var filter: ListFilter?
    /// The texts that the filter searches.
    private var texts: FilterTexts?
    private(set) var rows: [Row] = []
    var scroll = ListScroll()
    /// The number of targets, batches and chains, for the pane's title.
    private(set) var targetCount = 0

    /// The line under the cursor.
    var selected: Row? { rows.indices.contains(scroll.selection) ? rows[scroll.selection] : nil }

    /// Rebuilds the lines; the selection stays on its line if that is still shown.
    ///
    /// If the catalog `isSame` as last time, the filter's texts are kept.
    mutating func arrange(_ catalog: Catalog, isSame: Bool = false) {
        let kept = selected?.id ?? (rows.isEmpty ? catalog.selected : nil)
        let words = Set((filter?.text ?? "").lowercased().split(separator: " "))
        if filter == nil || !isSame { texts = nil }
        if !words.isEmpty, texts == nil { texts = FilterTexts(catalog) }
        var lister = TargetRowBuilder(
            folded: folded,
            words: words.map { Array($0.utf8) },
            noted: Set(catalog.groupNotes.keys.map { "\($0)/" }),
            texts: words.isEmpty ? nil : texts,
            expected: words.isEmpty ? targetCount : 0
        )
        _ = lister.append(catalog.nodes, path: "", depth: 0, isShown: true)
        (rows, targetCount) = (lister.rows, lister.targetCount)
        let index = rows.firstIndex { $0.id == kept }
        scroll.update(count: rows.count, height: scroll.height)
        if let index, words.isEmpty || rows[index].ordinal != nil {
            scroll.select(index)
        } else if kept == nil || !words.isEmpty {
            // A filter's first hit is more useful than the group above it.
            scroll.select(rows.firstIndex { if case .group = $0.kind { false } else { true } } ?? 0)
        }
    }

    /// Restores the folded groups for a first catalog, and moves the cursor to a line or the group around it.
    mutating func restore(
        _ folded: Set<CatalogID>,
        selecting id: CatalogID?,
        in catalog: Catalog
    ) {
        self.folded = folded
        arrange(catalog)
        self.folded.formIntersection(groupIDs(in: catalog.nodes, path: ""))
        guard catalog.selected == nil, let id else { return }
        let index =
            rows.firstIndex { $0.id == id }
            ?? rows.lastIndex { row in
                if case .group(isFolded: true, _) = row.kind {
                    id.description.hasPrefix(row.id.description)
                } else {
                    false
                }
            }
        if let index { scroll.select(index) }
    }

    private func groupIDs(in nodes: [CatalogNode], path: String) -> Set<CatalogID> {
        var ids: Set<CatalogID> = []
        for case .group(let name, let children) in nodes {
            let own = "\(path)\(name)/"
            ids.insert(CatalogID(own))
            ids.formUnion(groupIDs(in: children, path: own))
        }
        return ids
    }

    mutating func unfold(_ group: String, in catalog: Catalog?) {
        guard let catalog, folded.remove(CatalogID("\(group)/")) != nil else { return }
        arrange(catalog)
    }

    /// Moves the cursor to a line; if it is hidden, drops the filter and unfolds the groups around it.
    mutating func reveal(_ id: CatalogID, in catalog: Catalog) {
        if !rows.contains(where: { $0.id == id }) {
            filter = nil
            folded.subtract(Self.groups(around: id, in: catalog.nodes, path: "") ?? [])
            arrange(catalog)
        }
        if let row = rows.firstIndex(where: { $0.id == id }) { scroll.select(row) }
    }

    private static func groups(
        around id: CatalogID,
        in nodes: [CatalogNode],
        path: String
    ) -> [CatalogID]? {
        for node in nodes {
            switch node {
            case .group(let name, let children):
                let own = "\(path)\(name)/"
                if own == id.description { return [] }
                if let found = groups(around: id, in: children, path: own) {
                    return found + [CatalogID(own)]
                }
            case .target(let target): if target.id == id { return [] }
            case .batch(let batch): if batch.id == id { return [] }
            case .chain(let chain): if chain.id == id { return [] }
            }
        }
        return nil
    }

    /// Keeps folds with the groups that have another path.
    mutating func move(_ old: String, to new: String) {
        folded = Set(folded.map { $0.moved(from: old, to: new) ?? $0 })
    }

    /// Folds or unfolds a group.
    mutating func toggle(_ id: CatalogID, in catalog: Catalog) {
        if folded.remove(id) == nil { folded.insert(id) }
        arrange(catalog)
    }
}

/// Makes the lines of the list that match the words of the filter.
private struct TargetRowBuilder {
    let folded: Set<CatalogID>
    let words: [[UInt8]]
    /// The paths of the groups with a note.
    let noted: Set<String>
    /// nil if there are no words.
    let texts: FilterTexts?
    private(set) var rows: [TargetList.Row] = []
    /// The number of targets, batches and chains.
    private(set) var targetCount = 0
    /// The number of targets, batches and chains that match, folded or not.
    private var leafCount = 0

    /// `expected` is the approximate number of lines.
    init(
        folded: Set<CatalogID>,
        words: [[UInt8]],
        noted: Set<String>,
        texts: FilterTexts?,
        expected: Int
    ) {
        self.folded = folded
        (self.words, self.noted) = (words, noted)
        self.texts = texts
        rows.reserveCapacity(expected)
    }

    /// Appends the lines of `nodes` that match; returns whether there were any.
    mutating func append(_ nodes: [CatalogNode], path: String, depth: Int, isShown: Bool) -> Bool {
        var hasMatch = false
        for index in nodes.indices {
            if case .group(let name, let children) = nodes[index] {
                let isMatch = appendGroup(
                    name,
                    children,
                    path: path,
                    depth: depth,
                    isShown: isShown
                )
                hasMatch = hasMatch || isMatch
                continue
            }
            targetCount += 1
            // Most do not match, and their nodes are not read.
            if let texts, !texts.has(words, at: targetCount - 1) { continue }
            hasMatch = true
            leafCount += 1
            if isShown { append(nodes[index], depth: depth) }
        }
        return hasMatch
    }

    private mutating func append(_ node: CatalogNode, depth: Int) {
        var row: TargetList.Row
        switch node {
        case .group: return
        case .target(let target):
            row = TargetList.Row(
                id: target.id,
                name: target.name,
                depth: depth,
                kind: .target(method: target.method),
                path: target.path,
                summary: target.summary
            )
            row.hasNote = target.note != nil
        case .batch(let batch):
            row = TargetList.Row(id: batch.id, name: batch.name, depth: depth, kind: .batch)
            row.summary = batch.summary
        case .chain(let chain):
            row = TargetList.Row(id: chain.id, name: chain.name, depth: depth, kind: .chain)
            row.summary = chain.summary
        }
        row.ordinal = leafCount
        rows.append(row)
    }

    private mutating func appendGroup(
        _ name: String,
        _ children: [CatalogNode],
        path: String,
        depth: Int,
        isShown: Bool
    ) -> Bool {
        let id = CatalogID("\(path)\(name)/")
        // A filter shows everything that matches, folded or not.
        let isFolded = folded.contains(id) && words.isEmpty
        let (index, before) = (rows.count, leafCount)
        let hasMatch = append(
            children,
            path: id.description,
            depth: depth + 1,
            isShown: isShown && !isFolded
        )
        guard isShown, hasMatch || words.isEmpty else { return hasMatch }
        let kind = TargetList.Row.Kind.group(isFolded: isFolded, count: leafCount - before)
        var row = TargetList.Row(id: id, name: name, depth: depth, kind: kind)
        row.hasNote = noted.contains(id.description)
        rows.insert(row, at: index)
        return true
    }
}

/// The texts that the filter searches: for each target, batch and chain, in the catalog's order, its name, groups
/// and request in lower case.
private struct FilterTexts {
    private var bytes: [UInt8] = []
    /// Where each text begins, and where the last one ends.
    private var starts = [0]

    init(_ catalog: Catalog) {
        append(catalog.nodes, path: "")
    }

    private mutating func append(_ nodes: [CatalogNode], path: String) {
        for node in nodes {
            switch node {
            case .group(let name, let children):
                append(children, path: "\(path)\(name)/")
                continue
            case .target(let target):
                append([target.name, target.method, path, target.path, target.summary ?? ""])
            case .batch(let batch): append([batch.name, "batch", path, batch.summary ?? ""])
            case .chain(let chain): append([chain.name, "chain", path, chain.summary ?? ""])
            }
            starts.append(bytes.count)
        }
    }

    private mutating func append(_ parts: [String]) {
        for part in parts {
            if part.utf8.allSatisfy({ $0 < 0x80 }) {
                bytes.append(contentsOf: part.utf8.lazy.map { 65...90 ~= $0 ? $0 + 32 : $0 })
            } else {
                bytes.append(contentsOf: part.lowercased().utf8)
            }
            bytes.append(UInt8(ascii: " "))
        }
    }

    /// Whether the text at an index contains all words.
    func has(_ words: [[UInt8]], at index: Int) -> Bool {
        let (start, end) = (starts[index], starts[index + 1])
        return bytes.withUnsafeBytes { bytes in
            words.allSatisfy {
                Self.has($0, in: UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
            }
        }
    }

    private static func has(_ word: [UInt8], in text: UnsafeRawBufferPointer) -> Bool {
        guard let first = word.first, var at = text.baseAddress else { return word.isEmpty }
        var rest = text.count - word.count + 1
        while rest > 0, let found = memchr(at, Int32(first), rest) {
            if memcmp(found, word, word.count) == 0 { return true }
            rest -= UnsafeRawPointer(found) - at + 1
            at = UnsafeRawPointer(found) + 1
        }
        return false
    }
}
