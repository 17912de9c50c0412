import Synchronization

/// Follows the states of all exchanges of a provider.
///
/// An exchange has exactly one final state, and after it none; then it is
/// forgotten.
public final class StatePlugin: Plugin {
    /// Is told of each new state.
    public typealias Observer =
        @Sendable (_ state: ExchangeState, _ context: ExchangeContext) -> Void

    private let states = Mutex<[ExchangeID: ExchangeState]>([:])
    private let observer: Observer

    /// Makes a plugin for one provider.
    public init(_ observer: @escaping Observer = { _, _ in }) { self.observer = observer }

    /// The states of the exchanges that run.
    public var running: [ExchangeID: ExchangeState] { states.withLock { $0 } }

    /// Notes that the request is being made.
    public func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest {
        enter(.preparing, context)
        return request
    }

    /// Notes a sending.
    public func willSend(_ request: PreparedRequest, in context: ExchangeContext) async throws {
        enter(.sending(attempt: context.attempt), context)
    }

    /// Notes an answer or a failure.
    public func didReceive(
        _ result: Result<Response, ApusError>,
        in context: ExchangeContext
    ) async {
        enter(.processing, context)
    }

    /// Notes the end.
    public func didFinish(_ summary: ExchangeSummary, in context: ExchangeContext) async {
        let state: ExchangeState =
            switch summary.result {
            case .success(let response): .succeeded(response.source)
            case .failure(let error): .failed(error.reason)
            }
        states.withLock { _ = $0.removeValue(forKey: context.id) }
        observer(state, context)
    }

    private func enter(_ state: ExchangeState, _ context: ExchangeContext) {
        states.withLock { $0[context.id] = state }
        observer(state, context)
    }
}
