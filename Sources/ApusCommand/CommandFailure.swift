import Glibc

/// Why a command could not do its work: wrong usage, or input or output that failed.
struct CommandFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// The system's words for an error number.
func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }
