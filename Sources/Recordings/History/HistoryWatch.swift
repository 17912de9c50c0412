import Apus

/// Reports writes to a history's file by any process.
package final class HistoryWatch {
    private let watch: FolderWatch

    /// Starts watching; nil if the file's folder cannot be watched.
    ///
    /// - Parameters:
    ///   - path: the history's file.
    ///   - changed: called after each write, on a thread of its own, and never concurrently.
    package init?(path: String, changed: @escaping @Sendable () -> Void) {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        // Writes go to the log first. Changes of the search index do not matter, so its files are not watched.
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
