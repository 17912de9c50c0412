import Documents
import Terminal

/// What keys do in a pane, and what reports from outside change.
extension TreePane {
    /// Does what a key stands for; nil when that is nothing of a pane's.
    mutating func perform(
        _ action: Action,
        key: Key,
        history: PromptHistory
    ) -> [TreePaneEffect]? {
        switch action {
        case .up, .down, .left, .right, .pageUp, .pageDown, .first, .last: move(action)
        case .open: return open()
        case .toggleFold: toggleFold()
        case .foldAll: foldAll()
        case .unfoldAll: unfoldAll()
        case .unfoldMore: changeDepth(by: 1)
        case .unfoldLess: changeDepth(by: -1)
        case .unfoldLevels: unfold(levels: key.digit ?? 1)
        case .nextForm: return showNextForm()
        case .search: startPrompt(.search, history)
        case .query: startPrompt(.query, history)
        case .goTo: startPrompt(.place, history)
        case .nextMatch: return step(forward: true)
        case .previousMatch: return step(forward: false)
        case .listMatches: return toggleList()
        case .showFault: return showFault()
        case .resumeAfterFault: return resumeAfterFault()
        case .copy: startCopying()
        case .copyPath, .copyShortPath, .copyValue, .copyText, .copyKey: return copy(action)
        case .copyMatches, .copyMatchPaths: return copyAll(action)
        case .back, .quit: return close()
        default: return performInPrompt(action)
        }
        return []
    }

    private mutating func performInPrompt(_ action: Action) -> [TreePaneEffect]? {
        switch action {
        case .accept: accept()
        case .dismiss: dismiss()
        case .older: showEntry(older: true)
        case .newer: showEntry(older: false)
        case .nextPart: changeSearch { $0.changeScope() }
        case .toggleExpression: changeSearch { $0.isExpression.toggle() }
        default: nil
        }
    }

    /// Takes what work outside reports.
    mutating func receive(_ message: TreePaneMessage) -> [TreePaneEffect] {
        switch message {
        case .advanced:
            let treeEffects = synchronize()
            return treeEffects + noteFault() + noteLoadError() + askAgain()
        case .placed(let fault, let position):
            if body?.fault == fault { faultPosition = position }
        case .decoded(let ticket, let text): takeDecoded(text, ticket: ticket)
        case .located(let ticket, let offset): return takeLocated(offset, ticket: ticket)
        case .searched: return takeSearchProgress()
        case .matched(let ticket, let nodes, let sorted, let problem):
            let news = problem.map { TreePaneEffect.say(Notice(kind: .warning, text: $0)) }
            return takeMatches(nodes, sorted: sorted, ticket: ticket) + [news].compactMap(\.self)
        }
        return []
    }

    /// Takes in the rows that were found; a tree that is too large has given way to the text.
    private mutating func synchronize() -> [TreePaneEffect] {
        let hadTree = body?.treeProblem == nil
        body?.synchronize()
        guard hadTree, let body, let problem = body.treeProblem else {
            refit()
            return []
        }
        // What was found, typed or opened was about the tree.
        _ = nextTicket()
        layer = .rows
        origin = nil
        faultPosition = nil
        findings = nil
        scroll.select(0)
        refit()
        return [.stop, .takeIn(body), .say(Notice(kind: .warning, text: problem))]
    }

    /// Closes the uppermost thing; nil when there is none.
    private mutating func close() -> [TreePaneEffect]? {
        switch layer {
        case .value:
            // A string that is still being decoded is of no use any more.
            _ = nextTicket()
            layer = .rows
        case .copying: leaveCopying()
        case .prompt: return nil
        case .rows: return nil
        }
        return []
    }

    /// Drops what was found and the list of it; false when there was nothing.
    mutating func clearFindings() -> Bool {
        guard findings != nil else { return false }
        if var query = findings?.query, query.list != nil {
            query.list = nil
            findings = .query(query)
        } else {
            dropFindings()
        }
        return true
    }

    private mutating func startCopying() {
        guard body != nil else { return }
        layer = .copying
        refit()
    }

    /// Back to the rows without copying.
    mutating func leaveCopying() {
        guard case .copying = layer else { return }
        layer = .rows
        refit()
    }

    /// The short path of what is under the cursor.
    var currentPath: String? {
        if let query = findings?.query, let list = query.list,
            query.nodes.indices.contains(list.selection)
        {
            return body?.document?.dottedPath(of: query.nodes[list.selection])
        }
        return body?.path(ofRow: scroll.selection)
    }

    /// Whether something moves in it without an event.
    var isMoving: Bool {
        isOpening || (findings?.isRunning ?? false) || (wholeValue.map { $0.text == nil } ?? false)
    }

    /// Whether rows are still on their way.
    var isOpening: Bool { body.map { !$0.isFinished || !$0.bytes.isComplete } ?? false }
}

extension Key {
    /// The number that a digit's key writes.
    fileprivate var digit: Int? { text.flatMap { Int($0) } }
}
