import Apus
import Glibc

/// The program's exit statuses.
///
/// | status | meaning |
/// |---|---|
/// | 0 | success |
/// | 1 | no match, a difference, or a failed check (status, batch, chain, replay) |
/// | 2 | wrong usage, or input or a file that cannot be used |
/// | 20 | no connection, or a lost one |
/// | 21 | the host has no address |
/// | 22 | TLS failed |
/// | 23 | timeout |
/// | 24 | not in the cache |
/// | 130 | interrupted |
/// | 141 | the reader of the output was gone, as in `apus … | head` |
enum ExitStatus {
    /// A negative result: no match, a difference, a failed check.
    static let negative: Int32 = 1
    /// Wrong usage, or input that cannot be read.
    static let usage: Int32 = 2
    /// There was no connection, it ended too early, or the response was not HTTP.
    static let connection: Int32 = 20
    /// The host has no address.
    static let nameLookup: Int32 = 21
    /// The TLS handshake failed.
    static let tls: Int32 = 22
    /// The time limit was exceeded.
    static let timeout: Int32 = 23
    /// The cache has no response, and the server must not be asked.
    static let cacheMiss: Int32 = 24
    /// The user or the system ended the program.
    static let interrupted: Int32 = 130
    /// Nobody reads the output any more; what a shell says of a program that SIGPIPE ended.
    static let brokenPipe: Int32 = 141

    /// The exit status for an error.
    ///
    /// Each hundred of error codes is one stage of an exchange, so a new reason gets its status from its code.
    static func of(_ error: ApusError) -> Int32 {
        switch error.code / 100 {
        case 10, 13, 25: usage
        case 12: interrupted
        case 20: timeout
        case 21: nameLookup
        case 23: tls
        case 22, 24, 29: connection
        case 40: cacheMiss
        default: negative
        }
    }
}

/// Why a command could not do its work: wrong usage, or input or output that failed.
struct CommandError: Error, CustomStringConvertible {
    let description: String
    /// Whether the reader of the output was gone, which needs no words.
    private(set) var isBrokenPipe = false

    init(_ description: String) { self.description = description }

    /// The file or output called `name` could not be written; `code` is the `errno`.
    init(writing name: String, _ code: Int32) {
        self.init(
            code == EBADF
                ? "\(name) is closed" : "\(name) cannot be written: \(systemMessage(code))"
        )
        isBrokenPipe = code == EPIPE
    }
}

/// The system's message for an `errno`.
func systemMessage(_ code: Int32) -> String { String(cString: strerror(code)) }
