import Glibc

/// Collects a body: in memory up to a limit, then in a file; or in the file
/// that was asked for.
package struct BodyCollector {
    /// An announced length is a stranger's word: no more than this is reserved for it.
    private static let largestReservation = 1 << 20

    private let memoryLimit: Int
    private let spool: SpoolFolder
    /// What is in memory, as long as there is no file.
    private var bytes: [UInt8] = []
    private var file: BodyFileWriter?
    /// Where the file goes in the end; nil if it is only for what memory does not hold.
    private var destination: DownloadDestination?

    init(memoryLimit: Int, spool: SpoolFolder) {
        self.memoryLimit = memoryLimit
        self.spool = spool
    }

    /// Collects in the user's spool folder what memory is not to hold.
    package init(memoryLimit: Int) {
        self.init(memoryLimit: memoryLimit, spool: SpoolFolder.at(nil))
    }

    /// Opens the temporary file of a download.
    mutating func open(_ destination: DownloadDestination) throws(ApusError) {
        if !destination.replacesExisting, access(destination.path, F_OK) == 0 {
            throw ApusError(.file(path: destination.path, errno: EEXIST))
        }
        if destination.createsDirectories {
            try Folders.make(Folders.parent(of: destination.path), mode: 0o777)
        }
        // Beside the file, so that it can be renamed; as open to others as that will be.
        let temporary = "\(destination.path).apus-\(PrivateFolder.unguessableName())"
        file = try BodyFileWriter(creating: temporary, isPrivate: false)
        self.destination = destination
    }

    /// Collects as if there were no destination.
    mutating func leaveDestination() {
        file = nil
        destination = nil
    }

    /// Makes room for a body whose length was announced; what is longer grows as it comes.
    mutating func expect(_ count: Int) {
        guard file == nil, count <= memoryLimit else { return }
        bytes.reserveCapacity(min(count, Self.largestReservation))
    }

    /// Takes a chunk; after an error, what came before it is still there.
    package mutating func append(_ chunk: UnsafeRawBufferPointer) throws(ApusError) {
        if let file { return try file.write(chunk) }
        guard bytes.count + chunk.count > memoryLimit else {
            return bytes.append(contentsOf: chunk)
        }
        try spill(chunk)
    }

    private mutating func spill(_ chunk: UnsafeRawBufferPointer) throws(ApusError) {
        let file = try spool.makeFile()
        let failure = bytes.withUnsafeBytes { bytes -> ApusError? in
            do throws(ApusError) {
                try file.write(bytes)
                return nil
            } catch {
                return error
            }
        }
        // What does not fit on the disk stays in memory.
        if let failure { throw failure }
        self.file = file
        bytes = []
        try file.write(chunk)
    }

    /// What there is of it; to be asked for once.
    package var body: ResponseBody { file.map { .file($0.temporaryFile()) } ?? .bytes(bytes) }

    /// Moves the body of an answer where it was asked for.
    ///
    /// - Returns: nil if no file was asked for, or not for such an answer.
    func place(_ answer: Response) throws(ApusError) -> ResponseBody? {
        guard let file, let destination, destination.validation.accepts(answer) else { return nil }
        return .file(try file.move(to: destination))
    }
}

/// A new file that a body is written to.
///
/// It is removed unless it is handed on.
final class BodyFileWriter {
    let path: String
    private let descriptor: Int32
    private(set) var count = 0
    private var isHandedOn = false

    init(creating path: String, isPrivate: Bool) throws(ApusError) {
        self.path = path
        descriptor = try PrivateFolder.createFile(path, isPrivate: isPrivate)
    }

    deinit {
        close(descriptor)
        if !isHandedOn { unlink(path) }
    }

