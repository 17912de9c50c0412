import Apus
import Documents
import HTTPTypes
import Terminal
import TreeView
import Workspaces

/// Runs a body through a command, whose output is shown in place of the body.
extension Model {
    /// Asks for the command.
    mutating func askForFilter() -> [Effect] {
        let side = responseSide
        guard let id = shownItem, let view = view(of: id), !isChainSelected, !isBatchSelected,
            let response = view[side].response, !response.body.isEmpty
        else { return refuse("there is no body to run through a command") }
        guard !view[side].isReceiving else { return refuse("the body is still loading") }
        let pane = view[side]
        var value: FilterSource.Value?
        if pane.filter == nil, let document = pane.document.body?.document,
            let node = pane.document.currentNode, node != .root
        {
            let path = document.dottedPath(of: node)
            value = FilterSource.Value(document: document, node: node, path: path)
        }
        let address = view.address(of: side, in: id)
        layers.prompt = LinePrompt(
            purpose: .filter(FilterSource(address: address, body: response.body, value: value)),
            field: TextField(placeholder: "a shell command, such as jq .items"),
            entries: responses.filterCommands
        )
        return []
    }

    /// Switches the command's input between the body and the value.
    mutating func chooseOther(than source: FilterSource) {
        guard let other = source.other, let prompt = layers.prompt else { return }
        self.layers.prompt = LinePrompt(
            purpose: .filter(other),
            field: prompt.field,
            entries: prompt.entries
        )
    }

    mutating func filter(_ source: FilterSource, through command: String) -> [Effect] {
        guard command.contains(where: { !$0.isWhitespace }) else { return [] }
        responses.keep(filterCommand: command)
        var isTaken = false
        changeBody(at: source.address) { response in
            response.show(.body)
            response.filter = BodyFilter(command: command, source: source.name)
            isTaken = true
        }
        guard isTaken else { return warn("a new response arrived, so \(command) was not run") }
        panes.focus = source.address.side == .cache ? .cache : .server
        fitPanes()
        let input: FilterInput =
            if source.takesValue, let value = source.value {
                .value(value.document, value.node)
            } else {
                .body(source.body)
            }
        return [.filter(source.address, command: command, input)]
    }

    /// Shows the output of a command.
    mutating func showOutput(_ outcome: BodyFilter.Outcome, at address: PaneAddress) -> [Effect] {
        var isTaken = false
        changeBody(at: address) { response in
            guard var filter = response.filter, filter.ending == nil,
                filter.command == outcome.command
            else { return }
            filter.ending = outcome.ending
            filter.output = .bytes(outcome.output)
            response.filter = filter
            response.document.clear()
            response.document.scroll = ListScroll()
            response.bodyProblem = nil
            response.generation += 1
            isTaken = true
        }
        guard isTaken else { return [] }
        if let words = outcome.words {
            let isFailure = outcome.ending.problem != nil
            notice = Notice(kind: isFailure ? .warning : .information, text: words)
        }
        fitPanes()
        guard let document = outcome.document else { return [] }
        var address = address
        address.generation += 1
        return inDocument(at: address) { $0.show(document) } + refreshComparison(of: address.item)
    }

    /// Returns from a command's output to the body, and stops the command; nil if there is none.
    mutating func dropFilter() -> [Effect]? {
        guard let side = panes.focusedSide, let id = shownItem, let view = view(of: id),
            let filter = view[side].filter, view[side].tab == .body
        else { return nil }
        var address = view.address(of: side, in: id)
        guard filter.ending != nil, let response = view[side].response else {
            changeBody(at: address) { $0.filter = nil }
            return [.endFilter(address)]
        }
        changeBody(at: address) { response in
            response.filter = nil
            response.document.clear()
            response.document.scroll = ListScroll()
            response.generation += 1
        }
        fitPanes()
        address.generation += 1
        let type = response.head.headerFields[.contentType]
        return [.openBody(address, response.body, contentType: type)]
    }
}

extension BodyFilter.Outcome {
    /// What to say about the command; nil if it succeeded, wrote something and reported no error.
    fileprivate var words: String? {
        let first = errors.split(whereSeparator: \.isNewline).first.map(String.init)
        let pieces = [ending.problem, first].compactMap(\.self)
        if !pieces.isEmpty { return pieces.joined(separator: ": ") }
        return output.isEmpty ? "the command wrote nothing" : nil
    }
}
