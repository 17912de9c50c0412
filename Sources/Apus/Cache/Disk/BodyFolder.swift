import FoundationEssentials
import Glibc
import Synchronization

/// Bodies that are too large for a row, as files named after their content:
/// `bodies/ab/cdef…`.
struct BodyFolder: Sendable {
    let path: String

    /// A body that is on disk under a temporary name; the file goes away with
    /// this value unless it has been adopted.
    final class Staged: Sendable {
        let temporary: String
        let digest: String
        let count: Int
        let checksum: UInt64

        init(temporary: String, digest: String, count: Int, checksum: UInt64) {
            self.temporary = temporary
            self.digest = digest
            self.count = count
            self.checksum = checksum
        }

        deinit { unlink(temporary) }
    }

    /// Where the body of a digest is.
    func file(_ digest: String) -> String {
        "\(path)/\(digest.prefix(2))/\(digest.dropFirst(2))"
    }

    /// Writes a body to disk, whole, under a temporary name on the same file system.
    func stage(
        _ body: ResponseBody,
        as temporary: String
    ) throws(PrivateFiles.Fault) -> Staged {
        let descriptor = try PrivateFiles.create(temporary)
        defer { close(descriptor) }
        var state = SHA256()
        var checksum = Checksum()
        var count = 0
        let isWritten = Self.pieces(of: body) { piece in
            state.update(piece)
            checksum.update(piece)
            count += piece.count
            return FilePieces.write(piece, to: descriptor)
        }
        // On disk before its name is: a name must never stand for half a body.
        guard isWritten, fsync(descriptor) == 0 else {
            let fault = PrivateFiles.Fault(path: temporary, errno: errno)
            unlink(temporary)
            throw fault
        }
        return Staged(
            temporary: temporary,
            digest: ContentDigest.hex(state.finalize()),
            count: count,
            checksum: checksum.value
        )
    }

    /// Gives a staged body its name.
    ///
    /// The caller holds the database's write lock, so that no other process
    /// removes the name as it is being taken.
    func adopt(_ staged: Staged) throws(PrivateFiles.Fault) {
        let file = file(staged.digest)
        guard PrivateFiles.size(of: file) != staged.count else { return }
        try PrivateFiles.makeFolder("\(path)/\(staged.digest.prefix(2))")
        guard rename(staged.temporary, file) == 0 else {
            throw PrivateFiles.Fault(path: file, errno: errno)
        }
    }

    /// Removes a body; as `adopt`, under the database's write lock.
    ///
    /// One that is damaged goes although other entries have it: who stores the same would get it.
    func remove(_ digest: String) { unlink(file(digest)) }

    /// All digests that there are files of.
    var digests: [String] {
        PrivateFiles.names(in: path).filter(Self.isPart).flatMap { name in
            PrivateFiles.names(in: "\(path)/\(name)").map { name + $0 }
        }.filter(Self.isDigest)
    }

    /// Temporary names older than an hour, which earlier versions left here when they were killed.
    func abandoned(at now: Date) -> [String] {
        PrivateFiles.names(in: path).filter { name in
            let file = "\(path)/\(name)"
            guard name.hasPrefix("new-"), PrivateFiles.size(of: file) != nil,
                let modified = PrivateFiles.modified(file)
            else { return false }
            return Double(modified) < now.timeIntervalSince1970 - 3600
        }.map { "\(path)/\($0)" }
    }

    /// Whether a text can be the name of a body: no other may become part of a path.
    static func isDigest(_ text: String) -> Bool { isHex(text, 64) }

    /// Whether a text can be the name of a folder of bodies.
    static func isPart(_ text: String) -> Bool { isHex(text, 2) }

