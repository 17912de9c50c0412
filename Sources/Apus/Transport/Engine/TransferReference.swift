import Synchronization

/// The transfer of a waiting task, which may be cancelled before there is one.
final class TransferReference: Sendable {
    private struct State {
        var transfer: CurlTransfer?
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// The transfer, once there is one.
    var transfer: CurlTransfer? { state.withLock { $0.transfer } }

    /// Names the transfer; false if the task is cancelled already.
    func set(_ transfer: CurlTransfer) -> Bool {
        state.withLock { state in
            guard !state.isCancelled else { return false }
            state.transfer = transfer
            return true
        }
    }

    /// Notes the cancellation and gives the transfer that it concerns.
    func cancel() -> CurlTransfer? {
        state.withLock { state in
            state.isCancelled = true
            return state.transfer
        }
    }
}
