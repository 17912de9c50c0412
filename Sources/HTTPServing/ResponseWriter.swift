import Glibc
package import HTTPTypes
import NIOCore
import Synchronization

/// Writes the response to a request.
package final class ResponseWriter: Sendable {
    /// How the client finds the end of the body.
    private enum Framing {
        /// There is no body.
        case none
        case length(Int)
        case chunked
        /// The body ends with the connection.
        case connection
    }

    private struct State {
        var framing = Framing.none
        var isBegun = false
        var isEnded = false
        var mustClose: Bool
        var hasContinued = false
    }

    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private let channel: any Channel
    private let method: HTTPRequest.Method
    private let isHTTP11: Bool
    private let state: Mutex<State>

    /// Without a head, it answers a request that could not be read, and closes the connection.
    init(
        _ head: RequestHead?,
        _ outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>,
        _ channel: any Channel
    ) {
        self.outbound = outbound
        self.channel = channel
        method = head?.request.method ?? .get
        isHTTP11 = head?.isHTTP11 ?? true
        state = Mutex(State(mustClose: head?.keepsConnection != true))
    }

    /// Whether the request is a HEAD, whose response has no body.
    package var isForHead: Bool { method == .head }
    /// Whether the head was written.
    package var isBegun: Bool { state.withLock(\.isBegun) }
    /// Whether the response was written to its end.
    var isEnded: Bool { state.withLock(\.isEnded) }
    /// Whether the connection closes after the response.
    var mustClose: Bool { state.withLock(\.mustClose) }

    /// Sends a 100, so that the client sends the body that it is holding back.
    func `continue`() {
        state.withLock { state in
            guard !state.isBegun, !state.hasContinued else { return }
            state.hasContinued = true
            // Inside the lock, so that it is written before the head.
            channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n"), promise: nil)
        }
    }

    /// Writes the head, with its fields unchanged.
    ///
    /// If the fields do not say where the body ends, it is sent in chunks. For an HTTP/1.0 client, it ends with
    /// the connection.
    package func begin(_ head: HTTPResponse) async throws {
        try await outbound.write(try bytes(of: head))
    }

    /// Writes a piece of the body.
    package func write(_ bytes: [UInt8]) async throws {
        guard !bytes.isEmpty else { return }
        switch state.withLock(\.framing) {
        case .none: return
        case .length(let rest):
            guard bytes.count <= rest else { throw ConnectionError.bodyTooLong }
            state.withLock { $0.framing = .length(rest - bytes.count) }
            try await outbound.write(ByteBuffer(bytes: bytes))
        case .connection: try await outbound.write(ByteBuffer(bytes: bytes))
        case .chunked:
            var buffer = ByteBuffer()
            buffer.reserveCapacity(bytes.count + 20)
            buffer.writeString("\(String(bytes.count, radix: 16))\r\n")
            buffer.writeBytes(bytes)
            buffer.writeString("\r\n")
            try await outbound.write(buffer)
        }
    }

    /// Ends the body, with trailers as whole lines.
    ///
    /// If the body is shorter than its length, the response stays incomplete.
    package func end(trailers: [String] = []) async throws {
        let (framing, isWhole) = state.withLock { state in
            if case .length(let rest) = state.framing, rest > 0 { return (state.framing, false) }
            state.isEnded = true
            return (state.framing, true)
        }
        guard isWhole, case .chunked = framing else { return }
        let lines = trailers.map { "\($0)\r\n" }.joined()
        try await outbound.write(ByteBuffer(string: "0\r\n\(lines)\r\n"))
    }

    /// Larger bodies are written in pieces of this size, so that little is buffered for a client that does not
    /// read.
    private static let pieceSize = 256 << 10

    /// Writes a whole response.
    package func send(_ head: HTTPResponse, _ body: [UInt8]) async throws {
        guard body.count <= Self.pieceSize else {
            try await begin(head)
            for start in stride(from: 0, to: body.count, by: Self.pieceSize) {
                try await write(Array(body[start..<min(start + Self.pieceSize, body.count)]))
                // SwiftNIO finds out only on its event loop that the client does not read.
                await flush()
            }
            return try await end()
        }
        var buffer = try bytes(of: head)
        let framing = state.withLock { $0.framing }
        if case .length = framing { buffer.writeBytes(body) }
        try await outbound.write(buffer)
        if case .length = framing {
            state.withLock { $0.framing = .length(0) }
        } else {
            try await write(body)
        }
        try await end()
    }

    /// Writes a fault as the response; does nothing if a response has begun.
    package func send(_ fault: HTTPError) async throws {
        guard !isBegun else { return }
        let (head, body) = fault.response
        try await send(head, body)
    }

    /// Writes a fault as the response from the connection's event loop, where nothing can be awaited; does
    /// nothing if a response has begun.
    func refuse(_ fault: HTTPError) {
        announceClose()
        let (head, body) = fault.response
        guard var buffer = try? bytes(of: head) else { return }
        if !isForHead { buffer.writeBytes(body) }
        channel.writeAndFlush(buffer, promise: nil)
    }

    /// Closes the connection after the response, and says so in its head.
    func announceClose() { state.withLock { $0.mustClose = true } }

    /// Waits until the system has taken all bytes; closes the connection if the task is cancelled.
    func flush() async {
        await withTaskCancellationHandler {
            try? await channel.writeAndFlush(ByteBuffer()).get()
        } onCancel: {
            close()
        }
    }

    /// Closes the connection within the response, after the part that was written.
    func cut() async {
        await flush()
        close()
    }

    /// Closes the connection at once.
    func close() {
        // Reset the connection: the client would take a normal close for the end of the body.
        if case .connection = state.withLock(\.framing) {
            let now = linger(l_onoff: 1, l_linger: 0)
            _ = (channel as? any SocketOptionProvider)?.setSoLinger(now)
        }
        channel.close(promise: nil)
    }

    private func bytes(of head: HTTPResponse) throws(ConnectionError) -> ByteBuffer {
        let framing = framing(of: head)
        var fields = fields(of: head, framing)
        let mustClose = try state.withLock { state throws(ConnectionError) in
            guard !state.isBegun else { throw ConnectionError.responseBegun }
            state.isBegun = true
            state.framing = framing
            if case .connection = framing { state.mustClose = true }
            return state.mustClose
        }
        if mustClose {
            fields[.connection] = "close"
        } else if !isHTTP11 {
            fields[.connection] = "keep-alive"
        }
        var buffer = ByteBuffer()
        buffer.writeString("HTTP/1.1 \(head.status.code) \(head.status.reasonPhrase)\r\n")
        for field in fields {
            buffer.writeString(field.name.rawName)
            buffer.writeString(field.value.isEmpty ? ":" : ": ")
            _ = field.withUnsafeBytesOfValue { buffer.writeBytes($0) }
            buffer.writeString("\r\n")
        }
        buffer.writeString("\r\n")
        return buffer
    }

    /// The fields to write, exactly one of which says where the body ends (RFC 9112, sections 6.1 and 6.2).
    private func fields(of head: HTTPResponse, _ framing: Framing) -> HTTPFields {
        var fields = head.headerFields
        if case .chunked = framing, !fields.contains(.transferEncoding) {
            fields[.transferEncoding] = "chunked"
        }
        let mayHaveLength = head.status != .noContent && !fields.contains(.transferEncoding)
        let length = mayHaveLength ? fields.announcedLength : nil
        if !isHTTP11 || head.status == .noContent { fields[.transferEncoding] = nil }
        if length == nil {
            fields[.contentLength] = nil
        } else if let length, fields[.contentLength] != "\(length)" {
            fields[.contentLength] = "\(length)"
        }
        return fields
    }

    private func framing(of head: HTTPResponse) -> Framing {
        let status = head.status.code
        guard method != .head, status != 204, status != 304, status >= 200 else { return .none }
        if !head.headerFields.contains(.transferEncoding),
            let length = head.headerFields.announcedLength
        {
            return .length(length)
        }
        return isHTTP11 ? .chunked : .connection
    }
}
