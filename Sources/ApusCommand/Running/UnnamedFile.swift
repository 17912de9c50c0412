import Apus
import FoundationEssentials
import Glibc
import Terminal

/// A temporary file without a name, in which output waits until it is whole or what stands before it is known.
///
/// It is gone with the value, and with the process.
final class UnnamedFile {
    private let descriptor: Int32

    init() throws(CommandError) {
        var name = Array("\(FileManager.default.temporaryDirectory.path)/apus-XXXXXX".utf8CString)
        descriptor = mkstemp(&name)
        guard descriptor >= 0 else {
            throw CommandError("cannot create a temporary file: \(systemMessage(errno))")
        }
        unlink(name)
    }

    deinit { close(descriptor) }

    /// Appends the bytes.
    func write(_ bytes: [UInt8]) throws(CommandError) {
        let code = bytes.withUnsafeBytes { DescriptorWrite.all($0, to: descriptor) }
        guard code == 0 else { throw CommandError(writing: "a temporary file", code) }
    }

    /// Copies everything that was written.
    func copy(to output: inout StandardOutput) throws {
        lseek(descriptor, 0, SEEK_SET)
        try FileCopy.copy(descriptor, named: "a temporary file", to: &output)
    }
}
