package import Documents

/// Runs the effects of a document pane.
///
/// There is one task of each kind. A newer one cancels the older one, whose results are dropped.
@MainActor
package final class DocumentRunner {
    /// The kind of a task.
    private enum Kind: Hashable {
        case rows, place, value, matches, order, picture
    }

    private let report: @Sendable (DocumentPaneMessage) -> Void
    private var tasks: [Kind: Task<Void, Never>] = [:]

    package init(report: @escaping @Sendable (DocumentPaneMessage) -> Void) { self.report = report }

    /// Starts an effect; those for the terminal are handled elsewhere.
    package func perform(_ effect: DocumentPaneEffect) {
        switch effect {
        case .copy, .say, .refuse, .remember, .keepWrap: break
        case .findRows(let body): findRows(of: body)
        case .place(let fault, let document):
            begin(.place) { report in
                report(.placed(fault, document.position(of: fault.offset)))
            }
        case .decode(let ticket, let document, let node, let services):
            begin(.value) { report in
                let text = document.plainText(of: node)
                let decoded = DecodedValue(
                    text,
                    kind: document.kind(of: node),
                    services
                )
                report(.decoded(ticket, text, decoded))
            }
        case .locate(let ticket, let document, let position):
            begin(.value) { report in
                report(.located(ticket, offset: document.offset(of: position)))
            }
        case .search(let search):
            begin(.matches) { report in
                await search.run { _ in report(.searched) }
                report(.searched)
            }
        case .query(let ticket, let document, let path):
            begin(.matches) { report in
                // A query can take hours on a document that is made for that.
                let found = await withTaskExecutorPreference(BlockingWorkExecutor.interactive) {
                    await document.matches(of: path)
                }
                let sorted = found.nodes.sorted { $0.rawValue < $1.rawValue }
                report(.matched(ticket, found.nodes, sorted: sorted, problem: found.problem))
            }
        case .sort(let ticket, let sort):
            begin(.order) { report in
                if let order = sort.order() { report(.sorted(ticket, order)) }
            }
        case .picture(let bytes, let reader):
            begin(.picture) { report in report(.pictured(bytes, Picture(bytes, by: reader))) }
        case .stop: tasks[.matches]?.cancel()
        case .stopSorting: tasks[.order]?.cancel()
        }
    }

    /// Finds the rows of a document that are still missing.
    func findRows(of body: BodyDocument) {
        begin(.rows) { report in
            // A parser loads the bytes that it needs by itself.
            if body.form != .tree { await body.bytes.finishLoading() }
            await body.finish { _ in report(.advanced) }
            report(.advanced)
        }
    }

    /// Cancels all tasks.
    package func cancelAll() {
        for task in tasks.values { task.cancel() }
        tasks = [:]
    }

    private func begin(
        _ kind: Kind,
        _ work:
            @escaping @Sendable (@escaping @Sendable (DocumentPaneMessage) -> Void) async -> Void
    ) {
        tasks[kind]?.cancel()
        tasks[kind] = Task.detached { [report] in
            await work { message in
                if !Task.isCancelled { report(message) }
            }
        }
    }
}

/// An effect of a document pane.
package enum DocumentPaneEffect: Sendable {
    /// Copy a text to the clipboard.
    case copy(String)
    /// Show a notice.
    case say(Notice)
    /// Say why no text can be typed.
    case refuse(String)
    /// Find the rows of a form that was not shown before.
    case findRows(BodyDocument)
    /// Find the line and column of a fault.
    case place(DocumentFault, Document)
    /// Decode a long string.
    case decode(Int, Document, NodeIndex, TreeServices)
    /// Find the offset of a line and column of the text.
    case locate(Int, Document, TextPosition)
    /// Run a search, in place of a search or query that runs.
    case search(DocumentSearch)
    /// Find the values of a query, in place of a search or query that runs.
    case query(Int, Document, JSONPath)
    /// Cancel the search or the query that runs.
    case stop
    /// Sort the rows of a table, in place of a sort that runs.
    case sort(Int, TableSort)
    /// Cancel the sort that runs.
    case stopSorting
    /// Read the pixels of an image.
    case picture(DocumentBytes, any ImageReader)
    /// Wrap lines of text in all panes, and at the next start; or do not.
    case keepWrap(Bool)
    /// Add an entry to the history of a prompt.
    case remember(DocumentPrompt.Kind, String)
}

/// The result of a pane's effect.
package enum DocumentPaneMessage: Sendable {
    /// More rows were found.
    case advanced
    /// The line and column of a fault.
    case placed(DocumentFault, TextPosition)
    /// A long string, its escapes decoded, and its decoded form.
    case decoded(Int, String, DecodedValue?)
    /// The offset of a line and column; nil if there is no such line.
    case located(Int, offset: Int?)
    /// The sorted indexes of a table's rows.
    case sorted(Int, [UInt32])
    /// The image in some bytes.
    case pictured(DocumentBytes, Picture)
    /// More of the document was searched.
    case searched
    /// The matches of a query in its own order and in that of the document, and why some may be missing.
    case matched(Int, [NodeIndex], sorted: [NodeIndex], problem: String? = nil)
}
