import Apus
import Documents
import FoundationEssentials
import Glibc

/// The file that keeps what is done of a chain; only its owner may read it.
struct ChainStateFile: Sendable {
    let path: String

    /// What the file says; nil if there is none yet.
    ///
    /// - Parameter step: A step that is to be sent again.
    /// - Returns: The state.
    /// - Throws: `CommandFailure` if the file cannot be read, or is none of ours.
    func read(forgetting step: String?) throws -> ChainState? {
        guard access(path, F_OK) == 0 else { return nil }
        do {
            var state = try DocumentDecoder().decode(
                ChainState.self,
                from: try FileBytes.read(path)
            )
            if let step { state.forget(step) }
            return state
        } catch {
            throw CommandFailure("\(path): this is no state of a chain")
        }
    }

    /// Puts a state in the place of what the file has.
    func write(_ state: ChainState) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let bytes = Array(try encoder.encode(state)) + [0x0A]
        let draft = "\(path).\(getpid())"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandFailure("\(path): \(systemMessage(errno))") }
        defer { unlink(draft) }
        var output = StandardOutput(descriptor: descriptor, name: path)
        try output.write(bytes)
        try output.flush()
        guard fsync(descriptor) == 0, close(descriptor) == 0, rename(draft, path) == 0 else {
            throw CommandFailure("\(path): \(systemMessage(errno))")
        }
    }
}
