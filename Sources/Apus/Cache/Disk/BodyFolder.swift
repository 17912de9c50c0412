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

    /// Opens the file of a body; nil if there is none that can be it.
    func open(_ body: BodyReference) -> OpenBody? {
        guard let file = OpenBody(file(body.digest)) else { return nil }
        // A form may take more room than what it is of; without end it may not.
        let isOfSize =
            body.isSealed
            ? file.count <= 4 * DiskStore.largestSealedBody : file.count == body.count
        guard isOfSize else { return nil }
        return file
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

    /// Gives a staged body its name; whether it had to, for there was no such file.
    ///
    /// The caller holds the database's write lock, so that no other process
    /// removes the name as it is being taken.
    func adopt(_ staged: Staged) throws(PrivateFiles.Fault) -> Bool {
        let file = file(staged.digest)
        if let found = OpenBody(file), found.count == staged.count { return false }
        try PrivateFiles.makeFolder("\(path)/\(staged.digest.prefix(2))")
        guard rename(staged.temporary, file) == 0 else {
            throw PrivateFiles.Fault(path: file, errno: errno)
        }
        return true
    }

    /// Makes an adopted body a staged one again.
    func takeBack(_ staged: Staged) { rename(file(staged.digest), staged.temporary) }

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
            let descriptor = Glibc.open(file.path, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return false }
            defer { close(descriptor) }
            return FilePieces.forEach(of: descriptor, each)
        }
    }
}

/// The file of a body, open for reading: the one way to its bytes.
///
/// Who made the folder of a cache may have put anything in the place of a body: a link to a file
/// of the user's, or what has no end. So it must be a regular file of ours, links are not
/// followed, and no more bytes are read than it had when it was opened.
struct OpenBody: ~Copyable {
    fileprivate let descriptor: Int32
    /// Bytes of the file.
    let count: Int

    /// Opens a file; nil if it is none of ours.
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

    /// The bytes of a regular file of ours; nil for anything else.
    fileprivate static func size(of status: stat) -> Int? {
        let isOurs = status.st_mode & S_IFMT == S_IFREG && status.st_uid == geteuid()
        return isOurs ? Int(status.st_size) : nil
    }

    deinit { close(descriptor) }

    /// All bytes; nil if they cannot be read.
    func read() -> [UInt8]? { try? FileBytes.read(descriptor, count, of: "") }

    /// The digest of all bytes, read in pieces; nil if they cannot be read, or are not wanted any
    /// more.
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

    /// Removes the folder of this process unless something in it is still lent: then the next that
    /// opens the cache does, when nobody has it any more.
    func leave() {
        state.withLock { state in
            guard let own = state.lent?.path, FolderLock.removeEmpty(own) else { return }
            state.lent = nil
        }
    }

    /// A link to the file of a body, or a copy where there can be none.
    ///
    /// Its bytes are not looked at here; who streams it learns at the end whether it has the
    /// checksum.
    func lend(
        _ body: BodyReference,
        of bodies: BodyFolder
    ) throws(PrivateFiles.Fault) -> BodyFile {
        let file = bodies.file(body.digest)
        let (name, lock) = try next()
        if link(file, name) == 0 {
            // What is linked is looked at under its new name, which takes 3.5 µs less than a link
            // by a descriptor; a link is not followed by either call.
            var status = stat()
            guard lstat(name, &status) == 0, OpenBody.size(of: status) == body.count else {
                unlink(name)
                throw PrivateFiles.Fault(path: file, errno: EINVAL)
            }
        } else {
            let number = errno
            guard [EPERM, EMLINK, EOPNOTSUPP].contains(number), let opened = bodies.open(body)
            else {
                throw PrivateFiles.Fault(path: file, errno: number)
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

    /// A file with these bytes.
    func lend(_ bytes: [UInt8]) throws(PrivateFiles.Fault) -> BodyFile {
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

    /// A name for a new file.
    func nextName() throws(PrivateFiles.Fault) -> String { try next().name }

    /// A name for a new file, and what has to be held as long as the file is needed.
    private func next() throws(PrivateFiles.Fault) -> (name: String, lock: FolderLock) {
        try state.withLock { state throws(PrivateFiles.Fault) in
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

    private static func copy(
        _ body: borrowing OpenBody,
        to name: String
    ) throws(PrivateFiles.Fault) {
        let target = try PrivateFiles.create(name)
        defer { close(target) }
        guard FilePieces.forEach(of: body.descriptor, { FilePieces.write($0, to: target) }) else {
            let fault = PrivateFiles.Fault(path: name, errno: errno)
            unlink(name)
            throw fault
        }
    }
}
