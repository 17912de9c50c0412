import Glibc
import Synchronization

/// Everything that is written to standard error goes through this, for messages beside a program's output.
///
/// On a terminal, messages pass `TerminalGate`, because they quote file names, keys and responses. A file or
/// a pipe gets them unchanged.
package enum StandardError {
    /// Whether standard error is a terminal.
    package static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes a line.
    package static func write(_ text: String) {
        write(bytes(of: text) + [0x0A])
    }

    /// Writes why the program ends, and returns its exit status.
    package static func fail(_ text: String) -> Int32 {
        write("apus: \(text)")
        return 2
    }

    /// Replaces the current line of the terminal by a text, or clears it.
    package static func redrawLine(_ text: String? = nil) {
        let line = text.map { bytes(of: $0).map { $0 < 0x20 ? 0x20 : $0 } } ?? []
        write(Array("\r\u{1B}[K".utf8) + line)
    }

    private static func bytes(of text: String) -> [UInt8] {
        isTerminal ? TerminalGate.shown(text) : Array(text.utf8)
    }

    private static func write(_ bytes: [UInt8]) {
        // There is nowhere left to report a failed write.
        _ = bytes.withUnsafeBytes { DescriptorWrite.all($0, to: STDERR_FILENO) }
    }
}

/// Writes all bytes to descriptors, and counts writes, so that a signal can find out whether one is blocked.
package enum DescriptorWrite {
    private static let begun = Atomic<Int>(0)
    private static let ended = Atomic<Int>(0)

    /// The number of the write in progress; nil if there is none.
    package static var pending: Int? {
        let ended = ended.load(ordering: .acquiring)
        let begun = begun.load(ordering: .acquiring)
        return begun == ended ? nil : begun
    }

    /// Opens an existing file and truncates it, to write to it; a FIFO waits for its reader.
    ///
    /// Returns the descriptor, or -1 with `errno` set.
    package static func opening(_ path: String) -> Int32 {
        begun.wrappingAdd(1, ordering: .acquiringAndReleasing)
        defer { ended.wrappingAdd(1, ordering: .acquiringAndReleasing) }
        var descriptor: Int32
        repeat {
            descriptor = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        } while descriptor < 0 && errno == EINTR
        return descriptor
    }

    /// Writes all bytes; returns 0, or the number of the error.
    package static func all(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var rest = bytes
        while !rest.isEmpty {
            begun.wrappingAdd(1, ordering: .acquiringAndReleasing)
            let count = write(descriptor, rest.baseAddress, rest.count)
            let code = errno
            // Another process may have set O_NONBLOCK on the shared descriptor.
            if count < 0, code == EAGAIN {
                var place = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&place, 1, -1)
            }
            ended.wrappingAdd(1, ordering: .acquiringAndReleasing)
            if count < 0, code == EINTR || code == EAGAIN { continue }
            guard count > 0 else { return count < 0 ? code : EIO }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
        return 0
    }
}
