import Documents
import Glibc
package import HTTPTypes
import NIOCore
import NIOPosix

/// An HTTP/1.1 server that does not change requests: fields keep their order, case, bytes and repeats, and
/// bodies are streamed.
///
/// ```
/// SwiftNIO: sockets, back-pressure ─▶ RequestReader ─▶ handler ─▶ ResponseWriter ─▶ SwiftNIO
/// ```
/// It does not use NIOHTTP1, which decodes fields as text and so changes bytes that are not UTF-8, and which
/// accepts folded lines.
package struct HTTPServer: Sendable {
    /// Answers a request.
    ///
    /// If it returns before the response is complete, or throws, the connection is cut. But an ``HTTPError``
    /// thrown before the response has begun is sent as the response.
    package typealias Handler = @Sendable (IncomingRequest, ResponseWriter) async throws -> Void

    /// Limits for clients.
    package struct Limits: Sendable {
        /// How long a head may take, from the start of the connection or the last response.
        package var head = Duration.seconds(60)
        /// How long a client may pause within a body that the server is waiting for.
        package var body = Duration.seconds(60)
        /// How long a client may continue to send after a response that did not wait for its body.
        package var lingering = Duration.seconds(2)
        /// How long a client that has closed its side may wait for the next piece of its response, since most
        /// such clients are gone.
        package var halfClosed = Duration.seconds(5)
        /// How many connections are served at once; others wait until one ends.
        package var connections = 1_000
        /// How long a client may keep the server waiting for a head or a body while others wait for a
        /// connection.
        package var patience = Duration.seconds(1)

        /// Makes the default limits.
        package init() {}
    }

    /// Where a server listens.
    package struct Address: Sendable {
        /// The host as given by the caller.
        package let host: String
        /// The IP address that the server is bound to.
        package let ipAddress: String
        /// The TCP port that the server is bound to.
        package let port: Int

        /// `http://127.0.0.1:8080`, without a slash at the end.
        package var url: String {
            let isIPv6 = host.utf8.contains(UInt8(ascii: ":"))
            return "http://\(isIPv6 ? "[\(host)]" : host):\(port)"
        }
    }

    private let host: String
    private let port: Int
    private let limits: Limits
    private let handle: Handler

    /// Makes a server for an address, where port 0 stands for any free port.
    package init(
        host: String = "127.0.0.1",
        port: Int,
        limits: Limits = Limits(),
        handle: @escaping Handler
    ) {
        self.host = host
        self.port = port
        self.limits = limits
        self.handle = handle
    }

    /// Serves until the task is cancelled, and calls `listening` once connections are accepted.
    ///
    /// - Throws: `ServerError` if it cannot listen, and what `listening` throws.
    package func run(_ listening: (Address) async throws -> Void) async throws {
        let server: NIOAsyncChannel<HTTPConnection.Socket, Never>
        do {
            server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                .serverChannelOption(.backlog, value: 1024)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                .serverChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(AcceptFailures())
                    }
                }
                .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .childChannelOption(.allowRemoteHalfClosure, value: true)
                .bind(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        let timer = ConnectionTimer(channel, limits)
                        try channel.pipeline.syncOperations.addHandler(timer)
                        let channel = try NIOAsyncChannel<ByteBuffer, ByteBuffer>(
                            wrappingChannelSynchronously: channel
                        )
                        return HTTPConnection.Socket(channel, timer)
                    }
                }
        } catch let error as IOError {
            throw ServerError(
                description:
                    "cannot listen on \(host):\(port): \(String(cString: strerror(error.errnoCode)))",
                errorNumber: error.errnoCode
            )
        } catch {
            throw ServerError(description: "cannot listen on \(host):\(port): \(error)")
        }
        let bound = server.channel.localAddress
        let address = Address(
            host: host,
            ipAddress: bound?.ipAddress ?? host,
            port: bound?.port ?? port
        )
        try await server.executeThenClose { connections in
            try await listening(address)
            let room = ConnectionRoom(limits)
            try await withThrowingDiscardingTaskGroup { group in
                for try await connection in connections {
                    // At the limit the next connection waits in the system's backlog.
                    await room.enter(connection.timer)
                    group.addTask {
                        let timer = connection.timer
                        await HTTPConnection.serve(connection, limits, handle)
                        room.leave(timer)
                    }
                }
            }
        }
    }
}

/// Why a server cannot start: it cannot listen, or its upstream's URL is wrong.
package struct ServerError: Error, CustomStringConvertible {
    /// What is wrong, in words.
    package let description: String
    /// The system's error number (errno); nil if the failure is not the system's.
    package let errorNumber: CInt?

    /// Makes a failure.
    package init(description: String, errorNumber: CInt? = nil) {
        self.description = description
        self.errorNumber = errorNumber
    }
}

