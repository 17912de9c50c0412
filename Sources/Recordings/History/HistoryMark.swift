import Apus
import FoundationEssentials
import Glibc
import SQLite

/// How much a history had when it was last written, in a small file beside it.
///
/// SQLite drops the part of a torn log that it cannot read, and silently treats an emptied file as a new
/// database. This file says how much there was. It is written after a commit and is not synced, so it may be
/// behind the history, but never ahead of it. Several processes read and change it, each while it holds its lock.
struct HistoryMark: Equatable {
    /// The number of the last exchange; numbers are never used twice.
    var last: Int64
    /// About how many exchanges there were.
    var count: Int
    /// When the first of them was recorded, in seconds.
    var since: Double
    /// The change counter in the file's header (SQLite's file format, section 1.3.8).
    var changes: UInt32

    /// More than any mark has.
    private static let sizeLimit = 128

    private static func file(of path: String) -> String { "\(path)-count" }

    /// The mark of a history; nil if there is none, or it is damaged itself.
    static func read(of path: String) -> HistoryMark? {
        locked(path, LOCK_SH, O_RDONLY) { read(from: $0) } ?? nil
    }

    private static func read(from descriptor: Int32) -> HistoryMark? {
        var bytes = [UInt8](repeating: 0, count: sizeLimit + 1)
        let size = pread(descriptor, &bytes, bytes.count, 0)
        guard 0...sizeLimit ~= size else { return nil }
        let text = String(decoding: bytes[..<size], as: UTF8.self)
        let words = text.split { $0 == " " || $0 == "\n" }
        // The last word shows that the text is whole.
        guard words.count == 5, words[4] == "apus", let last = Int64(words[0]),
            let count = Int(words[1]), let since = Double(words[2]), since.isFinite,
            let changes = UInt32(words[3]), last >= 0, count >= 0
        else { return nil }
        return HistoryMark(last: last, count: count, since: since, changes: changes)
    }

    private func write(to descriptor: Int32) {
        // A fixed width, so that a shorter text leaves no rest of the one before.
        let text = "\(last) \(count) \(since) \(changes) apus"
        let line = text + String(repeating: " ", count: max(0, 96 - text.utf8.count)) + "\n"
        let bytes = Array(line.utf8)
        _ = pwrite(descriptor, bytes, bytes.count, 0)
    }

    /// How often the lock is tried, and the microseconds between two tries; it is held for some of them.
    private static let patience: (tries: Int, pause: UInt32) = (200, 100)

    /// Runs `body` with the file while its lock is held; nil if it cannot be opened, or a process that was stopped
    /// keeps the lock.
    private static func locked<Result>(
        _ path: String,
        _ lock: Int32,
        _ flags: Int32,
        _ body: (_ descriptor: Int32) -> Result
    ) -> Result? {
        // Without waiting for the other end of a pipe.
        let flags = flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let descriptor = open(file(of: path), flags, 0o600)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        for _ in 0..<patience.tries {
            if flock(descriptor, lock | LOCK_NB) == 0 { return body(descriptor) }
            guard errno == EWOULDBLOCK || errno == EINTR else { return nil }
            usleep(patience.pause)
        }
        return nil
    }

    /// Replaces the mark by what `change` makes of it; a failure is ignored, since the history itself is whole.
    static func update(of path: String, _ change: (HistoryMark?) -> HistoryMark?) {
        _ = locked(path, LOCK_EX, O_RDWR | O_CREAT) { descriptor in
            change(read(from: descriptor))?.write(to: descriptor)
        }
    }

    static func remove(of path: String) { unlink(file(of: path)) }

    /// Notes exchanges that were added or deleted.
    static func change(of path: String, by count: Int, last: Int64? = nil, at now: Double) {
        update(of: path) { mark in
            var mark = mark ?? HistoryMark(last: 0, count: 0, since: now, changes: 0)
            mark.last = max(mark.last, last ?? 0)
            mark.count = max(0, mark.count + count)
            return mark
        }
    }

    /// Notes the file's change counter after it was closed.
    static func settle(of path: String) {
        guard let mark = read(of: path), let changes = HistoryHead(of: path)?.changes,
            changes != mark.changes
        else { return }
        update(of: path) { mark in
            var mark = mark
            mark?.changes = changes
            return mark
        }
    }
}

/// The header of a history's file (SQLite's file format, section 1.3).
struct HistoryHead {
    private let bytes: [UInt8]

    /// Nil if the file is not an SQLite database, or too short.
    init?(of path: String) {
        guard let bytes = try? DatabaseFile(path: path).bytes(0..<100), bytes.count == 100,
            bytes.starts(with: "SQLite format 3\0".utf8)
        else { return nil }
        self.bytes = bytes
    }

    /// The page size, the journal mode, the reserved bytes and the payload fractions of every history.
    private static let layout: [UInt8] = [0x10, 0, 2, 2, 0, 64, 32, 32]

    /// Writes the page layout of a history over a damaged one, because SQLite keeps it when it empties a file.
    static func restoreLayout(of path: String) {
        guard HistoryHead(of: path)?.isSound == false else { return }
        // If this fails, so does emptying it.
        try? DatabaseFile(path: path, isReadOnly: false).write(layout, at: 16)
    }

    private func number(at place: Int) -> UInt32 {
        bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    var version: Int { Int(number(at: 60)) }
    var changes: UInt32 { number(at: 24) }
    /// Whether it is in the journal mode of a history.
    var hasLog: Bool { bytes[18...19] == [2, 2] }

    /// Whether all that is the same in every history is as it should be.
    var isSound: Bool {
        let modes: [ArraySlice<UInt8>] = [[1, 1], [2, 2]]
        return bytes[16...17] == [0x10, 0] && modes.contains(bytes[18...19])
            && bytes[20...23] == [0, 64, 32, 32] && (number(at: 44) == 4 || number(at: 44) == 0)
            && number(at: 56) <= 1 && number(at: 68) == 0 && bytes[72..<92].allSatisfy { $0 == 0 }
    }

    /// Whether the first pages of a history's file, or those of its log, have the statements of its tables,
    /// whatever is wrong with the rest.
    static func isOfHistory(_ path: String, withLog: Bool) -> Bool {
        let limit = 256 << 10
        func hasStatements(_ start: [UInt8]?) -> Bool {
            let statements = HistoryFile.schema.statements
            let found = statements.filter { start?.firstRange(of: $0.utf8) != nil }
            return 2 * found.count >= statements.count
        }
        if hasStatements(try? DatabaseFile(path: path).bytes(0..<limit)) { return true }
        guard withLog else { return false }
        let log = "\(path)-wal"
        return hasStatements(try? FileBytes.read(log, 0..<min(History.size(of: log), limit)))
    }
}
