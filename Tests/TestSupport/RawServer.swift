import Glibc
import Synchronization

/// A server on loopback that says exactly what a test tells it to, right or wrong.
package final class RawServer: Sendable {
    /// A request as it came in.
    package struct Received: Sendable {
        package let line: String
        package let fields: [String]
        package let body: [UInt8]
        /// The header's bytes, for what is no UTF-8.
        package var rawHead: [UInt8] = []

        package var method: String { String(line.prefix { $0 != " " }) }
        package var path: String { String(line.split(separator: " ").dropFirst().first ?? "") }

        package func value(of name: String) -> String? {
            let prefix = name.lowercased() + ":"
            return fields.first { $0.lowercased().hasPrefix(prefix) }
                .map { String($0.dropFirst(prefix.count).drop { $0 == " " }) }
        }
    }

    /// What the server does for a response.
    package enum Step: Sendable {
        /// Sends this text.
        case send(String)
        /// Sends these bytes.
        case bytes([UInt8])
        /// Sends a byte many times, with a pause before each.
        case drip(Character, count: Int, milliseconds: Int32)
        /// Sends this text until the peer has enough.
        case endless(String)
        /// Waits until the peer goes away.
        case hang
        /// Ends the connection in order.
        case close
        /// Ends it with a TCP reset.
        case reset
    }

    package typealias Script = @Sendable (Received) -> [Step]

    /// The port; 0 for a Unix socket.
    package let port: UInt16
    private let listener: Int32
    /// The path of a Unix socket; nil for a port.
    package let path: String?
    /// Whether no thread accepts connections, so that the listener is closed here.
    private let isSilent: Bool
    private let log = RequestLog()

    package var received: [Received] { log.received }
    /// How many bytes it could send, over all connections: what peers and sockets have taken.
    package var sentCount: Int { log.sentCount }
    package var authority: String { "127.0.0.1:\(port)" }

    /// With `continues` it asks for a body that is only announced; else the script answers first,
    /// and the bytes of the body are taken from what comes then.
    package init(continues: Bool = true, _ script: @escaping Script) throws {
        (listener, port) = try Self.listen()
        (path, isSilent) = (nil, false)
        serve(script, continues: continues)
    }

    /// A server on a Unix socket, whose file goes with it.
    package init(unixPath path: String, _ script: @escaping Script) throws {
        (listener, port) = (try Self.listen(onPath: path), 0)
        (self.path, isSilent) = (path, false)
        serve(script, continues: true)
    }

    /// A server whose connections only the system accepts: it never says and never reads a word.
    package static func silent() throws -> RawServer { try RawServer(silent: ()) }

    private init(silent: Void) throws {
        (listener, port) = try Self.listen()
        (path, isSilent) = (nil, true)
    }

    private func serve(_ script: @escaping Script, continues: Bool) {
        Self.onThread { [listener, log] in
            Self.acceptAll(listener, log) { Connection($0, script, log, continues: continues) }
        }
    }

    /// The same steps for every request.
    package convenience init(_ steps: Step...) throws { try self.init { _ in steps } }

    /// The thread closes it: else its next `accept` could be on another server's
    /// listener, which got the same number.
    deinit {
        if isSilent { close(listener) } else { shutdown(listener, Int32(SHUT_RDWR)) }
        if let path { unlink(path) }
    }

    /// A port for a server to listen on.
    package static func freePort() throws -> UInt16 {
        let (socket, port) = try listen()
        close(socket)
        return port
    }

    /// The response of an ordinary server.
    package static func ok(_ body: String, fields: String = "") -> Step {
        .send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\(fields)\r\n\(body)")
    }

    package static func listen() throws -> (Int32, UInt16) {
        let (socket, port) = try bound()
        guard Glibc.listen(socket, 128) == 0 else { throw Failure(errno: errno) }
        return (socket, port)
    }

    private static func listen(onPath path: String) throws -> Int32 {
        let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let isBound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        guard isBound, Glibc.listen(socket, 8) == 0 else { throw Failure(errno: errno) }
        return socket
    }

    /// A socket that has a port and does not listen.
    ///
    /// No program that a test starts inherits it: it would keep closed connections open.
    package static func bound() throws -> (Int32, UInt16) {
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var yes: Int32 = 1
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, size) == 0 && getsockname(socket, $0, &size) == 0
            }
        }
        guard socket >= 0, isBound else { throw Failure(errno: errno) }
        return (socket, UInt16(bigEndian: address.sin_port))
    }

    /// The next connection; negative when the listener is closed.
    package static func accept(from listener: Int32) -> Int32 {
        let peer = Glibc.accept(listener, nil, nil)
        if peer >= 0 { _ = fcntl(peer, F_SETFD, FD_CLOEXEC) }
        return peer
    }

    package struct Failure: Error {
        package let errno: Int32
        package init(errno: Int32) { self.errno = errno }
    }

    private static func acceptAll(
        _ listener: Int32,
        _ log: RequestLog,
        _ connection: @escaping @Sendable (Int32) -> Connection
    ) {
        while true {
            let peer = RawServer.accept(from: listener)
            guard peer >= 0 else {
                close(listener)
                return
            }
            onThread { connection(peer).serve() }
        }
    }

    /// Runs something that blocks on a thread of its own.
    package static func onThread(_ body: @escaping @Sendable () -> Void) {
        let box = Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        guard pthread_create(&thread, nil, runWork, box.toOpaque()) == 0 else {
            return box.release()
        }
        pthread_detach(thread)
    }
}

