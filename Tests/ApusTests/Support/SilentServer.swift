import Glibc
import TestSupport

/// A port that takes connections (the kernel does) and never says a word.
final class SilentServer: Sendable {
    let port: UInt16
    private let listener: Int32
    var authority: String { "127.0.0.1:\(port)" }

    init() throws { (listener, port) = try RawServer.listen() }

    deinit { close(listener) }
}
