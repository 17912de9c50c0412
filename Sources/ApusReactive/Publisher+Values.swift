public import Apus
public import OpenCombine

extension Publisher where Output == Response, Failure == ApusError {
    /// The value that a serializer reads from each response; one that cannot be read ends the publisher with
    /// that failure, usually with the reason `.mapping`.
    public func value<S: ResponseSerializer>(
        using serializer: S
    ) -> AnyPublisher<S.Value, ApusError> {
        reading { response throws(ApusError) in try serializer.serialize(response) }
    }

    /// Responses with one of these statuses; any other is the failure `.unacceptableStatus`.
    public func filter(
        statuses: some Sequence<Int> & Sendable
    ) -> AnyPublisher<Response, ApusError> {
        reading { response throws(ApusError) in try response.filter(statuses: statuses) }
    }

    /// Responses with this status; any other is the failure `.unacceptableStatus`.
    public func filter(status: Int) -> AnyPublisher<Response, ApusError> {
        reading { response throws(ApusError) in try response.filter(status: status) }
    }

    /// Responses with a status of 200 to 299; any other is the failure `.unacceptableStatus`.
    public func filterSuccessfulStatuses() -> AnyPublisher<Response, ApusError> {
        filter(accepting: .successCodes)
    }

    /// Responses with a status of 200 to 399; any other is the failure `.unacceptableStatus`.
    public func filterSuccessfulAndRedirectStatuses() -> AnyPublisher<Response, ApusError> {
        filter(accepting: .successAndRedirectCodes)
    }

    /// Responses that a rule accepts; any other is the failure `.unacceptableStatus`.
    public func filter(accepting rule: Validation) -> AnyPublisher<Response, ApusError> {
        reading { response throws(ApusError) in try response.filter(accepting: rule) }
    }

    /// The value that `read` returns for each response; the first error ends the publisher.
    func reading<Value>(
        _ read: @escaping (Response) throws(ApusError) -> Value
    ) -> AnyPublisher<Value, ApusError> {
        tryMap { response in try read(response) }
            .mapError { error in
                // Neither the upstream publisher nor `read` fails with anything else.
                error as? ApusError ?? ApusError(.cancelled)
            }
            .eraseToAnyPublisher()
    }
}

extension Publisher where Output == ExchangeProgress {
    /// Only the responses, as each arrives.
    public func filterCompleted() -> AnyPublisher<Response, Failure> {
        compactMap { state in state.hasNewResponse ? state.response : nil }.eraseToAnyPublisher()
    }

    /// Only the progress of the transfer.
    public func filterProgress() -> AnyPublisher<TransferProgress, Failure> {
        compactMap { state in state.hasNewResponse ? nil : state.transfer }.eraseToAnyPublisher()
    }
}
