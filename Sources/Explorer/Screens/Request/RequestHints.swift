import Terminal

/// The footer's hints while the request pane has the focus, the most useful first.
struct RequestHints {
    let model: Model

    var hints: [FooterHints.Hint] {
        if let field = model.requestPane.field { return typing(field) }
        if model.requestPane.isCopying {
            return RequestCode.Language.allCases.map { .init($0.key, $0.title) }
                + [.init("capital letter", "with secrets"), .init("esc", "cancel")]
        }
        var actions: [(Action, String?)] = []
        let tab = model.requestPane.tab
        let isFinding = !model.requestPane.needle.isEmpty
        if !tab.isOfPrepared, model.requestPane.problem == nil {
            actions += [(.editValue, nil), (.replaceValue, nil)]
            if tab != .authorization, tab != .options, !isFinding { actions.append((.addRow, nil)) }
            actions.append((.removeRow, nil))
        }
        actions.insert((.sendAgain, "send"), at: min(1, actions.count))
        if isFinding {
            let finding: [(Action, String?)] = [
                (.nextMatch, nil), (.previousMatch, nil), (.back, "clear"),
            ]
            actions = finding + actions
        }
        actions.append((.nextTab, nil))
        if isEdited { actions += [(.takeBack, nil), (.save, nil), (.saveAs, nil)] }
        if tab == .body || tab == .authorization { actions.append((.changeKind, nil)) }
        if tab == .body, model.shownEdits?.edits.body.text != nil {
            actions.append((.edit, "in $EDITOR"))
        }
        actions += [
            (.editURL, nil), (.copy, nil), (.copyCommand, nil), (.search, nil),
        ]
        if !isFinding { actions.append((.back, "close")) }
        actions.append((.help, nil))
        return actions.compactMap { model.keys.hint(for: $0.0, $0.1, in: model.keyPlaces) }
    }

    private var isEdited: Bool {
        model.list.selected.map { model.editedRequests.isEdited($0.id) } ?? false
    }

    private func typing(_ field: RequestField) -> [FooterHints.Hint] {
        let ends = field.isNew && field.part == .name
        var hints: [FooterHints.Hint] = [.init("enter", ends ? "value" : "keep")]
        if !ends { hints.append(.init("alt+enter", "keep and send")) }
        hints += [.init("esc", "cancel"), .init("tab", "complete"), .init("^z", "undo")]
        if field.value.isMasked { hints.append(.init("alt+s", "show")) }
        if field.hasName, !ends { hints.append(.init("shift+tab", "name")) }
        return hints + [.init("up", "earlier input")]
    }
}
