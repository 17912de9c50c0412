import Documents
import Terminal

/// The footer's hints for a document pane, the most useful first.
package enum DocumentPaneHints {
    /// The actions while a prompt, a value or copying takes all keys; nil for the rows.
    package static func own(of pane: DocumentPane) -> [(Action, String?)]? {
        switch pane.layer {
        case .rows: nil
        case .copying: [(.back, nil)]
        case .value(let value): ofValue(value)
        case .prompt(let prompt): typing(prompt.kind)
        }
    }

    private static func ofValue(_ value: WholeValue) -> [(Action, String?)] {
        let value = value.innermost
        let form: [(Action, String?)] =
            value.decoded == nil ? [] : [(.nextForm, value.isWritten ? "decoded" : nil)]
        guard value.pane?.body?.form == .tree else {
            return [(.open, "close"), (.copyText, nil)] + form
                + [(.down, "scroll"), (.pageDown, "page")]
        }
        return [(.open, "open"), (.back, "close"), (.copyText, nil)] + form + [(.toggleFold, nil)]
    }

    private static func typing(_ kind: DocumentPrompt.Kind) -> [(Action, String?)] {
        switch kind {
        case .search:
            [
                (.accept, nil), (.dismiss, nil), (.nextPart, nil), (.toggleExpression, nil),
                (.older, nil),
            ]
        case .query: [(.accept, nil), (.dismiss, nil), (.older, nil)]
        case .place: [(.accept, "go"), (.dismiss, "close")]
        }
    }

    private static func ofTable(_ table: DocumentTable, _ pane: DocumentPane) -> [(Action, String?)]
    {
        let matches: [(Action, String?)] =
            pane.findings == nil ? [] : [(.nextMatch, nil), (.previousMatch, nil)]
        let hidden: [(Action, String?)] = table.hiddenCount > 0 ? [(.showColumns, nil)] : []
        return [(.table, nil), (.sortColumn, nil), (.open, nil), (.hideColumn, nil)] + hidden
            + matches
            + [(.columnLeft, "> move"), (.search, nil), (.copy, nil)]
    }

    /// The actions while the rows take the keys.
    package static func ofRows(_ pane: DocumentPane) -> [(Action, String?)] {
        guard let body = pane.body else { return [] }
        if let table = pane.table { return ofTable(table, pane) }
        if pane.showsPicture { return [(.nextForm, "bytes")] }
        if pane.findings?.query?.list != nil {
            return [
                (.open, "show in the tree"), (.listMatches, "all rows"), (.copy, nil),
                (.back, "clear"),
            ]
        }
        var actions: [(Action, String?)] = []
        if body.fault(atRow: pane.scroll.selection) != nil {
            actions = [(.open, "show in the text"), (.resumeAfterFault, nil)]
        }
        if let row = pane.currentRow {
            switch row.fold {
            case .open: actions.append((.open, "fold"))
            case .closed: actions.append((.open, "unfold"))
            case .leaf where !row.kind.isContainer: actions.append((.open, "full value"))
            case .leaf: break
            }
        }
        if pane.findings != nil {
            actions += [(.nextMatch, nil), (.previousMatch, nil)]
            if pane.findings?.query != nil { actions.append((.listMatches, nil)) }
        }
        actions.append((.search, nil))
        if let document = body.document {
            if let node = pane.currentNode,
                DocumentTable.container(around: node, of: document) != nil
            {
                actions.append((.table, nil))
            }
            actions.append((.query, nil))
        }
        if body.form == .text {
            if body.hasPretty, body.prettyProblem == nil {
                actions.append((.layOut, body.wantsPretty ? "as sent" : nil))
            }
            actions.append((.wrap, pane.wraps ? "cut lines" : nil))
            if !pane.wraps { actions.append((.right, "scroll")) }
        }
        actions += [(.copy, nil), (.nextForm, nil)]
        let isAtFault = body.fault(atRow: pane.scroll.selection) != nil
        if body.fault != nil || body.breakingFault != nil { actions.append((.showFault, nil)) }
        if body.fault != nil, !isAtFault { actions.append((.resumeAfterFault, nil)) }
        return actions
    }
}
