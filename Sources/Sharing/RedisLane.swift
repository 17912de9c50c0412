import Dispatch
import Synchronization

/// A connection with a thread of its own: made when it is first needed, and made anew after it failed.
final class RedisLane: @unchecked Sendable {
    // @unchecked because `connection` is touched on `queue` alone.

    private let address: RedisAddress
    private let limits: RedisLimits
    private let queue: DispatchQueue
    private var connection: RedisConnection?
    /// Whether there is a connection, for other threads.
    let isConnected = Atomic(false)

    init(_ address: RedisAddress, _ limits: RedisLimits, label: String) {
        (self.address, self.limits) = (address, limits)
        queue = DispatchQueue(label: label)
    }

    /// Runs work on the lane's thread, later.
    func enqueue(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }

    /// Runs work on the lane's thread, and waits for it.
    func run<T: Sendable>(_ work: @Sendable () -> T) -> T { queue.sync(execute: work) }

    /// Runs work on the lane's thread, and returns its result; a caller that is cancelled does not wait for it.
    ///
    /// - Throws: what the work throws; `timeout` if the task is cancelled before.
    func result<T: Sendable>(
        _ work: @escaping @Sendable () throws(RedisFault) -> T
    ) async throws(RedisFault) -> T {
        let caller = WaitingCaller<Result<T, RedisFault>>()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                caller.wait(continuation)
                enqueue {
                    do throws(RedisFault) {
                        caller.resume(.success(try work()))
                    } catch {
                        caller.resume(.failure(error))
                    }
                }
            }
        } onCancel: {
            caller.resume(.failure(RedisFault(.timeout)))
        }
        return try result.get()
    }

    /// Sends commands, and returns their replies, which may be errors; on the lane's thread.
    ///
    /// - Throws: `RedisFault` if the connection failed.
    func replies(to commands: [RedisCommand]) throws(RedisFault) -> [RedisReply] {
        try send(commands).get()
    }

    /// Sends commands; on the lane's thread.
    ///
    /// A connection that the server has closed meanwhile is made anew once.
    func send(_ commands: [RedisCommand]) -> Result<[RedisReply], RedisFault> {
        let wasConnected = connection != nil
        let result = attempt(commands)
        guard wasConnected, case .failure(let fault) = result, fault.isOfOldConnection else {
            return result
        }
        return attempt(commands)
    }

    private func attempt(_ commands: [RedisCommand]) -> Result<[RedisReply], RedisFault> {
        do throws(RedisFault) {
            return .success(try connected().send(commands))
        } catch {
            connection = nil
            isConnected.store(false, ordering: .relaxed)
            return .failure(error)
        }
    }

    private func connected() throws(RedisFault) -> RedisConnection {
        if let connection { return connection }
        let made = try RedisConnection(address, limits)
        connection = made
        isConnected.store(true, ordering: .relaxed)
        return made
    }
}

/// A caller that is resumed once, by whoever is first, perhaps before it waits.
private final class WaitingCaller<Value: Sendable>: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Value, Never>)
        case resumed(Value)
    }

    private let state = Mutex(State.new)

    func wait(_ continuation: CheckedContinuation<Value, Never>) {
        let early = state.withLock { state -> Value? in
            if case .resumed(let value) = state { return value }
            state = .waiting(continuation)
            return nil
        }
        if let early { continuation.resume(returning: early) }
    }

    func resume(_ value: Value) {
        let waiting = state.withLock { state -> CheckedContinuation<Value, Never>? in
            if case .resumed = state { return nil }
            defer { state = .resumed(value) }
            guard case .waiting(let continuation) = state else { return nil }
            return continuation
        }
        waiting?.resume(returning: value)
    }
}

extension RedisFault {
    /// Whether a connection that was idle for long may have it, and a new one not.
    fileprivate var isOfOldConnection: Bool {
        switch reason {
        case .closed, .server: true
        default: false
        }
    }
}
