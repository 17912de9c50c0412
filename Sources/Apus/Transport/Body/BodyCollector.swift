import Glibc

/// Collects a body in memory up to a limit and then in a file, or in the file of a download.
package struct BodyCollector {
    /// The most bytes reserved for an announced length, which the server may have made up.
    private static let largestReservation = 1 << 20

    private let memoryLimit: Int
    private let spool: SpoolFolder
    /// The body's bytes until there is a file.
    private var bytes: [UInt8] = []
    private var file: BodyFileWriter?
    /// Where the file goes when it is complete; nil if the file only holds what exceeds the memory limit.
    private var destination: DownloadDestination?

    init(memoryLimit: Int, spool: SpoolFolder) {
        self.memoryLimit = memoryLimit
        self.spool = spool
    }

    /// Spools a body that exceeds the memory limit to the user's spool folder.
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
        // In the same folder, so that it can be renamed, and with the permissions that the final file will have.
        let temporary = "\(destination.path).apus-\(PrivateFolder.unguessableName())"
        file = try BodyFileWriter(creating: temporary, isPrivate: false)
        self.destination = destination
    }

    /// Drops the download's file; the body is collected as if there were no destination.
    mutating func leaveDestination() {
        file = nil
        destination = nil
    }

    /// Reserves memory for a body of an announced length; a longer body still fits.
    mutating func expect(_ count: Int) {
        guard file == nil, count <= memoryLimit else { return }
        bytes.reserveCapacity(min(count, Self.largestReservation))
    }

    /// Appends a chunk; after an error, the bytes appended before are still there.
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
        // If the disk is full, the bytes stay in memory.
        if let failure { throw failure }
        self.file = file
        bytes = []
        try file.write(chunk)
    }

    /// The body collected so far; it must be read only once.
    package var body: ResponseBody { file.map { .file($0.temporaryFile()) } ?? .bytes(bytes) }

    /// Moves the body of a response to the download's destination.
    ///
    /// - Returns: nil if there is no destination, or its validation rejects the response.
    func place(_ response: Response) throws(ApusError) -> ResponseBody? {
        guard let file, let destination, destination.validation.accepts(response) else {
            return nil
        }
        return .file(try file.move(to: destination))
    }
}

/// A new file for a body.
///
/// The file is removed unless `temporaryFile` or `move` has handed it on.
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

    /// Writes the bytes; on an error, those that fitted are in the file.
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

    /// Extends the file to `count` bytes; the new part is zeros that take no space on disk.
    func extend(to count: Int) throws(ApusError) {
        guard ftruncate(descriptor, count) == 0 else {
            throw ApusError(.file(path: path, errno: errno))
        }
        self.count = count
    }

    /// Flushes the bytes to disk, so that they are there before the file gets its name.
    func synchronize() throws(ApusError) {
        guard fsync(descriptor) == 0 else { throw ApusError(.file(path: path, errno: errno)) }
    }

    /// Hands on the file; it is removed when nothing refers to it any more.
    func temporaryFile() -> BodyFile {
        isHandedOn = true
        return BodyFile(path: path, count: count, ownership: .temporary)
    }

    /// Moves the file to its destination in one step.
    func move(to destination: DownloadDestination) throws(ApusError) -> BodyFile {
        let moved =
            destination.replacesExisting
            ? rename(path, destination.path) : renameKeeping(destination.path)
        guard moved == 0 else { throw ApusError(.file(path: destination.path, errno: errno)) }
        isHandedOn = true
        return BodyFile(path: destination.path, count: count, ownership: .borrowed)
    }

    /// Gives the file a new name without replacing another file.
    ///
    /// A hard link fails if the name is taken, so there is no race. On a file system without hard links,
    /// the name is checked and the file renamed.
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
    /// Writes the body to a file of the user's, completely or not at all: first to a temporary file beside it.
    ///
    /// - Parameters:
    ///   - path: The file's path.
    ///   - replacesExisting: Whether an existing file may be replaced; if not, it is an error with the
    ///     number `EEXIST`.
    /// - Throws: `ApusError` with the reason `.file`; `CancellationError`, after which no file is left.
    package func save(to path: String, replacesExisting: Bool) throws {
        if !replacesExisting, access(path, F_OK) == 0 {
            throw ApusError(.file(path: path, errno: EEXIST))
        }
        let temporary = "\(path).apus-\(PrivateFolder.unguessableName())"
        let writer: BodyFileWriter
        do {
            writer = try BodyFileWriter(creating: temporary, isPrivate: false)
        } catch {
            // Report the name that the user knows.
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

/// Makes bodies in the spool folder, for the modules above this one.
package enum SpoolFile {
    /// A descriptor had more bytes than allowed.
    package struct TooLarge: Error {
        /// The most bytes allowed.
        package let limit: Int
    }

    /// Makes a file that only its owner may read, with the bytes that `fill` writes.
    ///
    /// - Throws: `ApusError` with the reason `.file`, and whatever `fill` throws.
    package static func file(
        _ fill: (_ write: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> BodyFile {
        let writer = try SpoolFolder.at(nil).makeFile()
        try fill { try writer.write($0) }
        return writer.temporaryFile()
    }

    /// Makes a file of `count` zeros that takes no space on disk.
    ///
    /// It stands in for a body that is too large to keep when a history needs only the size.
    package static func hollow(count: Int) throws(ApusError) -> BodyFile {
        let writer = try SpoolFolder.at(nil).makeFile()
        try writer.extend(to: count)
        return writer.temporaryFile()
    }

    /// Makes a file from bytes that were already read from a descriptor and the rest of the descriptor.
    ///
    /// - Throws: `TooLarge` if there are more than `limit` bytes; `ApusError` with the reason `.file`,
    ///   which calls the descriptor `name`.
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
