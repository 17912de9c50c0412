import Glibc
import Synchronization
import TestSupport

/// A server of HTTP/2 in clear text that answers every request with the frames
/// that a test gives it, right or wrong (RFC 9113).
final class HTTP2Server: Sendable {
    /// What is done when a request's header has come.
    enum Step: Sendable {
        /// `:status: 200` and nothing else.
        case header
        /// A piece of the body; `isLast` ends the stream.
        case data(String, isLast: Bool = false)
        /// Ends the stream with an error.
        case reset(UInt32)
        /// Ends the connection, after the streams up to `last`.
        case goAway(last: UInt32, error: UInt32 = 0)
        /// A frame that breaks the rules: data on a stream that nobody opened.
        case nonsense
        /// Sends frames of one type that are no part of a response until the peer has enough.
        case flood(type: UInt8, isOnStream: Bool = false, [UInt8] = [])
        /// Closes the connection.
        case close
    }

    let port: UInt16
    private let listener: Int32
    private let connections = Mutex(0)
    private let bodyBytes = Mutex(0)
    private let floodPieces = Mutex(0)
    var authority: String { "127.0.0.1:\(port)" }
    /// How many connections there were.
    var connectionCount: Int { connections.withLock { $0 } }

    /// How many pieces of floods, of 64 KiB, were sent.
    var floodCount: Int { floodPieces.withLock { $0 } }

    /// How many bytes of bodies came in.
    var bodyCount: Int { bodyBytes.withLock { $0 } }

    init(_ steps: [Step]) throws {
        (listener, port) = try RawServer.listen()
        RawServer.onThread { [listener, weak self] in
            while true {
                let peer = RawServer.accept(from: listener)
                guard peer >= 0 else {
                    close(listener)
                    return
                }
                self?.connections.withLock { $0 += 1 }
                RawServer.onThread { [weak self] in
                    HTTP2Peer(
                        peer,
                        counting: { count in self?.bodyBytes.withLock { $0 += count } },
                        flooding: { self?.floodPieces.withLock { $0 += 1 } }
                    ).serve(steps)
                }
            }
        }
    }

    deinit {
        // The thread closes it, when no `accept` can follow any more.
        shutdown(listener, Int32(SHUT_RDWR))
    }
}

/// One connection, on a thread of its own.
private final class HTTP2Peer {
    private let socket: Int32

    private let count: (Int) -> Void
    private let noteFlood: () -> Void

    init(
        _ socket: Int32,
        counting count: @escaping (Int) -> Void,
        flooding noteFlood: @escaping () -> Void
    ) {
        self.socket = socket
        self.count = count
        self.noteFlood = noteFlood
    }

    func serve(_ steps: [HTTP2Server.Step]) {
        defer { close(socket) }
        // The client's preface, then our settings.
        guard receive(24) != nil, send(type: 4, stream: 0, []) else { return }
        while let head = receive(9) {
            let size = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            guard size == 0 || receive(size) != nil else { return }
            let stream = head[5...].reduce(0) { $0 << 8 | UInt32($1) }
            if head[3] == 4, head[4] & 1 == 0, !send(type: 4, flags: 1, stream: 0, []) { return }
            if head[3] == 0, size > 0 {
                count(size)
                let room = Self.bytes(UInt32(size))
                guard send(type: 8, stream: 0, room), send(type: 8, stream: stream, room) else {
                    return
                }
            }
            // The end of the request: a header or data with END_STREAM.
            guard head[3] <= 1, head[4] & 1 == 1 else { continue }
            for step in steps where !perform(step, stream) { return }
        }
    }

    private func perform(_ step: HTTP2Server.Step, _ stream: UInt32) -> Bool {
        switch step {
        // 0x88 is ":status: 200" in HPACK's static table.
        case .header: send(type: 1, flags: 4, stream: stream, [0x88])
        case .data(let text, let isLast):
            send(type: 0, flags: isLast ? 1 : 0, stream: stream, Array(text.utf8))
        case .reset(let error): send(type: 3, stream: stream, Self.bytes(error))
        case .goAway(let last, let error):
            send(type: 7, stream: 0, Self.bytes(last) + Self.bytes(error))
        case .flood(let type, let isOnStream, let payload):
            flood(Self.frame(type: type, stream: isOnStream ? stream : 0, payload))
        case .nonsense: send(type: 0, stream: 77, [1, 2, 3])
        case .close: end()
        }
    }

    /// Ends in order: a socket that is closed with bytes unread is reset, and the client may
    /// lose what it has not read yet.
    private func end() -> Bool {
        shutdown(socket, Int32(SHUT_WR))
        while receive(1) != nil {}
        return false
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// Ends when the peer ends the connection.
    private func flood(_ frame: [UInt8]) -> Bool {
        let piece = Array(repeatElement(frame, count: (64 << 10) / frame.count).joined())
        while send(piece) { noteFlood() }
        return false
    }

    private static func frame(
        type: UInt8,
        flags: UInt8 = 0,
        stream: UInt32,
        _ payload: [UInt8]
    ) -> [UInt8] {
        bytes(UInt32(payload.count)).dropFirst() + [type, flags] + bytes(stream) + payload
    }

    private func send(type: UInt8, flags: UInt8 = 0, stream: UInt32, _ payload: [UInt8]) -> Bool {
        send(Self.frame(type: type, flags: flags, stream: stream, payload))
    }

    private func send(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes {
            Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) == $0.count
        }
    }

    private func receive(_ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var got = 0
        while got < count {
            let more = bytes.withUnsafeMutableBytes {
                recv(socket, $0.baseAddress.map { $0 + got }, count - got, 0)
            }
            guard more > 0 else { return nil }
            got += more
        }
        return bytes
    }
}
