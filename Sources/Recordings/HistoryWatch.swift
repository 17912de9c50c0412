import Dispatch
import Glibc

/// Tells when a history's file is written, by whichever process: inotify(7), so that waiting costs nothing.
///
/// File systems of other machines tell only of what this machine writes.
package final class HistoryWatch {
    private let source: any DispatchSourceRead

    /// Watches a file whose folder is there; nil if that cannot be watched.
    ///
    /// - Parameters:
    ///   - path: the history's file.
    ///   - changed: is called after each write, on a thread of its own, never twice at once.
    package init?(path: String, changed: @escaping @Sendable () -> Void) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        let folder = HistoryFile.folder(of: path)
        guard inotify_add_watch(descriptor, folder, UInt32(IN_MODIFY | IN_CREATE)) >= 0 else {
            Glibc.close(descriptor)
            return nil
        }
        let name = path.split(separator: "/").last.map(String.init) ?? path
        // What is written goes to the log first; the search index beside it changes nothing that is shown.
        let names: Set<String> = [name, "\(name)-wal"]
        let queue = DispatchQueue(label: "apus.history.watch", qos: .utility)
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            if Self.read(descriptor, looksFor: names) { changed() }
        }
        source.setCancelHandler { Glibc.close(descriptor) }
        source.activate()
    }

    deinit { source.cancel() }

    /// Takes all events that wait; whether one is about these names.
    private static func read(_ descriptor: Int32, looksFor names: Set<String>) -> Bool {
        let header = MemoryLayout<inotify_event>.size
        var isFound = false
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = buffer.withUnsafeMutableBytes {
                Glibc.read(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else { return isFound }
            var start = 0
            while start + header <= count {
                let event = buffer.withUnsafeBytes {
                    $0.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
                }
                let end = min(start + header + Int(event.len), count)
                let name = buffer[start + header..<end].prefix { $0 != 0 }
                // An overflow names nothing: something was written, and it may have been this.
                let isOverflow = event.mask & UInt32(IN_Q_OVERFLOW) != 0
                isFound =
                    isFound || isOverflow || names.contains(String(decoding: name, as: UTF8.self))
                start = end
            }
        }
    }
}
