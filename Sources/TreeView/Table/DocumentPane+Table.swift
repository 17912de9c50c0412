import Documents
import Terminal

/// The table of a container's values.
extension DocumentPane {
    /// Performs an action in the table; nil if no table is shown, or it has no such action.
    mutating func performInTable(_ action: Action) -> [DocumentPaneEffect]? {
        guard case .rows = layer, table != nil else { return nil }
        switch action {
        case .table, .back: return leaveTable()
        case .open: return leaveTable(at: currentNode)
        case .sortColumn: return sortTable()
        case .hideColumn:
            guard table?.hideColumn() == true else {
                return say("the last column cannot be hidden")
            }
        case .showColumns:
            guard table?.hiddenCount ?? 0 > 0 else { return say("no column is hidden") }
            table?.showColumns()
        case .columnLeft, .columnRight:
            let before = table?.selected
            table?.moveColumn(by: action == .columnLeft ? -1 : 1)
            if table?.selected == before { return say("the column is at the edge of the table") }
        default: return nil
        }
        refit()
        return []
    }

    /// Shows the nearest container around the cursor that makes a table, else the first such child.
    mutating func showTable() -> [DocumentPaneEffect] {
        guard let body, body.form == .tree, let document = body.document else {
            return say("only a tree can be shown as a table", .warning)
        }
        let node =
            currentNode ?? body.parentRow(of: scroll.selection).flatMap { body.node(atRow: $0) }
        guard let node, let container = DocumentTable.container(around: node, of: document),
            var table = DocumentTable(container, of: document)
        else { return say("there is no array of objects here: a table needs one", .warning) }
        if findings?.query?.list != nil { findings = nil }
        if let arrangement, arrangement.path == document.path(of: container) {
            table.arrange(as: arrangement)
        }
        _ = table.select(node)
        self.table = table
        refit()
        return []
    }

    /// Goes back to the tree, with the cursor on a value, by default that of the current row.
    mutating func leaveTable(at node: NodeIndex? = nil) -> [DocumentPaneEffect] {
        guard let table else { return [] }
        let node = node ?? table.node(atRow: table.scroll.selection)
        arrangement = table.arrangement
        self.table = nil
        refit()
        if let node { reveal(node) }
        return table.awaited == nil ? [] : [.stopSorting]
    }

    private mutating func sortTable() -> [DocumentPaneEffect] {
        guard let table else { return [] }
        guard table.rowCount <= TableSort.mostRows else {
            return say(
                "more than \(Readable.count(TableSort.mostRows)) rows cannot be sorted",
                .warning
            )
        }
        let ticket = nextTicket()
        return self.table?.nextSort(ticket).map { [.sort(ticket, $0)] } ?? [.stopSorting]
    }

    /// Handles a click: on a title it sorts by the column, on a cell it moves the cursor there.
    mutating func clickTable(row line: Int, column: Int) -> [DocumentPaneEffect] {
        // The leftmost column of the pane may be blank.
        let columns = max(1, room.columns - 2)
        let isColumn = table?.selectColumn(at: column - 1, in: columns) == true
        guard line > 0 else { return isColumn ? sortTable() : [] }
        guard let scroll = table?.scroll, line <= scroll.height else { return [] }
        table?.scroll.select(scroll.offset + line - 1)
        return []
    }

    /// Shows a document as the same table as the last one, once all of its rows are there.
    mutating func restoreTable() {
        guard awaitsTable, let arrangement, let body, !isOpening else { return }
        awaitsTable = false
        guard body.form == .tree, let document = body.document,
            let path = try? JSONPath(arrangement.path),
            let found = document.nodes(matching: path).first,
            var table = DocumentTable(found, of: document)
        else { return }
        table.arrange(as: arrangement)
        self.table = table
        refit()
        self.table?.scroll.select(arrangement.row)
    }
}
