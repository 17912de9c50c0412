import Terminal

/// All keys of some places, in as many columns as fit.
struct HelpText {
    /// A line of the help.
    enum Line {
        case title(String)
        case binding(keys: String, text: String)
        case blank
    }

    /// The lines of each column.
    let columns: [[Line]]

    private static let columnWidth = 54

    /// Lays out the sections; each goes to the column that is shortest so far.
    init(_ keys: KeyTable, places: [KeyBinding.Place], columns width: Int) {
        let sections = places.map { Self.section($0, of: keys) }
        let count = min(sections.count, max(1, width / Self.columnWidth))
        var columns = Array(repeating: [Line](), count: count)
        for section in sections {
            let shortest = columns.indices.min { columns[$0].count < columns[$1].count } ?? 0
            if !columns[shortest].isEmpty { columns[shortest].append(.blank) }
            columns[shortest] += section
        }
        self.columns = columns
    }

    /// The rows of the longest column.
    var rowCount: Int { columns.map(\.count).max() ?? 0 }

    private static func section(_ place: KeyBinding.Place, of keys: KeyTable) -> [Line] {
        [.title(place.rawValue)]
            + keys.bindings.filter { $0.place == place && !$0.keys.isEmpty }.map { binding in
                .binding(keys: binding.shownKeys, text: binding.help)
            }
    }
}
