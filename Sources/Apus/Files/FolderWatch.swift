import Dispatch
import Glibc

/// Tells when files of a folder change, by whichever process: inotify(7), so that waiting costs nothing.
///
/// File systems of other machines tell only of what this machine writes.
package final class FolderWatch {
    /// What is told.
    package enum Moment {
        /// Each write.
        case written
        /// A file that was written and closed, renamed or removed: also what an editor writes beside it
        /// and puts in its place.
        case whole

        fileprivate var events: Int32 {
            switch self {
            case .written: Int32(IN_MODIFY | IN_CREATE)
            case .whole: Int32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
            }
        }
    }

    private let source: any DispatchSourceRead

    /// Watches a folder that is there; nil if it cannot be watched.
    ///
    /// - Parameters:
    ///   - folder: its path.
    ///   - moment: what is told.
    ///   - isWanted: whether a file of this name is meant.
    ///   - changed: is called after each change, on a thread of its own, never twice at once.
    package init?(
        _ folder: String,
        _ moment: Moment,
        of isWanted: @escaping @Sendable (_ name: String) -> Bool,
        changed: @escaping @Sendable () -> Void
    ) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        guard descriptor >= 0 else { return nil }
        guard inotify_add_watch(descriptor, folder, UInt32(moment.events)) >= 0 else {
            Glibc.close(descriptor)
            return nil
        }
        let queue = DispatchQueue(label: "apus.folder.watch", qos: .utility)
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            if Self.read(descriptor, isWanted) { changed() }
        }
        source.setCancelHandler { Glibc.close(descriptor) }
        source.activate()
    }

    deinit { source.cancel() }

    /// Takes all events that wait; whether one is about a name that is meant.
    private static func read(_ descriptor: Int32, _ isWanted: (String) -> Bool) -> Bool {
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
                // An overflow names nothing: something changed, and it may have been this.
                let isOverflow = event.mask & UInt32(IN_Q_OVERFLOW) != 0
                isFound =
                    isFound || isOverflow || isWanted(String(decoding: name, as: UTF8.self))
                start = end
            }
        }
    }
}
