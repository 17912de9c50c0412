import Glibc

/// A port of this machine that refuses connections, and that nobody else gets until it is let go.
struct ClosedPort {
    let number: UInt16
    private let socket: Int32

    init() throws { (socket, number) = try RawServer.bound() }

    var base: String { "http://127.0.0.1:\(number)" }

    func letGo() { close(socket) }
}
