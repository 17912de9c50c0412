import Documents
import Terminal

/// A container's values as a table: a row for each value, a column for each name in them.
///
/// ```
///      id  name          city    tags   address
///   0   1  Grace Hopper  Kyoto   [1]    {4}
///   1   2  Alan Turing   Turku   [3]    {4}
/// ```
/// The columns and their widths come from the first rows and stay. Rows are not stored: visible ones are read
/// from the document when they are drawn.
struct DocumentTable {
    /// What a column shows of a row.
    enum Source: Hashable, Sendable {
        /// The row's own key in an object.
        case key
        /// A member of the row.
        case member(String)
        /// An element of the row.
        case element(Int)
        /// The row itself, if it is a scalar.
        case whole
    }

    struct Column: Sendable {
        let source: Source
        var width: Int
        /// Whether it holds numbers, which are aligned at the right.
        let isNumeric: Bool
        var isHidden = false

        var title: String {
            switch source {
            case .key: "key"
            case .member(let name): name.isEmpty ? "\"\"" : name
            case .element(let index): String(index)
            case .whole: "value"
            }
        }
    }

    /// A column that is drawn, and its position.
    struct Place {
        let index: Int
        let x: Int
        let width: Int
    }

    /// How the rows are sorted.
    struct Sorting: Equatable {
        let source: Source
        let isDescending: Bool
    }

    private static let sampledRows = 1_000
    private static let sampledCells = 20_000
    private static let measuredCells = 4_000
    private static let mostColumns = 200
    fileprivate static let widest = 40
    private static let gap = 2

    let document: Document
    /// The array, or the object, whose values are the rows.
    let container: NodeIndex
    private(set) var columns: [Column]
    /// The cursor and the visible rows.
    var scroll = ListScroll()
    /// The index in `columns` of the column under the cursor.
    private(set) var selected = 0
    /// The index in `columns` of the first visible column.
    private var first = 0
    private(set) var sorting: Sorting?
    /// The rows' indexes in the container, sorted; nil for the document's own order.
    private(set) var order: [UInt32]?
    /// The ticket of the sort that is under way.
    private(set) var awaited: Int?

    /// Makes the table of a container; nil if its values do not make one.
    init?(_ container: NodeIndex, of document: Document) {
        guard Self.isTable(container, of: document) else { return nil }
        (self.document, self.container) = (document, container)
        columns = Self.columns(of: container, in: document)
        selected = columns.firstIndex { $0.source != .key } ?? 0
        scroll = ListScroll(count: rowCount)
    }

    /// The nearest container around a value that makes a table, else the first such child of the value.
    static func container(around node: NodeIndex, of document: Document) -> NodeIndex? {
        var at: NodeIndex? = node
        while let container = at {
            if isTable(container, of: document) { return container }
            at = document.parent(of: container)
        }
        return document.children(of: node).prefix(sampledRows).first { isTable($0, of: document) }
    }

    /// Whether a node is an array whose first value is a container, or an object of several objects; nulls aside.
    private static func isTable(_ node: NodeIndex, of document: Document) -> Bool {
        let rows = document.children(of: node).prefix(100).filter { document.kind(of: $0) != .null }
        switch document.kind(of: node) {
        case .array: return rows.first.map { document.kind(of: $0).isContainer } ?? false
        case .object: return rows.count > 1 && rows.allSatisfy { document.kind(of: $0) == .object }
        default: return false
        }
    }

    private static func columns(of container: NodeIndex, in document: Document) -> [Column] {
        var sources: [Source] = document.kind(of: container) == .object ? [.key] : []
        var known = Set(sources)
        var rest = sampledCells
        func insert(_ source: Source) {
            rest -= 1
            if sources.count < mostColumns, known.insert(source).inserted { sources.append(source) }
        }
        let rows = document.children(of: container).prefix(sampledRows)
        for row in rows where rest > 0 {
            switch document.kind(of: row) {
            case .object:
                for member in document.children(of: row).prefix(rest) {
                    if let name = document.key(of: member) { insert(.member(name)) }
                }
            case .array:
                for index in 0..<min(document.childCount(of: row), rest) { insert(.element(index)) }
            case .null: break
            default: insert(.whole)
            }
        }
        let measured = Array(rows.prefix(max(10, measuredCells / max(1, sources.count))))
        return sources.map { Column($0, measured, in: document) }
    }

    // MARK: Rows and cells

    var rowCount: Int { document.childCount(of: container) }

    /// The value at a row; nil if there is no such row.
    func node(atRow row: Int) -> NodeIndex? {
        guard let order else { return document.child(at: row, of: container) }
        return order.indices.contains(row)
            ? document.child(at: Int(order[row]), of: container) : nil
    }

    /// The row of one of the container's values.
    private func row(of node: NodeIndex) -> Int? {
        let index = document.indexInParent(of: node)
        guard let order else { return index }
        return order.firstIndex { Int($0) == index }
    }

    /// The value in a column of a row; nil if the row has none, and for the column of keys.
    func cell(_ column: Column, ofRow row: NodeIndex) -> NodeIndex? {
        column.source.value(of: row, in: document)
    }

