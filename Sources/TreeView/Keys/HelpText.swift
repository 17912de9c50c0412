import Terminal

/// All keys of some places, in as many columns as fit.
package struct HelpText {
    /// A line of the help.
    package enum Line {
        case title(String)
        case binding(keys: String, text: String)
        case blank
    }

    /// The lines of each column.
    package let columns: [[Line]]

    private static let columnWidth = 54

    /// Lays out the sections; each goes to the column that is shortest so far.
    package init(_ keys: KeyTable, places: [KeyBinding.Place], columns width: Int) {
        let sections = places.map { Self.section($0, of: keys) }.filter { !$0.isEmpty }
        let count = max(1, min(sections.count, max(1, width / Self.columnWidth)))
        var columns = Array(repeating: [Line](), count: count)
        for section in sections {
            let shortest = columns.indices.min { columns[$0].count < columns[$1].count } ?? 0
            if !columns[shortest].isEmpty { columns[shortest].append(.blank) }
            columns[shortest] += section
        }
        self.columns = columns
    }

    /// The rows of the longest column.
    package var rowCount: Int { columns.map(\.count).max() ?? 0 }

    private static func section(_ place: KeyBinding.Place, of keys: KeyTable) -> [Line] {
        let found = keys.bindings.filter { $0.place == place && !$0.keys.isEmpty }
        guard !found.isEmpty else { return [] }
        return [.title(place.title)]
            + found.map { .binding(keys: $0.shownKeys, text: $0.help) }
    }
}
