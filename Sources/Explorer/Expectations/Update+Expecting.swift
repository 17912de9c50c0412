import Apus
import Documents
import HTTPTypes
import Secrets
import Terminal
import TreeView
import Workspaces

/// Making an expectation of what is under the cursor, and removing one; both are written to the file.
///
///     key ─▶ input line with the comparisons that are offered ─▶ effect: the file is written ─▶ checked anew
extension Model {
    /// What can be expected of what is under the cursor, the most likely first.
    private struct Offer {
        var subject: Expectation.Subject
        var texts: [String]
    }

    /// Asks what is expected of what is under the cursor: a value, a field, a time; else of the status.
    mutating func startExpecting() -> [Effect] {
        guard let path = expectingTarget() else { return [] }
        let side = responseSide
        guard let view = selectedView, let response = view[side].response,
            case .success(let resolved)? = view.request
        else { return refuse("there is no response yet: send it first") }
        let mask = (resolved.target as? WorkspaceTarget)?.mask ?? response.request.mask
        let offer =
            offerOfLine(of: response, view[side], mask) ?? offerOfValue(of: view[side], side, mask)
            ?? Offer(
                subject: .status,
                texts: TypedExpectation.offers(forStatus: response.status)
            )
        let effects = ask(.expectation(offer.subject, target: path), offer.texts.first ?? "")
        layers.prompt?.choices = offer.texts
        return effects
    }

    /// Removes the expectation under the cursor of the tab from the file.
    mutating func removeExpectation() -> [Effect] {
        guard let (_, item) = selectedCheck, let expectation = item.expectation else {
            return say("choose an expectation first")
        }
        guard let path = expectingTarget() else {
            layers.close(.refusedText)
            return []
        }
        var comparison: Expectation.Operator?
        if case .value(let sign, _) = expectation.requirement { comparison = sign }
        return make(.removeExpectation(expectation.subject, comparison, target: path))
    }

    /// The path of the target whose responses are shown; nil, which is said, if its file cannot be changed here.
    private mutating func expectingTarget() -> String? {
        guard canChangeFiles() else { return nil }
        guard responses.showsSelection, let row = targets.selected, case .target = row.kind else {
            _ = refuse("choose a target first: what is expected is written to it")
            return nil
        }
        guard !request.edited.isNew(row.id) else {
            let key = keys.hint(for: .save, in: [.explorer])?.key ?? ":"
            _ = refuse("this request is in no file yet: \(key) saves it")
            return nil
        }
        return row.id.description
    }

    /// What can be expected of the line under the cursor of a tab other than the body.
    private func offerOfLine(
        of response: Response,
        _ state: ResponseState,
        _ mask: CredentialMask
    ) -> Offer? {
        guard panes.focusedSide != nil, state.showsPage else { return nil }
        if let expectation = selectedCheck?.item.expectation {
            let text = TypedExpectation.text(of: expectation)
            return Offer(subject: expectation.subject, texts: [text])
        }
        switch state.tab {
        case .headers:
            guard let line = state.page?.selectedLine, let name = HTTPField.Name(line.name),
                let value = response.head.headerFields[name]
            else { return nil }
            let texts = TypedExpectation.offers(forField: value, named: name, masking: mask)
            return Offer(subject: .field(name), texts: texts)
        case .timing:
            guard let time = selectedView?.duration else { return nil }
            return Offer(subject: .time, texts: TypedExpectation.offers(forTime: time))
        default: return nil
        }
    }

    /// What can be expected of the value under the cursor of the body.
    private func offerOfValue(
        of state: ResponseState,
        _ side: PaneSide,
        _ mask: CredentialMask
    ) -> Offer? {
        guard panes.focusedSide != nil, !state.showsPage, state.filter == nil,
            let document = state.document.body?.document,
            let node = comparison?.node(in: side) ?? state.document.currentNode,
            let path = document.path(of: node, maximumLength: 2048),
            let subject = Expectation.Subject.value(
                at: path,
                shortened: document.dottedPath(of: node)
            )
        else { return nil }
        // A list of secrets has the name, not its elements.
        var named = node
        while document.key(of: named) == nil, let parent = document.parent(of: named) {
            named = parent
        }
        let texts = TypedExpectation.offers(
            for: JSON(document: document, node: node),
            named: document.key(of: named),
            masking: mask
        )
        return Offer(subject: subject, texts: texts)
    }
}