    /// Writes all of the bytes, or as many as fit.
    func write(_ bytes: UnsafeRawBufferPointer) throws(ApusError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = Glibc.write(
                descriptor,
                UnsafeRawBufferPointer(rebasing: rest).baseAddress,
                rest.count
            )
            if written < 0, errno == EINTR { continue }
            guard written >= 0 else { throw ApusError(.file(path: path, errno: errno)) }
            rest = rest.dropFirst(written)
            count += written
        }
    }

    /// Makes it so long, what was not written being zeros that take no room on the disk.
    func extend(to count: Int) throws(ApusError) {
        guard ftruncate(descriptor, count) == 0 else {
            throw ApusError(.file(path: path, errno: errno))
        }
        self.count = count
    }

    /// Has the bytes on the disk, before the file gets its name.
    func synchronize() throws(ApusError) {
        guard fsync(descriptor) == 0 else { throw ApusError(.file(path: path, errno: errno)) }
    }

    /// The file as it is, to be removed when nobody refers to it any more.
    func temporaryFile() -> BodyFile {
        isHandedOn = true
        return BodyFile(path: path, count: count, ownership: .temporary)
    }

    /// Moves the file to where it was asked for, in one step.
    func move(to destination: DownloadDestination) throws(ApusError) -> BodyFile {
        let moved =
            destination.replacesExisting
            ? rename(path, destination.path) : renameKeeping(destination.path)
        guard moved == 0 else { throw ApusError(.file(path: destination.path, errno: errno)) }
        isHandedOn = true
        return BodyFile(path: destination.path, count: count, ownership: .borrowed)
    }

    /// A link is made only if the name is free, also against a race.
    ///
    /// File systems without links get a rename after a look.
    private func renameKeeping(_ name: String) -> Int32 {
        if link(path, name) == 0 {
            unlink(path)
            return 0
        }
        guard errno != EEXIST else { return -1 }
        guard access(name, F_OK) != 0 else {
            errno = EEXIST
            return -1
        }
        return rename(path, name)
    }
}

extension ResponseBody {
    /// Writes the body to a file of the user's, whole or not at all: beside it first, then in its place.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - replacesExisting: Whether a file that is there may go; if not, it is an error with the number
    ///     `EEXIST`.
    /// - Throws: `ApusError` with the reason `.file`; `CancellationError`, and nothing is left then.
    package func save(to path: String, replacesExisting: Bool) throws {
        if !replacesExisting, access(path, F_OK) == 0 {
            throw ApusError(.file(path: path, errno: EEXIST))
        }
        let temporary = "\(path).apus-\(PrivateFolder.unguessableName())"
        let writer: BodyFileWriter
        do {
            writer = try BodyFileWriter(creating: temporary, isPrivate: false)
        } catch {
            // The name that the user knows.
            guard case .file(_, let number) = error.reason else { throw error }
            throw ApusError(.file(path: path, errno: number))
        }
        try forEachPiece(of: 1 << 18) { piece in
            try Task.checkCancellation()
            try writer.write(piece)
        }
        try writer.synchronize()
        _ = try writer.move(
            to: DownloadDestination(path: path, replacesExisting: replacesExisting)
        )
    }
}

/// Bodies in the spool folder, for the modules above this one.
package enum SpooledBody {
    /// A descriptor gave more than so many bytes.
    package struct TooLarge: Error {
        /// How many there may be.
        package let limit: Int
    }

    /// A new file that only its owner may read, with the bytes that `fill` hands out.
    ///
    /// - Throws: `ApusError` with the reason `.file`, and what `fill` throws.
    package static func file(
        _ fill: (_ write: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> BodyFile {
        let writer = try SpoolFolder.at(nil).makeFile()
        try fill { try writer.write($0) }
        return writer.temporaryFile()
    }

    /// A file of so many bytes that takes no room on the disk: in place of a body that is too large to be
    /// kept, of which a history takes the size.
    package static func hollow(count: Int) throws(ApusError) -> BodyFile {
        let writer = try SpoolFolder.at(nil).makeFile()
        try writer.extend(to: count)
        return writer.temporaryFile()
    }

    /// What is left of a descriptor, behind the bytes that were read of it before.
    ///
    /// - Throws: `TooLarge` above the limit; `ApusError` with the reason `.file`, in which the
    ///   descriptor has the name that is given.
    package static func reading(
        _ descriptor: Int32,
        named name: String,
        after start: [UInt8],
        limit: Int
    ) throws -> BodyFile {
        try file { write in
            try start.withUnsafeBytes { try write($0) }
            var count = start.count
            var piece = [UInt8](repeating: 0, count: 1 << 18)
            while true {
                let read = Glibc.read(descriptor, &piece, piece.count)
                if read < 0, errno == EINTR { continue }
                guard read >= 0 else { throw ApusError(.file(path: name, errno: errno)) }
                if read == 0 { return }
                count += read
                guard count <= limit else { throw TooLarge(limit: limit) }
                try piece.withUnsafeBytes { try write(.init(rebasing: $0[..<read])) }
            }
        }
    }
}
