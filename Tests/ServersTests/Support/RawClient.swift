import Dispatch
import Glibc

/// A connection that says exactly what a test tells it to; its waits hold none of Swift's threads.
final class RawClient: @unchecked Sendable {
    // @unchecked because `received` is only used on the queue.
    private let socket: Int32
    private let queue = DispatchQueue(label: "raw client")
    private var received: [UInt8] = []
    private var isOpen = true

    struct Failure: Error {
        let call: String
        let errno: Int32
    }

    /// With a small buffer the system holds little of what the server sends; the own address is one of this
    /// machine's.
    init(port: Int, receiveBuffer: Int32? = nil, from own: String? = nil) throws {
        socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        // A server that never answers fails the test instead of hanging it.
        var limit = timeval(tv_sec: 240, tv_usec: 0)
        setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        if var receiveBuffer {
            setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, 4)
        }
        if let own { try Self.call(bind, "bind", socket, own, port: 0) }
        try Self.call(connect, "connect", socket, "127.0.0.1", port: port)
    }

    private static func call(
        _ function: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32,
        _ name: String,
        _ socket: Int32,
        _ host: String,
        port: Int
    ) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                function(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(call: name, errno: errno) }
    }

    deinit { if isOpen { Glibc.close(socket) } }

    private func run<T: Sendable>(_ work: @escaping @Sendable () throws -> T) async throws -> T {
        try await withCheckedThrowingContinuation { caller in
            queue.async { caller.resume(with: Result { try work() }) }
        }
    }

    func send(_ text: String) async throws { try await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async throws {
        try await run { [socket] in
            var sent = 0
            while sent < bytes.count {
                let count = bytes[sent...].withUnsafeBytes {
                    Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard count > 0 else { throw Failure(call: "send", errno: errno) }
                sent += count
            }
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

    /// All up to the end of a text, which it must have.
    func text(through end: String) async throws -> String {
        try await run { [self] in
            while true {
                if let range = received.firstRange(of: Array(end.utf8)) {
                    defer { received.removeFirst(range.upperBound) }
                    return String(decoding: received[..<range.upperBound], as: UTF8.self)
                }
                guard try receive() else {
                    throw Failure(call: String(decoding: received, as: UTF8.self), errno: 0)
                }
            }
        }
    }

    /// The next head, with its empty line.
    func head() async throws -> String { try await text(through: "\r\n\r\n") }

    /// So many bytes, or fewer where the connection ends.
    func bytes(_ count: Int) async throws -> [UInt8] {
        try await run { [self] in
            while received.count < count, try receive() {}
            defer { received.removeFirst(min(count, received.count)) }
            return Array(received.prefix(count))
        }
    }

    /// All up to the end of the connection.
    ///
    /// - Throws: `Failure` if it is reset.
    func rest() async throws -> String {
        try await run { [self] in
            while try receive() {}
            defer { received = [] }
            return String(decoding: received, as: UTF8.self)
        }
    }

    /// Reads so many bytes, and keeps none.
    func skip(_ count: Int) async throws -> Int {
        try await run { [self] in
            var left = count - received.count
            received = []
            while left > 0, try receive() {
                left -= received.count
                received = []
            }
            return count - left
        }
    }

    /// Says that it will send no more.
    func endInput() { shutdown(socket, Int32(SHUT_WR)) }

    /// Ends the connection, with a reset if that is wanted.
    func close(reset: Bool = false) {
        if reset {
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
        shutdown(socket, Int32(SHUT_RDWR))
        Glibc.close(socket)
        isOpen = false
    }
}
