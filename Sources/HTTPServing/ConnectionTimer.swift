import NIOCore
import Synchronization

/// Closes a connection whose client keeps it waiting.
///
/// While a request is answered there is no limit: uploads and streams of events take what they take. Only
/// behind the end of what a client sends there is one, which each piece of the answer begins anew: whether
/// the client has half-closed the connection and still reads, or is gone, shows when something is sent.
final class ConnectionTimer: ChannelDuplexHandler, @unchecked Sendable {
    // @unchecked because `check` and `isRemoved` are used on the connection's event loop only.
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private enum Phase {
        case head
        case answer
        /// It is closed at its time, whatever is still to be sent.
        case end
    }

    private struct State {
        var phase = Phase.head
        /// When the connection is closed; nil for never, as before it is served.
        var due: NIODeadline?
        var isInputClosed = false
    }

    private let channel: any Channel
    private let limits: HTTPServer.Limits
    private let state = Mutex(State())
    private var check: Scheduled<Void>?
    private var isRemoved = false

    init(_ channel: any Channel, _ limits: HTTPServer.Limits) {
        self.channel = channel
        self.limits = limits
    }

    private func time(in duration: Duration) -> NIODeadline {
        channel.eventLoop.now + TimeAmount(duration)
    }

    // MARK: For the task of the connection

    /// The next head is waited for.
    func awaitHead() {
        let due = time(in: limits.head)
        // There is always a check within that time.
        state.withLock { state in
            state.phase = .head
            state.due = due
        }
    }

    /// A request is being answered.
    func beginAnswer() {
        let isInputClosed = state.withLock { state in
            state.phase = .answer
            state.due = state.isInputClosed ? time(in: limits.halfClosed) : nil
            return state.isInputClosed
        }
        if isInputClosed { channel.eventLoop.execute { [self] in checkTime() } }
    }

    /// Closes the connection after some time.
    func end(in duration: Duration) {
        state.withLock { state in
            state.phase = .end
            state.due = time(in: duration)
        }
        channel.eventLoop.execute { [self] in checkTime() }
    }

    // MARK: On the event loop

    func handlerAdded(context: ChannelHandlerContext) { checkTime() }

    func handlerRemoved(context: ChannelHandlerContext) {
        isRemoved = true
        check?.cancel()
    }

    private func checkTime() {
        check?.cancel()
        guard !isRemoved else { return }
        let (phase, due) = state.withLock { ($0.phase, $0.due) }
        var next = due ?? time(in: limits.head)
        if next <= channel.eventLoop.now {
            // A client that has not yet taken all of an answer is there, and reads slowly.
            let unsent = try? channel.syncOptions?.getOption(.bufferedWritableBytes)
            guard phase != .end, unsent ?? 0 > 0 else { return channel.close(promise: nil) }
            next = time(in: limits.halfClosed)
        }
        check = channel.eventLoop.scheduleTask(deadline: next) { [weak self] in self?.checkTime() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            state.withLock { state in
                state.isInputClosed = true
                guard case .answer = state.phase else { return }
                state.due = time(in: limits.halfClosed)
            }
            checkTime()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func write(
        context: ChannelHandlerContext,
        data: NIOAny,
        promise: EventLoopPromise<Void>?
    ) {
        state.withLock { state in
            guard state.isInputClosed, case .answer = state.phase else { return }
            state.due = time(in: limits.halfClosed)
        }
        context.write(data, promise: promise)
    }
}
