import HTTPTypes
import NIOCore
import Synchronization

/// One connection: its requests, one after another.
struct HTTPConnection {
    /// How many bytes a client may still send after an answer that did not wait for them.
    private static let unreadLimit = 1 << 20

    /// A client's connection, until it is served.
    final class Socket: Sendable {
        private let channel: Mutex<NIOAsyncChannel<ByteBuffer, ByteBuffer>?>
        fileprivate let timer: ConnectionTimer

        init(_ channel: NIOAsyncChannel<ByteBuffer, ByteBuffer>, _ timer: ConnectionTimer) {
            self.channel = Mutex(channel)
            self.timer = timer
        }

        // A server that ends releases connections that were not served yet, and SwiftNIO crashes if a channel is
        // released open.
        deinit {
            guard let channel = take() else { return }
            Task { try? await channel.executeThenClose { _, _ in } }
        }

        fileprivate func take() -> NIOAsyncChannel<ByteBuffer, ByteBuffer>? {
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
    /// When the connection ends early, the handler is cancelled; SwiftNIO notices even if nobody reads.
    static func serve(
        _ socket: Socket,
        _ limits: HTTPServer.Limits,
        _ handle: @escaping HTTPServer.Handler
    ) async {
        guard let channel = socket.take() else { return }
        // Why a client ended its connection early concerns nobody here.
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
                timer.beginAnswer()
                guard try await answer(head) else { return }
            } catch let fault as HTTPFault {
                return await refuse(fault)
            } catch {
                return
            }
        }
    }

    /// Answers a request; false if the connection ends with it.
    private func answer(_ head: RequestHead) async throws -> Bool {
        let writer = AnswerWriter(head, outbound, channel)
        let length: Int? = if case .length(let count) = head.framing { count } else { nil }
        let gate = BodyGate()
        let request = IncomingRequest(
            head: head.request,
            expectsContinue: head.expectsContinue,
            body: IncomingBody(length: length) {
                gate.trailers
            } read: { [reader] in
                if head.expectsContinue, length != 0 { writer.continue() }
                return try await gate.piece(reader)
            }
        )
        do {
            try await handle(request, writer)
        } catch let fault as HTTPFault where !writer.isBegun {
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

    private func cut(_ writer: AnswerWriter) async {
        // A client that does not read must not keep the connection open.
        timer.end(in: limits.head)
        await writer.cut()
    }

    private func refuse(_ fault: HTTPFault) async {
        let writer = AnswerWriter(nil, outbound, channel)
        try? await writer.send(fault)
        await linger(behind: writer, nil)
    }

    /// Closes our side, and reads on for a while: otherwise the system resets the connection, and the
    /// client might never see the answer (RFC 9112, section 9.6).
    private func linger(behind writer: AnswerWriter, _ gate: BodyGate?) async {
        // Sending to a slow reader may take longer than reading what nobody needs.
        timer.end(in: limits.head)
        await writer.flush()
        try? await channel.close(mode: .output).get()
        timer.end(in: limits.lingering)
        await gate?.closed()
        // If the reader of the body was cancelled, nothing more can be read; the client sees that our side
        // is closed, and closes its own.
        guard (try? await reader.drain(Self.unreadLimit)) != false else { return }
        await withTaskCancellationHandler {
            try? await channel.closeFuture.get()
        } onCancel: {
            writer.close()
        }
    }
}
