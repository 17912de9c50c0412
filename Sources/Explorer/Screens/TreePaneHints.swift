import Documents

/// What the footer says of a pane, the most useful first.
enum TreePaneHints {
    /// The actions while something has the keys that leaves no other; nil for the rows.
    static func own(of pane: TreePane) -> [(Action, String?)]? {
        switch pane.layer {
        case .rows: nil
        case .copying: [(.back, nil)]
        case .value: [(.back, "close"), (.copyText, nil), (.down, "scroll"), (.pageDown, "page")]
        case .prompt(let prompt): typing(prompt.kind)
        }
    }

    private static func typing(_ kind: TreePrompt.Kind) -> [(Action, String?)] {
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

    /// The actions while the rows have the keys.
    static func ofRows(_ pane: TreePane) -> [(Action, String?)] {
        guard let body = pane.body else { return [] }
        if pane.findings?.query?.list != nil {
            return [
                (.open, "show in the tree"), (.listMatches, "all rows"), (.copy, nil),
                (.back, "clear"),
            ]
        }
        var actions: [(Action, String?)] = []
        if let row = pane.currentRow {
            switch row.fold {
            case .open: actions.append((.open, "fold"))
            case .closed: actions.append((.open, "unfold"))
            case .leaf where !row.kind.isContainer: actions.append((.open, "whole"))
            case .leaf: break
            }
        }
        if pane.findings != nil {
            actions += [(.nextMatch, nil), (.previousMatch, nil)]
            if pane.findings?.query != nil { actions.append((.listMatches, nil)) }
        }
        actions.append((.search, nil))
        if body.document != nil { actions.append((.query, nil)) }
        actions += [(.copy, nil), (.nextForm, nil)]
        if body.fault != nil { actions += [(.showFault, nil), (.resumeAfterFault, nil)] }
        return actions
    }
}
