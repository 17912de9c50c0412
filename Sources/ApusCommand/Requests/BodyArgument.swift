import Apus
import ArgumentParser
import Glibc

/// A body, or a piece of one, as one names it on the command line: the text itself, `@FILE`, or `-`
/// for standard input.
///
/// A file is sent from where it is, whatever its size. What comes from a pipe or a device, whose
/// length nobody knows before its end, is held in memory, or on disk if it is long.
enum BodyArgument {
    /// These bytes.
    case bytes([UInt8])
    /// The bytes of the file at this path.
    case file(path: String)

    /// As much is held in memory.
    private static let memoryLimit = 1 << 20
    /// As much is held at all: a device may have no end, and a pipe's writer may know none.
    private static let pipeLimit = 4 << 30
    private static let deviceLimit = 64 << 20
    /// As much may be joined with other pieces, for that needs memory.
    private static let joiningLimit = 64 << 20

    /// Opens what an argument names.
    init(_ argument: String) throws {
        if argument == "-" || argument == "@-" {
            self = try Self.contents(of: STDIN_FILENO, "standard input", path: nil)
        } else if argument.first == "@" {
            try self.init(file: String(argument.dropFirst()))
        } else {
            self = .bytes(Array(argument.utf8))
        }
    }

    /// Opens a file, a pipe or a device.
    init(file path: String) throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandFailure("\(path): \(systemMessage(errno))") }
        defer { close(descriptor) }
        self = try Self.contents(of: descriptor, path, path: path)
    }

    /// The task that sends it alone.
    func task(type: String) -> RequestTask {
        switch self {
        case .bytes(let bytes): .data(bytes, type: type)
        case .file(let path): .uploadFile(path: path, type: type)
        }
    }

    /// The bytes of several, with a sign between them.
    static func joined(_ pieces: [BodyArgument], by sign: UInt8) throws -> [UInt8] {
        var joined: [UInt8] = []
        for (index, piece) in pieces.enumerated() {
            if index > 0 { joined.append(sign) }
            switch piece {
            case .bytes(let bytes): joined += bytes
            case .file(let path):
                var status = stat()
                guard stat(path, &status) == 0, status.st_size <= joiningLimit else {
                    throw CommandFailure(
                        "\(path): it has more than \(joiningLimit >> 20) MiB, too much to be joined "
                            + "with other data; a file that is the whole body has no limit"
                    )
                }
                joined += try FileBytes.read(path)
            }
        }
        return joined
    }

    /// What a descriptor gives; `path` is what it can be opened by again, if it has such a name.
    private static func contents(
        of descriptor: Int32,
        _ name: String,
        path: String?
    ) throws -> BodyArgument {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw CommandFailure("\(name): \(systemMessage(errno))")
        }
        let kind = status.st_mode & S_IFMT
        // One that has been read from already, and /proc, whose files have no size, are as pipes.
        if kind == S_IFREG, status.st_size > 0, lseek(descriptor, 0, SEEK_CUR) == 0 {
            return .file(path: path ?? "/proc/self/fd/\(descriptor)")
        }
        var start: [UInt8] = []
        while start.count <= memoryLimit {
            var piece = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(descriptor, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw CommandFailure("\(name): \(systemMessage(errno))") }
            if count == 0 { return .bytes(start) }
            start += piece[..<count]
        }
        let isDevice = kind == S_IFCHR || kind == S_IFBLK
        let limit = isDevice ? deviceLimit : pipeLimit
        do {
            let file = try SpooledBody.reading(descriptor, named: name, after: start, limit: limit)
            return .file(path: try withoutName(file))
        } catch is SpooledBody.TooLarge {
            throw CommandFailure(
                "\(name): it gives more than \(limit >> 20) MiB; put it into a file and name that"
            )
        }
    }

    /// A path to a file that goes away with the process, however that ends.
    private static func withoutName(_ file: BodyFile) throws -> String {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw CommandFailure("\(file.path): \(systemMessage(errno))")
        }
        // The name goes with the last reference to `file`.
        return "/proc/self/fd/\(descriptor)"
    }
}