    private static func isHex(_ text: String, _ count: Int) -> Bool {
        text.utf8.count == count
            && text.utf8.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    private static func pieces(
        of body: ResponseBody,
        _ each: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        switch body {
        case .bytes(let bytes): return bytes.withUnsafeBytes(each)
        case .file(let file):
            let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            return FilePieces.forEach(of: descriptor, each)
        }
    }
}

/// A folder of this process: for bodies that are being written, and for those handed out, so that
/// eviction cannot take them from a reader.
///
/// A reader opens a body by its path, long after the lookup, and an unlinked
/// path cannot be opened. So each hit gets a hard link of its own, which shares
/// the bytes and goes away with its `BodyFile`; the cache may then unlink its
/// name at any time. Pinning in memory instead would not hold against the
/// eviction of another process. What a killed process left behind lies in a
/// folder whose lock nobody holds, and is removed by the next that opens the cache.
final class BodyLeases: Sendable {
    private struct Lent {
        let path: String
        let lock: FolderLock
        var count = 0
    }

    private struct State {
        var lent: Lent?
        /// None after the first wait in vain: each body would have its own.
        var patience = FolderLock.patience
    }

    private let folder: String
    private let state = Mutex(State())

    private var path: String { "\(folder)/lent" }

    /// Lends in the folder of a cache; makes nothing yet.
    init(folder: String) { self.folder = folder }

    deinit { leave() }

    /// Removes the folder of this process; the next use makes another.
    func leave() {
        // Fails while something is still lent: then the next that opens the cache removes it.
        state.withLock { state in
            guard let own = state.lent.take()?.path else { return }
            unlink("\(own)/lock")
            rmdir(own)
        }
    }

    /// A link to the file, or a copy where the file system has no links.
    ///
    /// It is not looked at here; who streams it learns at the end whether it has the checksum.
    func lend(
        _ file: String,
        count: Int,
        checksum: UInt64
    ) throws(PrivateFiles.Fault) -> BodyFile {
        let name = try nextName()
        if link(file, name) != 0 {
            guard errno == EPERM || errno == EMLINK || errno == EOPNOTSUPP else {
                throw PrivateFiles.Fault(path: file, errno: errno)
            }
            try Self.copy(file, to: name)
        }
        return BodyFile(path: name, count: count, ownership: .temporary, checksum: checksum)
    }

    /// A file with these bytes.
    func lend(_ bytes: [UInt8]) throws(PrivateFiles.Fault) -> BodyFile {
        let name = try nextName()
        try PrivateFiles.replace(name, with: bytes)
        return BodyFile(path: name, count: bytes.count, ownership: .temporary)
    }

    /// A name for a new file.
    func nextName() throws(PrivateFiles.Fault) -> String {
        try state.withLock { state throws(PrivateFiles.Fault) in
            if state.lent == nil {
                let patience = state.patience
                state.patience = .zero
                state.lent = try makeFolder(patience)
                state.patience = FolderLock.patience
            }
            state.lent?.count += 1
            return "\(state.lent?.path ?? path)/\(state.lent?.count ?? 0)"
        }
    }

    private func makeFolder(_ patience: Duration) throws(PrivateFiles.Fault) -> Lent {
        // It may be the first that is made there.
        try DiskFolder.claim(folder)
        try PrivateFiles.makeFolder(path)
        // While it is held, no other process takes a new folder for an abandoned one.
        let all = try FolderLock(waitingFor: "\(path)/lock", atMost: patience)
        defer { withExtendedLifetime(all) {} }
        let own = "\(path)/\(UUID().uuidString)"
        try PrivateFiles.makeFolder(own)
        return Lent(path: own, lock: try FolderLock(waitingFor: "\(own)/lock"))
    }

    /// Removes what processes left that are no more; whether there was something.
    func sweep() -> Bool {
        let others = PrivateFiles.names(in: path).filter { $0 != "lock" && Self.isOurs($0) }
        guard !others.isEmpty, let all = FolderLock(trying: "\(path)/lock") else { return false }
        defer { withExtendedLifetime(all) {} }
        return others.count { FolderLock.removeAbandoned("\(path)/\($0)") } > 0
    }

    /// Whether it is a name that processes give here.
    static func isOurs(_ name: String) -> Bool {
        name == "lock" || UUID(uuidString: name) != nil
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
