import Glibc

/// Collects a body: in memory up to a limit, then in a file; or in the file
/// that was asked for.
struct BodyCollector {
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

    /// Makes room for a body whose length was announced; what is longer grows as it comes.
    mutating func expect(_ count: Int) {
        guard file == nil, count <= memoryLimit else { return }
        bytes.reserveCapacity(min(count, Self.largestReservation))
    }

    /// Takes a chunk; after an error, what came before it is still there.
    mutating func append(_ chunk: UnsafeRawBufferPointer) throws(ApusError) {
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

    /// The body, whole.
    func finish() throws(ApusError) -> ResponseBody {
        guard let file, let destination else { return partial() }
        return .file(try file.move(to: destination))
    }

    /// What there is of it.
    func partial() -> ResponseBody { file.map { .file($0.temporaryFile()) } ?? .bytes(bytes) }
}
