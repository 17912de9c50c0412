import HTTPTypes
import NIOCore
import Synchronization

/// Serves the requests of one connection, one after another.
struct HTTPConnection {
    /// How many bytes a client may still send after a response that did not wait for them.
    private static let unreadLimit = 1 << 20

    /// Holds a client's connection until it is served.
    final class Socket: Sendable {
        private let channel: Mutex<NIOAsyncChannel<ByteBuffer, ByteBuffer>?>
        let timer: ConnectionTimer

        init(_ channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ timer: ConnectionTimer) {
            self.channel = Mutex(channel)
            self.timer = timer
        }

        // A server that ends releases the connections that it has not served yet. SwiftNIO crashes if an open
        // channel is released.
        deinit {
            guard let channel = removeChannel() else { return }
            Task { try? await channel.executeThenClose { _, _ in } }
        }

        fileprivate func removeChannel() -> NIOAsyncChannel<ByteBuffer, ByteBuffer>? {
            channel.withLock { $0.take() }
        }
    }

    private let channel: any Channel
    private let timer: ConnectionTimer
    private let limits: HTTPServer.Limits
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private let reader: RequestReader
    private let handle: HTTPServer.Handler

    /// Serves a connection to its end.
    ///
    /// If the connection ends early, the handler is cancelled. SwiftNIO notices that even if nobody reads.
    static func serve(
        _ socket: Socket,
        _ limits: HTTPServer.Limits,
        _ handle: @escaping HTTPServer.Handler
    ) async {
        guard let channel = socket.removeChannel() else { return }
        // It does not matter why a client ended its connection early.
        try? await channel.executeThenClose { inbound, outbound in
            let served = HTTPConnection(
                channel: channel.channel,
                timer: socket.timer,
                limits: limits,
                outbound: outbound,
                reader: RequestReader(inbound),
                handle: handle
            )
            await withTaskGroup { group in
                group.addTask {
                    await served.run()
                    served.channel.close(promise: nil)
                }
                group.addTask { try? await served.channel.closeFuture.get() }
                await group.next()
                group.cancelAll()
            }
        }
    }

    private func run() async {
        while !Task.isCancelled {
            do {
                timer.awaitHead()
                guard let head = try await reader.head() else { return }
                guard try await answer(head) else { return }
            } catch let fault as HTTPError {
                return await refuse(fault)
            } catch {
                return
            }
        }
    }

    /// Answers a request.
    ///
    /// - Returns: false if the connection ends with it.
    private func answer(_ head: RequestHead) async throws -> Bool {
        let writer = ResponseWriter(head, outbound, channel)
        let length: Int? = if case .length(let count) = head.framing { count } else { nil }
        let gate = BodyGate()
        timer.beginResponse { [limits] in writer.refuse(.silentBody(limits.body)) }
        let request = IncomingRequest(
            head: head.request,
            expectsContinue: head.expectsContinue,
            body: IncomingBody(length: length) {
                gate.trailers
            } read: { [reader, timer] in
                if head.expectsContinue, length != 0 { writer.continue() }
                timer.awaitBody()
                let piece = try await gate.piece(reader)
                timer.endBodyWait(received: piece?.count ?? 0)
                return piece
            }
        )
        do {
            try await handle(request, writer)
        } catch let fault as HTTPError where !writer.isBegun {
            if !gate.close() || !reader.isAtEnd { writer.announceClose() }
            try await writer.send(fault)
        } catch {
            await cut(writer)
            return false
        }
        guard writer.isEnded else {
            await cut(writer)
            return false
        }
        guard gate.close(), reader.isAtEnd else {
            await linger(behind: writer, gate)
            return false
        }
        if writer.mustClose { await writer.flush() }
        return !writer.mustClose
    }

    private func cut(_ writer: ResponseWriter) async {
        // A client that does not read must not keep the connection open.
        timer.end(in: limits.head)
        await writer.cut()
    }

    private func refuse(_ fault: HTTPError) async {
        let writer = ResponseWriter(nil, outbound, channel)
        try? await writer.send(fault)
        await linger(behind: writer, nil)
    }

    /// Closes the sending side and reads on for a while.
    ///
    /// Otherwise the system would reset the connection, and the client might never see the response (RFC 9112,
    /// section 9.6).
    private func linger(behind writer: ResponseWriter, _ gate: BodyGate?) async {
        // Sending to a slow client may take longer than reading the unneeded rest.
        timer.end(in: limits.head)
        await writer.flush()
        try? await channel.close(mode: .output).get()
        timer.end(in: limits.lingering)
        await gate?.closed()
        // If the reader of the body was cancelled, nothing more can be read. The client sees the closed side and
        // closes its own.
        guard (try? await reader.drain(Self.unreadLimit)) != false else { return }
        await withTaskCancellationHandler {
            try? await channel.closeFuture.get()
        } onCancel: {
            writer.close()
        }
    }
}