    /// The value under the cursor; the row itself if the cell is empty.
    var current: NodeIndex? {
        guard let row = node(atRow: scroll.selection) else { return nil }
        guard columns.indices.contains(selected) else { return row }
        return cell(columns[selected], ofRow: row) ?? row
    }

    /// Puts the cursor on a value of the table; false if the value is not in it.
    mutating func select(_ node: NodeIndex) -> Bool {
        var cell: NodeIndex?
        var row = node
        while let parent = document.parent(of: row), parent != container {
            (cell, row) = (row, parent)
        }
        guard document.parent(of: row) == container, let place = self.row(of: row) else {
            return false
        }
        scroll.select(place)
        let found = columns.firstIndex {
            cell == nil ? $0.source == .whole : !$0.isHidden && self.cell($0, ofRow: row) == cell
        }
        if let found { selected = found }
        return true
    }

    // MARK: Columns

    /// The width of the row numbers, and the gap after them.
    var gutter: Int { String(max(0, rowCount - 1)).count + Self.gap }

    /// The columns that fit into a width; the last one may be cut off.
    func places(in width: Int) -> [Place] {
        var x = gutter
        var places: [Place] = []
        for index in columns.indices.dropFirst(first) where !columns[index].isHidden {
            guard x < width else { break }
            places.append(Place(index: index, x: x, width: min(columns[index].width, width - x)))
            x += columns[index].width + Self.gap
        }
        return places
    }

    /// Sets the size, and keeps the cursor visible.
    mutating func fit(_ room: Size) {
        // The titles take one row.
        scroll.update(count: rowCount, height: max(1, room.rows - 1))
        if selected < first { first = selected }
        while first < selected,
            !places(in: room.columns).contains(where: {
                $0.index == selected && $0.width == columns[selected].width
            })
        {
            first += 1
        }
    }

    /// Moves the cursor to the next visible column; `step` is 1 or -1.
    private mutating func step(by step: Int) {
        var index = selected + step
        while columns.indices.contains(index), columns[index].isHidden { index += step }
        if columns.indices.contains(index) { selected = index }
    }

    mutating func move(_ action: Action) {
        switch action {
        case .left: step(by: -1)
        case .right: step(by: 1)
        default: scroll.move(action)
        }
    }

    /// Selects the column at a position on the screen; false if there is none.
    mutating func selectColumn(at x: Int, in width: Int) -> Bool {
        guard let place = places(in: width).last(where: { $0.x <= x + 1 }) else { return false }
        selected = place.index
        return true
    }

    /// Hides the column under the cursor; false if it is the last visible one.
    mutating func hideColumn() -> Bool {
        guard columns.count(where: { !$0.isHidden }) > 1 else { return false }
        columns[selected].isHidden = true
        let before = selected
        step(by: 1)
        if selected == before { step(by: -1) }
        return true
    }

    mutating func showColumns() { for index in columns.indices { columns[index].isHidden = false } }

    var hiddenCount: Int { columns.count(where: \.isHidden) }

    /// Moves the column under the cursor.
    mutating func moveColumn(by step: Int) {
        let from = selected
        self.step(by: step)
        guard selected != from else { return }
        columns.insert(columns.remove(at: from), at: selected)
    }

    // MARK: Sorting

    /// Steps the sort by the column under the cursor: ascending, descending, and nil for the document's order.
    mutating func nextSort(_ ticket: Int) -> TableSort? {
        guard columns.indices.contains(selected) else { return nil }
        let source = columns[selected].source
        switch sorting {
        case Sorting(source: source, isDescending: false)?:
            sorting = Sorting(source: source, isDescending: true)
        case Sorting(source: source, isDescending: true)?:
            (sorting, awaited) = (nil, nil)
            setOrder(nil)
            return nil
        default: sorting = Sorting(source: source, isDescending: false)
        }
        awaited = ticket
        return sorting.map { TableSort(document: document, container: container, sorting: $0) }
    }

    /// Sorts the rows by the result of a sort; one with another ticket is ignored.
    mutating func sort(in order: [UInt32], ticket: Int) {
        guard ticket == awaited else { return }
        awaited = nil
        setOrder(order)
    }

    /// Sets the order of the rows; the cursor stays on its row.
    private mutating func setOrder(_ order: [UInt32]?) {
        let node = node(atRow: scroll.selection)
        self.order = order
        if let row = node.flatMap({ row(of: $0) }) { scroll.select(row) }
    }

    // MARK: The next table

    /// What the next table at this path takes over.
    struct Arrangement {
        /// The container's JSONPath.
        let path: String
        fileprivate let columns: [Column]
        fileprivate let selected: Source?
        /// The row under the cursor.
        let row: Int
    }

    var arrangement: Arrangement {
        Arrangement(
            path: document.path(of: container),
            columns: columns,
            selected: columns.indices.contains(selected) ? columns[selected].source : nil,
            row: scroll.selection
        )
    }

