import FoundationEssentials
import Glibc
import Synchronization

/// Bodies that are too large for a row, as files named by their digest: `bodies/ab/cdef…`.
struct BodyFolder: Sendable {
    private let files: DigestFolder

    /// The bodies of a cache; nothing is made yet.
    init(path: String) { files = DigestFolder(path: path, naming: .rest) }

    /// A body on disk under a temporary name.
    ///
    /// The file is removed with this object unless it has been adopted.
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

    /// The path of a body.
    func file(_ digest: String) -> String { files.file(digest) }

    /// Opens the file of a body; nil if it is missing or has an impossible size.
    func open(_ body: BodyReference) -> OpenBody? {
        guard let file = OpenBody(file(body.digest)) else { return nil }
        // An encoded body may be larger than the original, but not without limit.
        let isOfSize =
            body.isSealed
            ? file.count <= 4 * DiskStore.largestSealedBody : file.count == body.count
        guard isOfSize else { return nil }
        return file
    }

    /// Writes a body to disk under a temporary name on the same file system.
    func stage(
        _ body: ResponseBody,
        as temporary: String
    ) throws(PrivateFileError) -> Staged {
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
        // Synced before it gets its name, because a name must never refer to half a body.
        guard isWritten, fsync(descriptor) == 0 else {
            let fault = PrivateFileError(path: temporary, errno: errno)
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

    /// Gives a staged body its name; returns false if there already was such a file.
    ///
    /// The caller must hold the database's write lock, so that no other process removes the name meanwhile.
    func adopt(_ staged: Staged) throws(PrivateFileError) -> Bool {
        let file = file(staged.digest)
        if let found = OpenBody(file), found.count == staged.count { return false }
        if let foreign = try files.makeFolders(of: staged.digest) {
            throw PrivateFileError(path: foreign, errno: EPERM)
        }
        guard rename(staged.temporary, file) == 0 else {
            throw PrivateFileError(path: file, errno: errno)
        }
        return true
    }

    /// Turns an adopted body back into a staged one.
    func takeBack(_ staged: Staged) { rename(file(staged.digest), staged.temporary) }

    /// Removes a body; the caller must hold the database's write lock.
    ///
    /// A damaged body is removed even if other entries refer to it. Otherwise a response with the same body
    /// would reuse the damaged file.
    func remove(_ digest: String) { unlink(file(digest)) }

    /// The digests of all body files.
    var digests: [String] { files.files.map(\.digest) }

    /// Temporary files older than an hour, which killed processes of earlier versions left behind.
    func abandoned(at now: Date) -> [String] {
        Folders.names(in: files.path).filter { name in
            let file = "\(files.path)/\(name)"
            guard name.hasPrefix("new-"), PrivateFiles.size(of: file) != nil,
                let modified = PrivateFiles.modified(file)
            else { return false }
            return Double(modified) < now.timeIntervalSince1970 - 3600
        }.map { "\(files.path)/\($0)" }
    }

    private static func pieces(
        of body: ResponseBody,
        _ each: (UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        switch body {
        case .bytes(let bytes): return bytes.withUnsafeBytes(each)
        case .file(let file):
            let descriptor = Glibc.open(file.path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            return FilePieces.forEach(of: descriptor, each)
        }
    }
}

/// The open file of a body; its bytes are read through nothing else.
///
/// Whoever made the cache's folder may have put something else where a body was, such as a link to a file
/// of the user's or an endless device. So it must be a regular file owned by us, links are not followed, and
/// no more bytes are read than it had when it was opened.
struct OpenBody: ~Copyable {
    fileprivate let descriptor: Int32
    /// The size of the file in bytes.
    let count: Int

    /// Opens a file; nil unless it is a regular file owned by us.
    fileprivate init?(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        guard fstat(descriptor, &status) == 0, let count = Self.size(of: status) else {
            close(descriptor)
            return nil
        }
        self.descriptor = descriptor
        self.count = count
    }

    /// The size of a regular file owned by us; nil for anything else.
    fileprivate static func size(of status: stat) -> Int? {
        let isOurs = status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
        return isOurs ? Int(status.st_size) : nil
    }

    deinit { close(descriptor) }

    /// All bytes; nil if they cannot be read.
    func read() -> [UInt8]? { try? FileBytes.read(descriptor, count, of: "") }

    /// The digest of the file, read in pieces; nil if it cannot be read or `isWanted` returned false.
    func digest(while isWanted: () -> Bool) -> String? {
        var state = SHA256()
        var rest = count
        let isWhole = FilePieces.forEach(of: descriptor) { piece in
            rest -= piece.count
            guard rest >= 0, isWanted() else { return false }
            state.update(piece)
            return true
        }
        return isWhole && rest == 0 ? ContentDigest.hex(state.finalize()) : nil
    }
}

/// This process's folder for bodies being written, or lent to readers so that eviction cannot remove them.
///
/// A reader opens a body by its path, long after the lookup, and a removed path cannot be opened. So each hit
/// gets its own hard link, which shares the bytes and is removed with its `BodyFile`; the cache may remove
/// its own name at any time. A pin in memory would not stop the eviction of another process. The folder of a
/// killed process has a lock that nobody holds; the next process that opens the cache removes it.
final class BodyLeases: Sendable {
    private struct Lent {
        let path: String
        let lock: FolderLock
        var count = 0
    }

    private struct State {
        var lent: Lent?
        /// Zero after the first wait has failed, because otherwise every body would wait.
        var patience = FolderLock.patience
    }

    private let folder: String
    private let state = Mutex(State())

    private var path: String { "\(folder)/lent" }

    /// Creates nothing yet.
    init(folder: String) { self.folder = folder }

    deinit { leave() }

    /// Removes this process's folder unless something in it is still lent.
    ///
    /// In that case another process removes it later, when it opens the cache.
    func leave() {
        state.withLock { state in
            guard let own = state.lent?.path, FolderLock.removeEmpty(own) else { return }
            state.lent = nil
        }
    }

    /// Returns a hard link to the file of a body, or a copy if no link is possible.
    ///
    /// The bytes are not checked here; the checksum is known only at the end of streaming them.
    func lend(
        _ body: BodyReference,
        of bodies: BodyFolder
    ) throws(PrivateFileError) -> BodyFile {
        let file = bodies.file(body.digest)
        let (name, lock) = try next()
        if link(file, name) == 0 {
            // The file is checked under its new name, which takes 3.5 µs less than linking by descriptor.
            // Neither call follows links.
            var status = stat()
            guard lstat(name, &status) == 0, OpenBody.size(of: status) == body.count else {
                unlink(name)
                throw PrivateFileError(path: file, errno: EINVAL)
            }
        } else {
            let number = errno
            guard [EPERM, EMLINK, EOPNOTSUPP].contains(number), let opened = bodies.open(body)
            else {
                throw PrivateFileError(path: file, errno: number)
            }
            try Self.copy(opened, to: name)
        }
        return BodyFile(
            path: name,
            count: body.count,
            ownership: .temporary,
            checksum: body.checksum,
            lock: lock
        )
    }

    /// Writes bytes to a new file.
    func lend(_ bytes: [UInt8]) throws(PrivateFileError) -> BodyFile {
        let (name, lock) = try next()
        try PrivateFiles.replace(name, with: bytes)
        return BodyFile(
            path: name,
            count: bytes.count,
            ownership: .temporary,
            checksum: nil,
            lock: lock
        )
    }

    func nextName() throws(PrivateFileError) -> String { try next().name }

    /// A name for a new file, and the lock to hold as long as the file is needed.
    private func next() throws(PrivateFileError) -> (name: String, lock: FolderLock) {
        try state.withLock { state throws(PrivateFileError) in
            var own: Lent
            if let lent = state.lent {
                own = lent
            } else {
                let patience = state.patience
                state.patience = .zero
                own = try makeFolder(patience)
                state.patience = FolderLock.patience
            }
            own.count += 1
            state.lent = own
            return ("\(own.path)/\(own.count)", own.lock)
        }
    }

    private func makeFolder(_ patience: Duration) throws(PrivateFileError) -> Lent {
        // This may be the first thing created there.
        try DiskFolder.claim(folder)
        try PrivateFiles.makeFolder(path)
        // While this is held, no other process mistakes a new folder for an abandoned one.
        let all = try FolderLock(waitingFor: "\(path)/lock", atMost: patience)
        defer { withExtendedLifetime(all) {} }
        let own = "\(path)/\(UUID().uuidString)"
        try PrivateFiles.makeFolder(own)
        return Lent(path: own, lock: try FolderLock(waitingFor: "\(own)/lock"))
    }

    /// Removes the folders of dead processes; returns whether there were any.
    func sweep() -> Bool {
        let others = Folders.names(in: path).filter { $0 != "lock" && Self.isOurs($0) }
        guard !others.isEmpty, let all = FolderLock(trying: "\(path)/lock") else { return false }
        defer { withExtendedLifetime(all) {} }
        return others.count { FolderLock.removeAbandoned("\(path)/\($0)") } > 0
    }

    /// Whether it is a name that Apus uses here.
    static func isOurs(_ name: String) -> Bool {
        name == "lock" || UUID(uuidString: name) != nil
    }

    private static func copy(
        _ body: borrowing OpenBody,
        to name: String
    ) throws(PrivateFileError) {
        try PrivateFiles.copy(body.descriptor, of: name, to: name)
    }
}
