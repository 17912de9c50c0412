import Glibc

/// Collects a body: in memory up to a limit, then in a file; or in the file
/// that was asked for.
struct BodyCollector {
    private enum Place {
        case memory([UInt8])
        case spool(BodyFileWriter)
        case download(BodyFileWriter, DownloadDestination)
    }

    private let memoryLimit: Int
    private let spool: SpoolFolder
    private var place = Place.memory([])

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
        let temporary = "\(destination.path).apus-\(UInt32.random(in: 0 ... .max))"
        let file = try BodyFileWriter(creating: temporary, mode: 0o666)
        place = .download(file, destination)
    }

    /// Makes room for a body whose length was announced.
    mutating func expect(_ count: Int) {
        guard case .memory(var bytes) = place, count <= memoryLimit else { return }
        place = .memory([])
        bytes.reserveCapacity(count)
        place = .memory(bytes)
    }

    /// Takes a chunk; after an error, what came before it is still there.
    mutating func append(_ chunk: UnsafeRawBufferPointer) throws(ApusError) {
        switch place {
        case .memory(var bytes):
            guard bytes.count + chunk.count <= memoryLimit else {
                return try spill(bytes, chunk)
            }
            // Emptied first, so that the append finds the array unshared.
            place = .memory([])
            bytes.append(contentsOf: chunk)
            place = .memory(bytes)
        case .spool(let file), .download(let file, _):
            try file.write(chunk)
        }
    }

    private mutating func spill(_ bytes: [UInt8], _ chunk: UnsafeRawBufferPointer) throws(ApusError)
    {
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
        place = .spool(file)
        try file.write(chunk)
    }

    /// The body, whole.
    func finish() throws(ApusError) -> ResponseBody {
        guard case .download(let file, let destination) = place else { return partial() }
        return .file(try file.move(to: destination))
    }

    /// What there is of it.
    func partial() -> ResponseBody {
        switch place {
        case .memory(let bytes): .bytes(bytes)
        case .spool(let file), .download(let file, _): .file(file.temporaryFile())
        }
    }
}