/// Keeps the server running when there are no file descriptors left for new connections.
private final class AcceptFailures: ChannelInboundHandler, Sendable {
    typealias InboundIn = Channel
    typealias InboundOut = Channel

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The waiting connection causes the same error again and again, which SwiftNIO's own pause does not
        // stop.
        let channel = context.channel
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        channel.eventLoop.scheduleTask(in: .milliseconds(200)) {
            try? channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}

/// A request whose head has arrived.
package struct IncomingRequest: Sendable {
    /// Method, target and all fields except `Host`, which is the authority.
    package let head: HTTPRequest
    /// Whether the client waits for a 100 before it sends the body; the 100 is sent when the body is first read.
    package let expectsContinue: Bool
    /// The body, to be read once.
    package let body: IncomingBody
}

/// The body of a request, streamed.
///
/// It can be read once, by one task at a time, until the request is answered.
package struct IncomingBody: AsyncSequence, Sendable {
    /// The `Content-Length` in bytes; nil if the body comes in chunks.
    package let length: Int?
    /// Reads the next piece; nil at the end.
    package let read: @Sendable () async throws -> [UInt8]?
    /// The trailer fields of a chunked body; empty before its end.
    package let trailers: @Sendable () -> HTTPFields

    /// Makes a body that is read by a closure.
    package init(
        length: Int?,
        trailers: @escaping @Sendable () -> HTTPFields = { [:] },
        read: @escaping @Sendable () async throws -> [UInt8]?
    ) {
        self.length = length
        self.trailers = trailers
        self.read = read
    }

    /// Iterates over the pieces of the body.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let read: @Sendable () async throws -> [UInt8]?

        /// The next piece; nil at the end.
        package func next() async throws -> [UInt8]? { try await read() }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(read: read) }

    /// Reads the whole body.
    ///
    /// - Parameters:
    ///   - limit: how many bytes it may have.
    ///   - reserve: called with the bytes of memory that it is about to take, before it takes them, and with a
    ///     negative number when it gives some back; may throw if that is too much. A body whose pieces are joined
    ///     takes up to twice its size for that moment.
    /// - Returns: the bytes of the body.
    /// - Throws: a fault with status 413 if the body is larger than the limit, and what `reserve` throws.
    package func collect(
        upTo limit: Int,
        reserving reserve: (Int) throws -> Void = { _ in }
    ) async throws -> [UInt8] {
        let fault = HTTPError(413, "The body of the request has more than \(limit) bytes.")
        guard length ?? 0 <= limit else { throw fault }
        var segments = BodySegments()
        while let piece = try await read() {
            guard segments.count + piece.count <= limit else { throw fault }
            try segments.append(piece, reserving: reserve)
        }
        return try segments.joined(reserving: reserve)
    }
}

/// A body while it arrives: a small array that grows, and then segments of which each takes just what it has
/// reserved.
///
/// One array would double its capacity when it grows, and hold the old one beside the new one to copy it.
private struct BodySegments {
    private static let smallSize = 64 << 10
    private static let largestCapacity = 1 << 20

    private var segments: [[UInt8]] = [[]]
    private var reserved = 0
    /// How many more bytes the last segment takes.
    private var room = smallSize
    private(set) var count = 0

    mutating func append(_ piece: [UInt8], reserving reserve: (Int) throws -> Void) throws {
        if segments.count == 1, piece.count <= room {
            try reserve(piece.count)
            reserved += piece.count
        } else if piece.count > room {
            let capacity = max(piece.count, min(count, Self.largestCapacity))
            try reserve(capacity)
            reserved += capacity
            segments.append([])
            segments[segments.count - 1].reserveCapacity(capacity)
            room = capacity
        }
        segments[segments.count - 1] += piece
        room -= piece.count
        count += piece.count
    }

    /// All bytes, as one array; the segments are given back.
    mutating func joined(reserving reserve: (Int) throws -> Void) throws -> [UInt8] {
        guard segments.count > 1 else { return segments[0] }
        try reserve(count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        for segment in segments { bytes += segment }
        segments = []
        try reserve(-reserved)
        return bytes
    }
}

/// Why a request is refused, and the response that says so.
package struct HTTPError: Error {
    /// The status of the response.
    package let status: Int
    /// What is wrong, in a sentence.
    package let text: String

    /// Makes an error.
    package init(_ status: Int, _ text: String) {
        self.status = status
        self.text = text
    }

    /// Why a request is refused whose body stopped arriving (RFC 9110, section 15.5.9).
    static func silentBody(_ limit: Duration) -> HTTPError {
        HTTPError(408, "Nothing of the body arrived for \(limit.components.seconds) s.")
    }

    /// The response, as plain text.
    package var response: (head: HTTPResponse, body: [UInt8]) { Self.answer(status, text) }

    /// Makes a plain-text response.
    package static func answer(_ status: Int, _ text: String) -> (head: HTTPResponse, body: [UInt8])
    {
        let body = Array("\(text)\n".utf8)
        return (
            HTTPResponse(
                status: .init(
                    code: status,
                    reasonPhrase: StatusPhrase.registered[status] ?? ""
                ),
                headerFields: [
                    .contentType: "text/plain; charset=utf-8", .contentLength: "\(body.count)",
                ]
            ), body
        )
    }
}
