import FoundationEssentials
import Glibc

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
        PrivateFiles.names(in: path).flatMap { name in
            PrivateFiles.names(in: "\(path)/\(name)").map { name + $0 }
        }.filter(Self.isDigest)
    }

    /// Temporary names older than an hour, which earlier versions left here when they were killed.
    func abandoned(at now: Date) -> [String] {
        PrivateFiles.names(in: path).map { "\(path)/\($0)" }.filter { file in
            guard PrivateFiles.size(of: file) != nil, let modified = PrivateFiles.modified(file)
            else { return false }
            return Double(modified) < now.timeIntervalSince1970 - 3600
        }
    }

    /// Whether a text can be the name of a body: no other may become part of a path.
    static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64
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
