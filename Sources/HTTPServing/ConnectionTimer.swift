import NIOCore
import Synchronization

/// Closes a connection whose client keeps the server waiting.
///
/// A head must arrive within a time, and a body must not pause for longer than one. There is no time limit
/// while the server answers, since event streams may take any time. Once the client has closed its side there
/// is a limit, which each piece of the response restarts: only sending shows whether the client still reads or
/// is gone.
final class ConnectionTimer: ChannelDuplexHandler, @unchecked Sendable {
    // @unchecked because `check` and `isRemoved` are used only on the connection's event loop.
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer

    private enum Phase {
        case head
        /// The handler waits for the next piece of the request's body.
        case body
        case response
        /// The connection is closed when its time is up, even with bytes left to send.
        case end
    }

    private struct State {
        var phase = Phase.head
        /// When the connection is closed; nil if there is no limit now.
        var due: NIODeadline?
        var isInputClosed = false
        /// Since when the server waits for the client; nil while it does not.
        var waitsSince: NIODeadline?
        /// How long it waited for earlier pieces of this body, less what a slow network would explain.
        var waited = TimeAmount.zero
        /// Sends a response that says why the connection is closed within a body.
        var refuse: (@Sendable () -> Void)?
    }

    /// A client that sends a body at this rate, in bytes a second, does not keep the server waiting.
    private static let leastRate = 500

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
            state.waitsSince = due - TimeAmount(limits.head)
            state.waited = .zero
        }
    }

    /// Lifts the time limit while a request is answered.
    ///
    /// - Parameter refuse: sends a response that says that the body did not arrive; called at most once, on the
    ///   event loop, just before the connection is closed for that.
    func beginResponse(refuse: @escaping @Sendable () -> Void = {}) {
        let isInputClosed = state.withLock { state in
            state.refuse = refuse
            return lift(&state)
        }
        if isInputClosed { channel.eventLoop.execute { [self] in checkTime() } }
    }

    /// Starts the time limit for the next piece of a body.
    func awaitBody() {
        let due = time(in: limits.body)
        state.withLock { state in
            guard case .response = state.phase else { return }
            state.phase = .body
            state.due = due
            state.waitsSince = due - TimeAmount(limits.body)
        }
    }

    /// Lifts the time limit for a piece of a body.
    ///
    /// - Parameter count: how many bytes have arrived.
    func endBodyWait(received count: Int) {
        let now = channel.eventLoop.now
        let earned = TimeAmount.milliseconds(Int64(count) * 1000 / Int64(Self.leastRate))
        let isInputClosed = state.withLock { state in
            guard case .body = state.phase, let since = state.waitsSince else { return false }
            state.waited = max(.zero, state.waited + (now - since) - earned)
            return lift(&state)
        }
        if isInputClosed { channel.eventLoop.execute { [self] in checkTime() } }
    }

    /// - Returns: whether the client has closed its side, so that the time must be checked now.
    private func lift(_ state: inout State) -> Bool {
        state.phase = .response
        state.due = state.isInputClosed ? time(in: limits.halfClosed) : nil
        state.waitsSince = nil
        return state.isInputClosed
    }

    /// Closes the connection after a time.
    func end(in duration: Duration) {
        state.withLock { state in
            state.phase = .end
            state.due = time(in: duration)
        }
        channel.eventLoop.execute { [self] in checkTime() }
    }

    // MARK: Called by the server

    /// How long the client has kept the server waiting for its head or its body; nil if the server is not
    /// waiting.
    var wait: Duration? {
        let now = channel.eventLoop.now
        let wait = state.withLock { state in
            state.waitsSince.map { state.waited + (now - $0) }
        }
        return wait.map { .nanoseconds($0.nanoseconds) }
    }

    /// The client's IP address; empty if it is not known any more.
    var address: String { channel.remoteAddress?.ipAddress ?? "" }

    /// Closes the connection so that others can be served.
    func close() { channel.close(promise: nil) }

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
        var next = due ?? time(in: min(limits.head, limits.body))
        if next <= channel.eventLoop.now {
            // Unsent bytes mean that the client is still there and reads slowly.
            let unsent = try? channel.syncOptions?.getOption(.bufferedWritableBytes)
            guard phase != .end, unsent ?? 0 > 0 else {
                if phase == .body { state.withLock { $0.refuse.take() }?() }
                return channel.close(promise: nil)
            }
            next = time(in: limits.halfClosed)
        }
        check = channel.eventLoop.scheduleTask(deadline: next) { [weak self] in self?.checkTime() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            state.withLock { state in
                state.isInputClosed = true
                guard case .response = state.phase else { return }
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
            guard state.isInputClosed, case .response = state.phase else { return }
            state.due = time(in: limits.halfClosed)
        }
        context.write(data, promise: promise)
    }
}
