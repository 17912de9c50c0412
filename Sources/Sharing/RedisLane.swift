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

extension RedisFault {
    /// Whether a connection that was idle for long may have it, and a new one not.
    fileprivate var isOfOldConnection: Bool {
        switch reason {
        case .closed, .server: true
        default: false
        }
    }
}

extension RedisLane {
    /// Runs work on the lane's thread without blocking the caller's.
    ///
    /// - Throws: what the work throws.
    func perform<T: Sendable>(
        _ work: @escaping @Sendable () throws(RedisFault) -> T
    ) async throws(RedisFault) -> T {
        let result: Result<T, RedisFault> = await withCheckedContinuation { caller in
            enqueue {
                do throws(RedisFault) {
                    caller.resume(returning: .success(try work()))
                } catch {
                    caller.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }

    /// Sends commands on the lane's thread, and returns their replies, which may be errors.
    ///
    /// - Throws: `RedisFault` if the server cannot be reached.
    func replies(to commands: [RedisCommand]) async throws(RedisFault) -> [RedisReply] {
        try await perform { [self] () throws(RedisFault) in try send(commands).get() }
    }
}
