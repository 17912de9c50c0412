import HTTPTypes
import NIOCore

/// One connection: its requests, one after another.
struct HTTPConnection {
    /// What a client may still send behind an answer that did not wait for it.
    private static let unreadLimit = 1 << 20
    /// How long it may take for that.
    private static let lingering = TimeAmount.seconds(2)

    private let channel: any Channel
    private let outbound: NIOAsyncChannelOutboundWriter<ByteBuffer>
    private let reader: RequestReader
    private let handle: HTTPServer.Handler

    /// Serves a connection to its end.
    ///
    /// When the client closes it, the handler is cancelled: SwiftNIO learns of it also while nobody reads.
    static func serve(
        _ connection: NIOAsyncChannel<ByteBuffer, ByteBuffer>,
        _ handle: @escaping HTTPServer.Handler
    ) async {
        // What ends a connection early is its client's affair.
        try? await connection.executeThenClose { inbound, outbound in
            let served = HTTPConnection(
                channel: connection.channel,
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
                guard let head = try await reader.head() else { return }
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
        let request = IncomingRequest(
            head: head.request,
            isHTTP11: head.isHTTP11,
            expectsContinue: head.expectsContinue,
            body: IncomingBody(length: length) { [reader] in
                if head.expectsContinue, length != 0 { writer.continue() }
                return try await reader.piece()
            }
        )
        do {
            try await handle(request, writer)
        } catch let fault as HTTPFault where !writer.isBegun {
            try await writer.send(fault)
            await linger(behind: writer)
            return false
        } catch {
            await writer.cut()
            return false
        }
        guard writer.isEnded else {
            await writer.cut()
            return false
        }
        if !reader.isAtEnd {
            await linger(behind: writer)
            return false
        }
        if writer.mustClose { await writer.flush() }
        return !writer.mustClose
    }

    private func refuse(_ fault: HTTPFault) async {
        let writer = AnswerWriter(nil, outbound, channel)
        try? await writer.send(fault)
        await linger(behind: writer)
    }

    /// Ends our side, and reads on for a while: else the system would reset the connection, and the
    /// client might never see the answer (RFC 9112, section 9.6).
    private func linger(behind writer: AnswerWriter) async {
        await writer.flush()
        try? await channel.close(mode: .output).get()
        channel.eventLoop.scheduleTask(in: Self.lingering) { [channel] in
            channel.close(promise: nil)
        }
        // Who read the body may have been cancelled, and then nothing more can be read; the client learns
        // from our end that it may end, too.
        guard (try? await reader.drain(Self.unreadLimit)) != false else { return }
        try? await channel.closeFuture.get()
    }
}
