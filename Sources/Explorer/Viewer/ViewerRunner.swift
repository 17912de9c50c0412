import Documents
import Terminal

/// Does what the viewer's model asks for outside of it.
@MainActor
final class ViewerRunner {
    /// What runs for the pane.
    let tree: TreePaneRunner
    private let source: ViewerSource
    private let mailbox: Mailbox<ViewerMessage>
    private var loading: Task<Void, Never>?

    init(source: ViewerSource, mailbox: Mailbox<ViewerMessage>) {
        self.source = source
        self.mailbox = mailbox
        tree = TreePaneRunner { mailbox.send(.tree($0)) }
    }

    /// Opens the document, which may wait for whoever writes it.
    func load() {
        loading = Task.detached { [source, mailbox] in
            do throws(DocumentError) {
                mailbox.send(.opened(try source.open()))
            } catch {
                mailbox.send(.failed(error.description))
            }
        }
    }

    /// Ends everything.
    func close() {
        loading?.cancel()
        tree.cancelAll()
    }
}
