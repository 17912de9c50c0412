extension Provider {
    /// Sends a target and calls back with values.
    ///
    /// Values are read off the executor, in order.
    ///
    /// - Parameters:
    ///   - target: what is asked.
    ///   - serializer: what reads each answer.
    ///   - source: where answers come from.
    ///   - executor: where the callbacks are called, one after the other.
    ///   - progress: hears of the transfer's progress.
    ///   - completion: gets each answer with its value once, so two from `.cacheAndServer`, and a
    ///     failure once if the exchange ends with one.
    /// - Returns: what cancels it.
    @discardableResult
    public func request<S: ResponseSerializer>(
        _ target: Target,
        using serializer: S,
        from source: DataSource = .server,
        on executor: CallbackExecutor = .pool,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        completion: @escaping @Sendable (MappedResponse<S.Value>) -> Void
    ) -> RequestToken where S.Value: Sendable {
        let token = RequestToken()
        let events = events(for: target, from: source)
        token.own(
            Task {
                for await event in events {
                    let mapped = await Self.mapped(event, serializer)
                    executor.run {
                        Self.tell(event, mapped, token, progress: progress, completion: completion)
                    }
                }
            }
        )
        return token
    }

    private static func mapped<S: ResponseSerializer>(
        _ event: ExchangeEvent,
        _ serializer: S
    ) async -> MappedResponse<S.Value>? where S.Value: Sendable {
        switch event {
        case .response(let response): await serializer.mappedConcurrently(response)
        case .finished(let summary): summary.result.failure.map { .failed($0) }
        default: nil
        }
    }

    private static func tell<Value>(
        _ event: ExchangeEvent,
        _ mapped: MappedResponse<Value>?,
        _ token: RequestToken,
        progress: (@Sendable (TransferProgress) -> Void)?,
        completion: (MappedResponse<Value>) -> Void
    ) {
        var isLast = false
        switch event {
        case .willSend(let request, _): token.note(request)
        case .progress(let step): if !token.isCancelled { progress?(step) }
        case .finished: isLast = true
        default: break
        }
        guard mapped != nil || isLast else { return }
        let verdict = token.admit(isLast: isLast)
        // An end without a failure has nothing to tell.
        guard let mapped else { return }
        switch verdict {
        case .pass: completion(mapped)
        case .cancelled: completion(.failed(ApusError(.cancelled)))
        case .drop: break
        }
    }
}

extension MappedResponse {
    /// No value, with what there is of an answer.
    static func failed(_ error: ApusError) -> MappedResponse {
        MappedResponse(response: error.response, result: .failure(error))
    }
}

extension Result {
    /// Why there is no success.
    var failure: Failure? { if case .failure(let error) = self { error } else { nil } }
}
