import Dispatch
import Synchronization

/// Reads that wait no longer than a time limit, many of them in one round trip.
///
/// ```
/// read ─▶ waiting ─┐            one thread: what waits is sent at once
/// read ─▶ waiting ─┴▶ [GET GET] ─▶ server ─▶ replies, in order
///    └ after the limit: unavailable, and so is what comes until the server has responded
/// ```
final class RedisReader: Sendable {
    typealias Outcome = Result<RedisReply, RedisFault>

    private final class Waiting: Sendable {
        let command: RedisCommand
        private let caller: Mutex<CheckedContinuation<Outcome, Never>?>

        init(_ command: RedisCommand, _ caller: CheckedContinuation<Outcome, Never>) {
            self.command = command
            self.caller = Mutex(caller)
        }

        /// Resumes the caller unless that has happened; returns whether it did.
        @discardableResult
        func resume(_ outcome: Outcome) -> Bool {
            guard let caller = caller.withLock({ $0.take() }) else { return false }
            caller.resume(returning: outcome)
            return true
        }
    }

    private struct State {
        var waiting: [Waiting] = []
        /// Whether the server owes a reply for longer than the limit.
        var isLate = false
    }

    private let lane: RedisLane
    private let budget: Duration
    private let health: ServerHealth
    private let notice: NoticeBoard
    private let state = Mutex(State())
    private let timer = DispatchQueue(label: "apus.redis.limits")

    init(_ lane: RedisLane, budget: Duration, health: ServerHealth, _ notice: NoticeBoard) {
        (self.lane, self.budget, self.health, self.notice) = (lane, budget, health, notice)
    }

    /// The reply to a command, or why there is none.
    func read(_ command: RedisCommand) async -> Outcome {
        if state.withLock(\.isLate) { return .failure(RedisFault(.timeout)) }
        if case .failure(let fault) = health.mayTry() { return .failure(fault) }
        return await withCheckedContinuation { caller in
            let waiting = Waiting(command, caller)
            let isFirst = state.withLock { state in
                state.waiting.append(waiting)
                return state.waiting.count == 1
            }
            timer.asyncAfter(deadline: .now() + budget.dispatchInterval) { [weak self] in
                self?.expire(waiting)
            }
            if isFirst { lane.enqueue { [self] in drain() } }
        }
    }

    private func expire(_ waiting: Waiting) {
        guard waiting.resume(.failure(RedisFault(.timeout))) else { return }
        state.withLock { $0.isLate = true }
        // A connection that is being made has more time, and says itself why it failed.
        if lane.isConnected.load(ordering: .relaxed) {
            notice.post(health.fail(RedisFault(.timeout)))
        }
    }

    private func drain() {
        let batch = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        guard !batch.isEmpty else { return }
        let result = lane.send(batch.map(\.command))
        state.withLock { $0.isLate = false }
        switch result {
        case .failure(let fault):
            notice.post(health.fail(fault))
            for waiting in batch { waiting.resume(.failure(fault)) }
        case .success(let replies):
            var isInTime = false
            var fault: RedisFault?
            for (waiting, reply) in zip(batch, replies) {
                if case .error(let text) = reply, !text.hasPrefix("WRONGTYPE") {
                    let found = RedisFault(serverError: text)
                    fault = found
                    waiting.resume(.failure(found))
                } else {
                    isInTime = waiting.resume(.success(reply)) || isInTime
                }
            }
            if let fault {
                notice.post(health.fail(fault))
            } else if isInTime {
                notice.post(health.succeed())
            }
        }
    }
}

extension Duration {
    fileprivate var dispatchInterval: DispatchTimeInterval {
        .nanoseconds(Int(clamping: Int64(self / .nanoseconds(1))))
    }
}