    /// Takes over order, widths and visibility of the columns that an earlier table also had, and the selection.
    mutating func arrange(as earlier: Arrangement) {
        let here = Set(columns.map(\.source))
        let there = Set(earlier.columns.map(\.source))
        columns =
            earlier.columns.filter { here.contains($0.source) }
            + columns.filter { !there.contains($0.source) }
        if columns.allSatisfy(\.isHidden) { showColumns() }
        let place = columns.firstIndex { $0.source == earlier.selected }
        selected = place ?? columns.firstIndex { !$0.isHidden } ?? 0
    }
}

extension DocumentTable.Column {
    /// Makes a column as wide as its title and the cells of some rows need.
    fileprivate init(_ source: DocumentTable.Source, _ rows: [NodeIndex], in document: Document) {
        self.source = source
        let cells = rows.compactMap { source.value(of: $0, in: document) }.filter {
            document.kind(of: $0) != .null
        }
        isNumeric = !cells.isEmpty && cells.allSatisfy { document.kind(of: $0).isNumber }
        width = 1
        let texts =
            source == .key
            ? rows.compactMap { document.key(of: $0) }
            : cells.map { document.cellText(of: $0).text }
        for text in texts { width = max(width, TextWidth.columns(of: text)) }
        // The title needs room for the sign of the order after it.
        width = min(max(width, TextWidth.columns(of: title) + 2), DocumentTable.widest)
    }
}

extension DocumentTable.Source {
    func value(of row: NodeIndex, in document: Document) -> NodeIndex? {
        switch self {
        case .key: nil
        case .member(let name): document.member(name, of: row)
        case .element(let index):
            document.kind(of: row) == .array ? document.child(at: index, of: row) : nil
        case .whole: document.kind(of: row).isContainer ? nil : row
        }
    }
}

extension ValueKind {
    fileprivate var isNumber: Bool { self == .integer || self == .decimal }
}

extension Document {
    /// A value as a table shows it, strings without their quotes, and whether it is cut off.
    func cellText(of node: NodeIndex) -> (text: String, isCut: Bool) {
        let kind = kind(of: node)
        let count = kind.isContainer ? Readable.count(childCount(of: node)) : ""
        switch kind {
        case .array: return ("[\(count)]", false)
        case .object: return ("{\(count)}", false)
        default: break
        }
        // A column is at most 40 wide, so 256 bytes are enough.
        var range = valueRange(of: node)
        if kind == .string, !range.isEmpty {
            let hasEnd =
                range.count > 1
                && bytes.withUnsafeBytes { $0[range.upperBound - 1] == UInt8(ascii: "\"") }
            range = range.lowerBound + 1..<range.upperBound - (hasEnd ? 1 : 0)
        }
        return (bytes.string(in: range.prefix(256)), range.count > 256)
    }
}

/// A sort of a table's rows by a column.
package struct TableSort: Sendable {
    /// The most rows that are sorted; more take too much memory.
    static let mostRows = 5_000_000

    /// The key that a row is sorted by; all of one kind come before all of the next.
    private enum Value: Comparable {
        case number(DecimalNumber)
        case text(String)
        case truth(Bool)
        case count(Int)

        static func < (left: Value, right: Value) -> Bool {
            switch (left, right) {
            case (.number(let left), .number(let right)): left < right
            // By bytes, which orders by code points; composed and decomposed letters differ.
            case (.text(let left), .text(let right)):
                left.utf8.lexicographicallyPrecedes(right.utf8)
            case (.truth(let left), .truth(let right)): !left && right
            case (.count(let left), .count(let right)): left < right
            default: left.rank < right.rank
            }
        }

        private var rank: Int {
            switch self {
            case .number: 0
            case .text: 1
            case .truth: 2
            case .count: 3
            }
        }
    }

    let document: Document
    let container: NodeIndex
    let sorting: DocumentTable.Sorting

    /// The sorted indexes of the rows: those without a value last, equal ones as they were; nil if cancelled.
    func order() -> [UInt32]? {
        var values: [(value: Value, row: UInt32)] = []
        var without: [UInt32] = []
        var row: UInt32 = 0
        for node in document.children(of: container) {
            if row & 0xFFF == 0, Task.isCancelled { return nil }
            if let value = value(of: node) {
                values.append((value, row))
            } else {
                without.append(row)
            }
            row += 1
        }
        let isDescending = sorting.isDescending
        values.sort { left, right in
            if left.value < right.value { return !isDescending }
            if right.value < left.value { return isDescending }
            return left.row < right.row
        }
        return Task.isCancelled ? nil : values.map(\.row) + without
    }

    private func value(of row: NodeIndex) -> Value? {
        if sorting.source == .key { return document.key(of: row).map { .text($0) } }
        guard let node = sorting.source.value(of: row, in: document) else { return nil }
        switch document.kind(of: node) {
        case .integer, .decimal: return document.number(of: node).map { .number($0) }
        case .string: return .text(document.plainText(of: node))
        case .true: return .truth(true)
        case .false: return .truth(false)
        case .object, .array: return .count(document.childCount(of: node))
        case .null: return nil
        }
    }
}
