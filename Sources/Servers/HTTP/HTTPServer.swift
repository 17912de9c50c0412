import Apus
import Glibc
package import HTTPTypes
import NIOCore
import NIOPosix

/// A server of HTTP/1.1 that keeps what comes as it is: the order, case and bytes of fields, their
/// repetitions, bodies as they come, trailers.
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

    private let host: String
    private let port: Int
    private let handle: Handler

    /// A server on an address; port 0 takes a free one.
    package init(host: String = "127.0.0.1", port: Int, handle: @escaping Handler) {
        self.host = host
        self.port = port
        self.handle = handle
    }

    /// Serves until the task is cancelled; `listening` is told the URL.
    package func run(_ listening: (String) async throws -> Void) async throws {
        let server: NIOAsyncChannel<NIOAsyncChannel<ByteBuffer, ByteBuffer>, Never>
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
                .bind(host: host, port: port) { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try NIOAsyncChannel(wrappingChannelSynchronously: channel)
                    }
                }
        } catch let error as IOError {
            throw ServingFailure(
                description:
                    "cannot listen on \(host):\(port): \(String(cString: strerror(error.errnoCode)))"
            )
        } catch {
            throw ServingFailure(description: "cannot listen on \(host):\(port): \(error)")
        }
        let shown = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        try await server.executeThenClose { connections in
            try await listening("http://\(shown):\(server.channel.localAddress?.port ?? port)")
            try await withThrowingDiscardingTaskGroup { group in
                for try await connection in connections {
                    group.addTask { await HTTPConnection.serve(connection, handle) }
                }
            }
        }
    }
}

/// Why a server cannot be: it cannot listen, or what it stands before is no server's URL.
package struct ServingFailure: Error, CustomStringConvertible {
    /// What is wrong, in words.
    package let description: String
}

/// Without a descriptor for another connection the server goes on with those that it has.
private final class AcceptFailures: ChannelInboundHandler, Sendable {
    typealias InboundIn = Channel
    typealias InboundOut = Channel

    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}

/// A request whose head has come.
package struct IncomingRequest: Sendable {
    /// Method, target and fields, all of them but `Host`, which is the authority.
    package let head: HTTPRequest
    /// Whether the client speaks HTTP/1.1.
    package let isHTTP11: Bool
    /// Whether it waits for a 100 before it sends the body; it gets that when the body is first read.
    package let expectsContinue: Bool
    /// The body.
    package let body: IncomingBody
}

/// The body of a request, as it comes; it can be read once, by one task at a time.
package struct IncomingBody: AsyncSequence, Sendable {
    /// How many bytes were announced; nil if it comes in chunks.
    package let length: Int?
    let read: @Sendable () async throws -> [UInt8]?

    /// Reads the pieces.
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let read: @Sendable () async throws -> [UInt8]?

        /// The next piece; nil at the end.
        package func next() async throws -> [UInt8]? { try await read() }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(read: read) }

    /// All of it.
    ///
    /// - Throws: a fault with the status 413 above the limit.
    package func collect(upTo limit: Int) async throws -> [UInt8] {
        let fault = HTTPFault(413, "The body of the request has more than \(limit) bytes.")
        guard length ?? 0 <= limit else { throw fault }
        var bytes: [UInt8] = []
        while let piece = try await read() {
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
                    reasonPhrase: HTTPStatus(status).phrase ?? ""
                ),
                headerFields: [
                    .contentType: "text/plain; charset=utf-8", .contentLength: "\(body.count)",
                ]
            ), body
        )
    }
}
