import Apus
import Documents

/// Runs the effects of a document pane.
///
/// There is one task of each kind: a newer one takes the place of the older, of which the pane
/// would not hear any more.
@MainActor
final class DocumentRunner {
    /// What a task is about.
    private enum Kind: Hashable {
        case rows, place, value, matches, order, picture
    }

    private let report: @Sendable (DocumentPaneMessage) -> Void
    private var tasks: [Kind: Task<Void, Never>] = [:]

    init(report: @escaping @Sendable (DocumentPaneMessage) -> Void) { self.report = report }

    /// Starts an effect; those for the terminal are handled elsewhere.
    func perform(_ effect: DocumentPaneEffect) {
        switch effect {
        case .copy, .say, .remember: break
        case .takeIn(let body): takeIn(body)
        case .place(let fault, let document):
            begin(.place) { report in
                report(.placed(fault, document.position(of: fault.offset)))
            }
        case .decode(let ticket, let document, let node):
            begin(.value) { report in
                let text = document.plainText(of: node)
                let decoded = DecodedValue(text, kind: document.kind(of: node))
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
                // It may take hours for a document that is made for it.
                let found = await withTaskExecutorPreference(ReadingExecutor.interactive) {
                    await document.matches(of: path)
                }
                let sorted = found.nodes.sorted { $0.rawValue < $1.rawValue }
                report(.matched(ticket, found.nodes, sorted: sorted, problem: found.problem))
            }
        case .sort(let ticket, let sort):
            begin(.order) { report in
                if let order = sort.order() { report(.sorted(ticket, order)) }
            }
        case .picture(let bytes, let format):
            begin(.picture) { report in report(.pictured(bytes, Picture(bytes, format: format))) }
        case .stop: tasks[.matches]?.cancel()
        case .stopSorting: tasks[.order]?.cancel()
        }
    }

    /// Finds the rows of a document that are not there yet.
    func takeIn(_ body: BodyDocument) {
        begin(.rows) { report in
            // A parse reads what it needs by itself.
            if body.form != .tree { await body.bytes.finishLoading() }
            await body.finish { _ in report(.advanced) }
            report(.advanced)
        }
    }

    /// Ends everything.
    func cancelAll() {
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
enum DocumentPaneEffect: Sendable {
    /// To the clipboard.
    case copy(String)
    /// A line of news.
    case say(Notice)
    /// Find the rows of a form that was not shown before.
    case takeIn(BodyDocument)
    /// Find the line and column of a fault.
    case place(DocumentFault, Document)
    /// Decode a long string.
    case decode(Int, Document, NodeIndex)
    /// Find the byte at a line and column of the text.
    case locate(Int, Document, TextPosition)
    /// Run a search; it takes the place of the one before.
    case search(DocumentSearch)
    /// Find the values of a query; it takes the place of what ran before.
    case query(Int, Document, JSONPath)
    /// End the search or the query that runs.
    case stop
    /// Sort the rows of a table; it takes the place of the sort before.
    case sort(Int, TableSort)
    /// End the sort that runs.
    case stopSorting
    /// Read the pixels of an image.
    case picture(DocumentBytes, ImageFormat)
    /// Note what was typed into a prompt.
    case remember(DocumentPrompt.Kind, String)
}

/// The result of a pane's effect.
enum DocumentPaneMessage: Sendable {
    /// More rows were found.
    case advanced
    /// Where the fault is.
    case placed(DocumentFault, TextPosition)
    /// A long string, its escapes decoded, and what it stands for.
    case decoded(Int, String, DecodedValue?)
    /// The byte at a line and column; nil when there is no such line.
    case located(Int, offset: Int?)
    /// The places of a table's rows as they are sorted.
    case sorted(Int, [UInt32])
    /// What an image shows.
    case pictured(DocumentBytes, Picture)
    /// More of the document was searched.
    case searched
    /// What a query found, in its own order and in that of the document, and why some may be missing.
    case matched(Int, [NodeIndex], sorted: [NodeIndex], problem: String? = nil)
}
