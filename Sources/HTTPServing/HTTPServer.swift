import Documents
import Glibc
package import HTTPTypes
import NIOCore
import NIOPosix

/// A server of HTTP/1.1 that keeps what comes as it is: the order, case and bytes of fields, their
/// repetitions, bodies as they come.
///
/// ```
/// SwiftNIO: sockets, back-pressure ─▶ RequestReader ─▶ handler ─▶ AnswerWriter ─▶ SwiftNIO
/// ```
/// NIOHTTP1 is not used: it makes text of fields, which changes what is no UTF-8, and takes folded lines.
package struct HTTPServer: Sendable {
    /// Answers a request.
    ///
    /// What it leaves of an answer is cut off; so is all of it if it throws.
    package typealias Handler = @Sendable (IncomingRequest, AnswerWriter) async throws -> Void

    /// How much it does for its clients.
    package struct Limits: Sendable {
        /// How long a head may take, from the connection's begin or the last answer.
        package var head = Duration.seconds(60)
        /// How long a client may go on sending behind an answer that did not wait for it.
        package var lingering = Duration.seconds(2)
        /// How long a client that sends no more is thought to wait for the next piece of its answer:
        /// most are gone.
        package var halfClosed = Duration.seconds(5)
        /// How many connections there are at once; others wait until one ends.
        package var connections = 1_000

        /// The limits that a program has.
        package init() {}
    }

    /// Where a server listens.
    package struct Address: Sendable {
        /// The host as it was given.
        package let host: String
        /// The address that the host has.
        package let ipAddress: String
        /// The TCP port, also where any free one was asked for.
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

    /// A server on an address; port 0 takes a free one.
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

    /// Serves until the task is cancelled; `listening` is told where, once connections are accepted.
    ///
    /// - Throws: `ServingFailure` if it cannot listen, and what `listening` throws.
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
            throw ServingFailure(
                description:
                    "cannot listen on \(host):\(port): \(String(cString: strerror(error.errnoCode)))",
                errorNumber: error.errnoCode
            )
        } catch {
            throw ServingFailure(description: "cannot listen on \(host):\(port): \(error)")
        }
        let bound = server.channel.localAddress
        let address = Address(
            host: host,
            ipAddress: bound?.ipAddress ?? host,
            port: bound?.port ?? port
        )
        try await server.executeThenClose { connections in
            try await listening(address)
            try await withThrowingTaskGroup(of: Void.self) { group in
                var count = 0
                for try await connection in connections {
                    // Else the next one waits in the backlog of the system.
                    if count < limits.connections { count += 1 } else { try await group.next() }
                    group.addTask { await HTTPConnection.serve(connection, limits, handle) }
                }
            }
        }
    }
}

/// Why a server cannot start: it cannot listen, or the server it passes requests on to is none.
package struct ServingFailure: Error, CustomStringConvertible {
    /// What is wrong, in words.
    package let description: String
    /// The system's error number; nil if the system did not refuse.
    package let errorNumber: CInt?

    /// Makes a failure.
    package init(description: String, errorNumber: CInt? = nil) {
        self.description = description
        self.errorNumber = errorNumber
    }
}

/// Without a descriptor for another connection the server goes on with those that it has.
private final class AcceptFailures: ChannelInboundHandler, Sendable {
    typealias InboundIn = Channel
    typealias InboundOut = Channel

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The one that waits is told of again and again, and SwiftNIO's own pause does not stop that.
        let channel = context.channel
        try? channel.syncOptions?.setOption(.autoRead, value: false)
        channel.eventLoop.scheduleTask(in: .milliseconds(200)) {
            try? channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}

/// A request whose head has come.
package struct IncomingRequest: Sendable {
    /// Method, target and fields, all of them but `Host`, which is the authority.
    package let head: HTTPRequest
    /// Whether it waits for a 100 before it sends the body; it gets that when the body is first read.
    package let expectsContinue: Bool
    /// The body.
    package let body: IncomingBody
}

/// The body of a request, as it comes; it can be read once, by one task at a time, until the request is
/// answered.
package struct IncomingBody: AsyncSequence, Sendable {
    /// How many bytes were announced; nil if it comes in chunks.
    package let length: Int?
    /// Reads the next piece; nil at the end.
    package let read: @Sendable () async throws -> [UInt8]?
    /// The fields behind a body in chunks; none before its end.
    package let trailers: @Sendable () -> HTTPFields

    /// A body that is read by a closure.
    package init(
        length: Int?,
        trailers: @escaping @Sendable () -> HTTPFields = { [:] },
        read: @escaping @Sendable () async throws -> [UInt8]?
    ) {
        self.length = length
        self.trailers = trailers
        self.read = read
    }

    /// Reads the pieces.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let read: @Sendable () async throws -> [UInt8]?

        /// The next piece; nil at the end.
        package func next() async throws -> [UInt8]? { try await read() }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(read: read) }

    /// All of it; `take` is told how many bytes each piece has.
    ///
    /// - Throws: a fault with the status 413 above the limit, and what `take` throws.
    package func collect(
        upTo limit: Int,
        _ take: (Int) throws -> Void = { _ in }
    ) async throws -> [UInt8] {
        let fault = HTTPFault(413, "The body of the request has more than \(limit) bytes.")
        guard length ?? 0 <= limit else { throw fault }
        var bytes: [UInt8] = []
        while let piece = try await read() {
            try take(piece.count)
            bytes += piece
            guard bytes.count <= limit else { throw fault }
        }
        return bytes
    }
}

/// A request that cannot be answered as it was meant, and the answer to it.
package struct HTTPFault: Error {
    /// The answer's status.
    package let status: Int
    /// What is wrong, for people.
    package let text: String

    /// Makes a fault.
    package init(_ status: Int, _ text: String) {
        self.status = status
        self.text = text
    }

    /// The answer, as text.
    package var answer: (head: HTTPResponse, body: [UInt8]) { Self.answer(status, text) }

    /// An answer as text.
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
