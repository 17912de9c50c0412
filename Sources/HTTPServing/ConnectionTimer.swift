import NIOCore
import Synchronization

/// Closes a connection whose client keeps the server waiting.
///
/// There is no time limit while a request is answered, since uploads and event streams may take any time.
/// Once the client has closed its side there is a limit, which each piece of the response restarts: only
/// sending shows whether the client still reads or is gone.
final class ConnectionTimer: ChannelDuplexHandler, @unchecked Sendable {
    // @unchecked because `check` and `isRemoved` are used only on the connection's event loop.
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private enum Phase {
        case head
        case answer
        /// The connection is closed when its time is up, even with bytes left to send.
        case end
    }

    private struct State {
        var phase = Phase.head
        /// When the connection is closed; nil if there is no limit now.
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

    // MARK: Called by the connection's task

    /// Starts the time limit for the next head.
    func awaitHead() {
        let due = time(in: limits.head)
        // A check is always scheduled within this time.
        state.withLock { state in
            state.phase = .head
            state.due = due
        }
    }

    /// Lifts the time limit while a request is answered.
    func beginAnswer() {
        let isInputClosed = state.withLock { state in
            state.phase = .answer
            state.due = state.isInputClosed ? time(in: limits.halfClosed) : nil
            return state.isInputClosed
        }
        if isInputClosed { channel.eventLoop.execute { [self] in checkTime() } }
    }

    /// Closes the connection after a time.
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
            // Unsent bytes mean that the client is still there and reads slowly.
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
