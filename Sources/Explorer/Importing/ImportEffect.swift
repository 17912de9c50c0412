package import Interchange
import Terminal

/// Work on a file of another program that is to be put into the workspace.
enum ImportEffect: Sendable {
    /// List the paths that begin like what was typed.
    case complete(String)
    /// Read a file, a folder or a URL.
    case read(String)
}

/// A result of it.
enum ImportMessage: Sendable {
    /// The paths that begin like a text.
    case completed(String, [String])
    /// What was read.
    case read(Result<ReadImport, CatalogError>)
}

/// A file of another program that was read.
package struct ReadImport: Sendable {
    /// Its path or URL, as it was typed.
    package let path: String
    /// What it has.
    package let file: ImportedFile

    /// Makes one.
    package init(path: String, file: ImportedFile) {
        (self.path, self.file) = (path, file)
    }
}

/// What an import did to the workspace's files.
package struct ImportOutcome: Sendable {
    /// How many things were added, updated, left and not carried over.
    package let words: String
    /// Whether something was left, or is not carried over.
    package let isPartial: Bool
    /// The catalog of the files as they are now; nil if they must be loaded.
    package let catalog: Catalog?
}

/// Runs the effects of imports; a newer one cancels what an older one still reads.
@MainActor
final class ImportRunner {
    /// Reads a path or a URL; nil where nothing can be imported.
    private let read: ImportReading?
    private let mailbox: Mailbox<Message>
    private var reading: Task<Void, Never>?
    private var completing: Task<Void, Never>?

    init(_ read: ImportReading?, _ mailbox: Mailbox<Message>) {
        (self.read, self.mailbox) = (read, mailbox)
    }

    func perform(_ effect: ImportEffect) {
        switch effect {
        case .complete(let typed):
            completing?.cancel()
            completing = Task.detached { [mailbox] in
                let paths = PathCompletion.paths(beginningWith: typed)
                if !Task.isCancelled { mailbox.send(.imports(.completed(typed, paths))) }
            }
        case .read(let path):
            reading?.cancel()
            reading = Task.detached { [mailbox, read] in
                let result: Result<ReadImport, CatalogError> =
                    switch await read?(PathCompletion.expanded(path)) {
                    case .success(let file)?: .success(ReadImport(path: path, file: file))
                    case .failure(let error)?: .failure(CatalogError(error.description))
                    case nil: .failure(CatalogError("nothing can be imported here"))
                    }
                if !Task.isCancelled { mailbox.send(.imports(.read(result))) }
            }
        }
    }

    func cancel() {
        reading?.cancel()
        completing?.cancel()
    }
}

/// Reads a file, a folder or a URL in whatever format it is.
package typealias ImportReading =
    @Sendable (_ path: String) async -> Result<ImportedFile, ImportError>
