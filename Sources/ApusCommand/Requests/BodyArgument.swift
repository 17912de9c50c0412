import Apus
import ArgumentParser
import Glibc

/// Bytes as one names them on the command line: the text itself, `@FILE`, or `-` for standard
/// input.
enum BodyArgument {
    /// The bytes, just as they are.
    static func bytes(_ argument: String) throws -> [UInt8] {
        if argument == "-" || argument == "@-" { return try read("/dev/stdin", "standard input") }
        guard argument.first == "@" else { return Array(argument.utf8) }
        let path = String(argument.dropFirst())
        return try read(path, path)
    }

    private static func read(_ path: String, _ name: String) throws -> [UInt8] {
        do throws(ApusError) {
            return try FileBytes.read(path)
        } catch {
            guard case .file(_, let code) = error.reason else { throw error }
            throw CommandFailure("\(name): \(systemMessage(code))")
        }
    }
}
