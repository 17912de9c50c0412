import Glibc

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
