import FoundationEssentials
import Glibc
import Synchronization

/// A folder of this process: for bodies that are being written, and for those handed out, so that
/// eviction cannot take them from a reader.
///
/// A reader opens a body by its path, long after the lookup, and an unlinked
/// path cannot be opened. So each hit gets a hard link of its own, which shares
/// the bytes and goes away with its `BodyFile`; the cache may then unlink its
/// name at any time. Pinning in memory instead would not hold against the
/// eviction of another process. What a killed process left behind lies in a
/// folder whose lock nobody holds, and is removed by the next that opens the cache.
final class LendingFolder: Sendable {
    private struct Lent {
        let path: String
        let lock: FolderLock
        var count = 0
    }

    private let path: String
    private let folder = Mutex<Lent?>(nil)

    /// Lends from below `path`; makes nothing yet.
    init(path: String) { self.path = path }

    deinit { leave() }

    /// Removes the folder of this process; the next use makes another.
    func leave() {
        // Fails while something is still lent: then the next that opens the cache removes it.
        folder.withLock { lent in
            guard let own = lent.take()?.path else { return }
            unlink("\(own)/lock")
            rmdir(own)
        }
    }

    /// A link to the file, or a copy where the file system has no links.
    func lend(_ file: String, count: Int) throws(PrivateFiles.Fault) -> BodyFile {
        let name = try nextName()
        if link(file, name) != 0 {
            guard errno == EPERM || errno == EMLINK || errno == EOPNOTSUPP else {
                throw PrivateFiles.Fault(path: file, errno: errno)
            }
            try Self.copy(file, to: name)
        }
        return BodyFile(path: name, count: count, ownership: .temporary)
    }

    /// A file with these bytes.
    func lend(_ bytes: [UInt8]) throws(PrivateFiles.Fault) -> BodyFile {
        let name = try nextName()
        try PrivateFiles.replace(name, with: bytes)
        return BodyFile(path: name, count: bytes.count, ownership: .temporary)
    }

    /// A name for a new file.
    func nextName() throws(PrivateFiles.Fault) -> String {
        try folder.withLock { lent throws(PrivateFiles.Fault) in
            if lent == nil { lent = try makeFolder() }
            lent?.count += 1
            return "\(lent?.path ?? path)/\(lent?.count ?? 0)"
        }
    }

    private func makeFolder() throws(PrivateFiles.Fault) -> Lent {
        try PrivateFiles.makeFolder(path)
        // While it is held, no other process takes a new folder for an abandoned one.
        let all = try FolderLock(waitingFor: "\(path)/lock")
        defer { withExtendedLifetime(all) {} }
        let own = "\(path)/\(UUID().uuidString)"
        try PrivateFiles.makeFolder(own)
        return Lent(path: own, lock: try FolderLock(waitingFor: "\(own)/lock"))
    }

    /// Removes what processes left that are no more; whether there was something.
    func sweep() -> Bool {
        guard PrivateFiles.names(in: path).contains(where: { $0 != "lock" }),
            let all = FolderLock(trying: "\(path)/lock")
        else { return false }
        return withExtendedLifetime(all) { removeAbandoned() }
    }

    private func removeAbandoned() -> Bool {
        var hasRemoved = false
        for name in PrivateFiles.names(in: path) where name != "lock" {
            let other = "\(path)/\(name)"
            guard let lock = FolderLock(trying: "\(other)/lock") else { continue }
            withExtendedLifetime(lock) {
                for link in PrivateFiles.names(in: other) { unlink("\(other)/\(link)") }
                rmdir(other)
            }
            hasRemoved = true
        }
        return hasRemoved
    }

    private static func copy(_ file: String, to name: String) throws(PrivateFiles.Fault) {
        let source = open(file, O_RDONLY | O_CLOEXEC)
        guard source >= 0 else { throw PrivateFiles.Fault(path: file, errno: errno) }
        defer { close(source) }
        let target = try PrivateFiles.create(name)
        defer { close(target) }
        guard FilePieces.forEach(of: source, { FilePieces.write($0, to: target) }) else {
            let fault = PrivateFiles.Fault(path: name, errno: errno)
            unlink(name)
            throw fault
        }
    }
}
