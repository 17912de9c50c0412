import Dispatch
import Glibc

/// Reports when any process changes files in a folder; uses inotify(7), so waiting costs nothing.
///
/// On network file systems, only changes made by this machine are reported.
package final class FolderWatch {
    /// Which changes are reported.
    package enum Moment {
        /// Every write.
        case written
        /// A file is written and closed, renamed or removed; includes editors that replace a file with a new one.
        case whole

        fileprivate var events: Int32 {
            switch self {
            case .written: Int32(IN_MODIFY | IN_CREATE)
            case .whole: Int32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE)
            }
        }
    }

    private let source: any DispatchSourceRead

    /// Watches an existing folder; nil if it cannot be watched.
    ///
    /// - Parameters:
    ///   - folder: The path of the folder.
    ///   - moment: Which changes are reported.
    ///   - isWanted: Whether changes of a file with this name are reported.
    ///   - changed: Called after changes on a private queue, never concurrently.
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

    /// Reads all pending events; returns whether one concerns a wanted name.
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
                // An overflow event has no name, but a wanted file may have changed.
                let isOverflow = event.mask & UInt32(IN_Q_OVERFLOW) != 0
                isFound =
                    isFound || isOverflow || isWanted(String(decoding: name, as: UTF8.self))
                start = end
            }
        }
    }
}