/// The requests that came in; held by the server and by its threads.
private final class RequestLog: Sendable {
    private let requests = Mutex<[RawServer.Received]>([])
    private let sent = Atomic(0)

    var sentCount: Int { sent.load(ordering: .relaxed) }
    func noteSent(_ count: Int) { sent.wrappingAdd(count, ordering: .relaxed) }
    var received: [RawServer.Received] { requests.withLock { $0 } }
    func note(_ request: RawServer.Received) { requests.withLock { $0.append(request) } }
}

private final class Work {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

private func runWork(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
    return nil
}

/// One connection, served on a thread of its own.
private final class Connection {
    private let socket: Int32
    private let script: RawServer.Script
    private let log: RequestLog
    private var buffer: [UInt8] = []
    private var chunk = [UInt8](repeating: 0, count: 1 << 14)
    private let continues: Bool
    /// Bytes of an announced body that are still to come.
    private var owed = 0

    init(
        _ socket: Int32,
        _ script: @escaping RawServer.Script,
        _ log: RequestLog,
        continues: Bool
    ) {
        self.continues = continues
        self.socket = socket
        self.script = script
        self.log = log
    }

    func serve() {
        defer { close(socket) }
        while let request = readRequest() {
            log.note(request)
            for step in script(request) where !perform(step) { return }
        }
    }

    private func readRequest() -> RawServer.Received? {
        while buffer.count < owed {
            guard fill() else { return nil }
        }
        buffer.removeFirst(owed)
        owed = 0
        var end = headEnd(from: 0)
        while end == nil {
            let searched = buffer.count
            guard fill() else { return nil }
            end = headEnd(from: max(0, searched - 3))
        }
        guard let end else { return nil }
        let raw = Array(buffer[..<end])
        let lines = String(decoding: raw, as: UTF8.self).split(separator: "\r\n")
        buffer.removeFirst(end + 4)
        let fields = lines.dropFirst().map(String.init)
        let head = RawServer.Received(line: String(lines.first ?? ""), fields: fields, body: [])
        let count = head.value(of: "Content-Length").flatMap { Int($0) } ?? 0
        if head.value(of: "Expect") != nil {
            guard continues else {
                owed = count
                return head
            }
            _ = send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8))
        }
        while buffer.count < count {
            guard fill() else { return nil }
        }
        let body = Array(buffer.prefix(count))
        buffer.removeFirst(count)
        return .init(line: head.line, fields: fields, body: body, rawHead: raw)
    }

    private func headEnd(from start: Int) -> Int? {
        buffer[start...].firstRange(of: Array("\r\n\r\n".utf8))?.lowerBound
    }

    private func fill() -> Bool {
        let count = recv(socket, &chunk, chunk.count, 0)
        guard count > 0 else { return false }
        buffer += chunk[..<count]
        return true
    }

    private func send(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            log.noteSent(count)
            sent += count
        }
        return true
    }

    private func perform(_ step: RawServer.Step) -> Bool {
        switch step {
        case .send(let text): return send(Array(text.utf8))
        case .bytes(let bytes): return send(bytes)
        case .drip(let character, let count, let milliseconds):
            for _ in 0..<count {
                // The peer's going away ends the pause.
                var peer = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
                guard poll(&peer, 1, milliseconds) == 0 else { return false }
                guard send(Array(String(character).utf8)) else { return false }
            }
            return true
        case .endless(let text):
            let bytes = Array(text.utf8)
            while send(bytes) {}
            return false
        case .hang:
            while fill() {}
            return false
        case .close: return false
        case .reset:
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(
                socket,
                SOL_SOCKET,
                SO_LINGER,
                &option,
                socklen_t(MemoryLayout<linger>.size)
            )
            return false
        }
    }
}

/// A port of this machine that refuses connections, and that nobody else gets until it is let go.
package struct ClosedPort {
    package let number: UInt16
    private let socket: Int32

    package init() throws { (socket, number) = try RawServer.bound() }

    package var base: String { "http://127.0.0.1:\(number)" }

    package func letGo() { close(socket) }
}
