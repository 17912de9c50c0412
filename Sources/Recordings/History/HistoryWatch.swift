import Apus

/// Tells when a history's file is written, by whichever process.
package final class HistoryWatch {
    private let watch: FolderWatch

    /// Watches a file whose folder is there; nil if that cannot be watched.
    ///
    /// - Parameters:
    ///   - path: the history's file.
    ///   - changed: is called after each write, on a thread of its own, never twice at once.
    package init?(path: String, changed: @escaping @Sendable () -> Void) {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        // What is written goes to the log first; the search index beside it changes nothing that is shown.
        let names: Set<String> = [name, "\(name)-wal"]
        let folder = HistoryFile.folder(of: path)
        guard
            let watch = FolderWatch(
                folder,
                .written,
                of: { names.contains($0) },
                changed: changed
            )
        else { return nil }
        self.watch = watch
    }
}
