import Documents
import Terminal

/// Queries: finding values by a path.
extension DocumentPane {
    /// Starts a query; the cursor goes to its first value.
    package mutating func query(_ text: String) -> [DocumentPaneEffect] {
        dropFindings()
        returnToOrigin()
        guard let document = body?.document else {
            setProblem(PromptProblem(text: "only a tree can be queried", column: nil))
            return [.stop]
        }
        guard !text.isEmpty else {
            setProblem(nil)
            return [.stop]
        }
        do throws(JSONPathError) {
            let path = try JSONPath(parsing: text)
            setProblem(nil)
            var findings = QueryFindings(text: text, ticket: nextTicket())
            findings.nodeCount = document.nodeCount
            self.findings = .query(findings)
            refit()
            return [.query(findings.ticket, document, path)]
        } catch {
            setProblem(PromptProblem(text: error.message, column: error.column))
            return [.stop]
        }
    }

    /// Shows the matches of a query.
    mutating func showMatches(
        _ nodes: [NodeIndex],
        sorted: [NodeIndex],
        ticket: Int
    ) -> [DocumentPaneEffect] {
        guard case .query(var query)? = findings, query.ticket == ticket else { return [] }
        query.nodes = nodes
        query.sorted = sorted
        query.isFinished = true
        query.list?.update(count: nodes.count, height: scroll.height)
        findings = .query(query)
        // When the query runs again on a larger document, the cursor stays.
        guard query.current == nil, let first = nodes.first else { return [] }
        query.current = 0
        findings = .query(query)
        reveal(first)
        return []
    }

    /// Runs a query again on a document that has grown.
    mutating func askAgain(_ query: QueryFindings) -> [DocumentPaneEffect] {
        guard let document = body?.document else { return [] }
        do throws(JSONPathError) {
            let path = try JSONPath(parsing: query.text)
            var again = query
            again.nodeCount = document.nodeCount
            again.isFinished = false
            findings = .query(again)
            return [.query(query.ticket, document, path)]
        } catch {
            // It parsed before.
            return []
        }
    }

    mutating func step(_ query: QueryFindings, forward: Bool) -> [DocumentPaneEffect] {
        let count = query.nodes.count
        guard count > 0 else {
            return say(query.isFinished ? "no matches" : "no matches yet")
        }
        var query = query
        if count == 1, query.current == 0 { return say("this is the only match") }
        let next = query.current.map { $0 + (forward ? 1 : -1) } ?? 0
        let place = (next + count) % count
        query.current = place
        query.list?.select(place)
        findings = .query(query)
        reveal(query.nodes[place])
        return next == place ? [] : [.say(Self.wrapped(forward: forward))]
    }

    /// Shows only the matches of the query, or the whole document again.
    mutating func toggleList() -> [DocumentPaneEffect] {
        guard case .query(var query)? = findings else {
            return say("only the matches of a query can be listed: $ starts one")
        }
        if query.list == nil {
            var list = ListScroll(count: query.nodes.count, height: scroll.height)
            list.select(query.current ?? 0)
            query.list = list
        } else {
            query.list = nil
        }
        findings = .query(query)
        return []
    }

    /// Goes from the list to the selected match in the document; false if no list is shown.
    mutating func leaveList() -> Bool {
        guard case .query(var query)? = findings, let list = query.list else { return false }
        query.list = nil
        if query.nodes.indices.contains(list.selection) { query.current = list.selection }
        findings = .query(query)
        if let current = query.current { reveal(query.nodes[current]) }
        return true
    }

    /// Copies the values or the paths of all matches of a query, one per line.
    mutating func copyAll(_ action: Action) -> [DocumentPaneEffect] {
        leaveCopying()
        guard let document = body?.document, let query = findings?.query, !query.nodes.isEmpty
        else {
            return say("there are no matches to copy: $ starts a query", .warning)
        }
        let isPaths = action == .copyMatchPaths
        var text = ""
        for node in query.nodes {
            let room = Self.copyLimit - text.utf8.count
            let path = isPaths ? document.path(of: node, maximumLength: room) : nil
            let fits = isPaths ? path != nil : document.valueRange(of: node).count <= room
            guard fits else {
                let limit = Readable.bytes(Self.copyLimit)
                return say(
                    "the matches are larger than the \(limit) that the clipboard takes",
                    .warning
                )
            }
            text += path ?? document.sourceText(of: node)
            text += "\n"
        }
        let count = Readable.count(query.nodes.count)
        let name = isPaths ? "paths" : "values"
        return [.copy(text)] + say("copied \(count) \(name), one per line")
    }
}
