import Dispatch
import Glibc

/// A blocking connection to a port of this machine that says exactly what a test tells it to.
package final class RawConnection {
    private let socket: Int32
    private var received: [UInt8] = []
    private var isOpen = true

    /// What the system refused.
    package struct Failure: Error {
        package let call: String
        package let errno: Int32
    }

    /// The connection ended where more must come; what had come.
    package struct Closed: Error {
        package let received: String
    }

    /// With a small buffer the system holds little of what the server sends; the own address is one of this
    /// machine's.
    package init(
        port: some BinaryInteger,
        receiveBuffer: Int32? = nil,
        from own: String? = nil
    ) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        // A server that never answers fails the test instead of hanging it. Tests that wait for a program
        // take Swift's few threads from the server: on a busy machine for more than a minute.
        var limit = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if var receiveBuffer {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4)
        }
        if let own { try Self.call(bind, "bind", socket, own, port: 0) }
        try Self.call(connect, "connect", socket, "127.0.0.1", port: UInt16(port))
    }

    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32,
        _ name: String,
        _ socket: Int32,
        _ host: String,
        port: UInt16
    ) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(call: name, errno: errno) }
    }

    deinit { if isOpen { Glibc.close(socket) } }

    package func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { throw Failure(call: "send", errno: errno) }
            sent += count
        }
    }

    /// False at the end of the connection.
    private func receive() throws -> Bool {
        var room = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(socket, &room, room.count, 0)
        guard count >= 0 else { throw Failure(call: "recv", errno: errno) }
        received += room[..<count]
        return count > 0
    }

    /// False at the end of the connection, and where it is reset.
    private func receiveUnlessReset() throws -> Bool {
        do {
            return try receive()
        } catch let failure as Failure where failure.errno == ECONNRESET {
            return false
        }
    }

    /// All up to the end of a text, which it must have.
    package func text(through end: String) throws -> String {
        while true {
            if let range = received.firstRange(of: Array(end.utf8)) {
                defer { received.removeFirst(range.upperBound) }
                return String(decoding: received[..<range.upperBound], as: UTF8.self)
            }
            guard try receiveUnlessReset() else {
                throw Closed(received: String(decoding: received, as: UTF8.self))
            }
        }
    }

    /// The next line without its end.
    @discardableResult package func line() throws -> String {
        String(try text(through: "\n").filter { $0 != "\r" && $0 != "\n" && $0 != "\r\n" })
    }

    /// So many bytes, or fewer where the connection ends or is reset.
    package func bytes(_ count: Int) throws -> [UInt8] {
        while received.count < count, try receiveUnlessReset() {}
        defer { received.removeFirst(min(count, received.count)) }
        return Array(received.prefix(count))
    }

    /// All up to the end of the connection.
    ///
    /// - Throws: `Failure` if it is reset.
    package func rest() throws -> String {
        while try receive() {}
        defer { received = [] }
        return String(decoding: received, as: UTF8.self)
    }

    /// Reads so many bytes, and keeps none.
    package func skip(_ count: Int) throws -> Int {
        var left = count - received.count
        received = []
        while left > 0, try receive() {
            left -= received.count
            received = []
        }
        return count - left
    }

    /// Whether the server has closed the connection, and nothing is left to read.
    package func isAtEnd() throws -> Bool {
        try received.isEmpty && !receiveUnlessReset()
    }

    /// Says that it will send no more.
    package func endInput() { shutdown(socket, Int32(SHUT_WR)) }

    /// Ends the connection, with a reset if that is wanted.
    package func close(reset: Bool = false) {
        if reset {
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
        shutdown(socket, Int32(SHUT_RDWR))
        Glibc.close(socket)
        isOpen = false
    }
}

/// A connection for asynchronous tests: its waits hold none of Swift's threads.
package final class RawClient: @unchecked Sendable {
    // @unchecked because what the connection has received is only used on the queue.
    private let connection: RawConnection
    private let queue = DispatchQueue(label: "raw client")

    /// Connects; the parameters are those of a `RawConnection`.
    package init(
        port: some BinaryInteger,
        receiveBuffer: Int32? = nil,
        from own: String? = nil
    ) throws {
        connection = try RawConnection(port: port, receiveBuffer: receiveBuffer, from: own)
    }

    private func run<T: Sendable>(
        _ work: @escaping @Sendable (RawConnection) throws -> T
    ) async throws -> T {
        try await withCheckedThrowingContinuation { caller in
            queue.async { [self] in caller.resume(with: Result { try work(connection) }) }
        }
    }

    package func send(_ text: String) async throws { try await send(Array(text.utf8)) }
    package func send(_ bytes: [UInt8]) async throws { try await run { try $0.send(bytes) } }

    /// All up to the end of a text, which it must have.
    package func text(through end: String) async throws -> String {
        try await run { try $0.text(through: end) }
    }

    /// The next head, with its empty line.
    package func head() async throws -> String { try await text(through: "\r\n\r\n") }

    /// So many bytes, or fewer where the connection ends or is reset.
    package func bytes(_ count: Int) async throws -> [UInt8] {
        try await run { try $0.bytes(count) }
    }

    /// All up to the end of the connection.
    ///
    /// - Throws: `RawConnection.Failure` if it is reset.
    package func rest() async throws -> String { try await run { try $0.rest() } }

    /// Reads so many bytes, and keeps none.
    package func skip(_ count: Int) async throws -> Int { try await run { try $0.skip(count) } }

    /// Says that it will send no more.
    package func endInput() { connection.endInput() }

    /// Ends the connection, with a reset if that is wanted.
    package func close(reset: Bool = false) { connection.close(reset: reset) }
}
