import Glibc

/// Why a command could not do its work: wrong usage, or input or output that failed.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// A file, or an output of this name, could not be written.
    init(writing name: String, _ code: Int32) {
        self.init(
            code == EBADF
                ? "\(name) is closed" : "\(name) cannot be written: \(systemMessage(code))"
        )
    }
}

/// The system's words for an error number.
func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }
