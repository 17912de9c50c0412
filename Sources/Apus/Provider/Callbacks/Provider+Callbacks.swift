extension Provider {
    /// Sends a target and calls back.
    ///
    /// - Parameters:
    ///   - target: what is asked.
    ///   - source: where answers come from.
    ///   - caching: where they are kept this time; nil for what the target says.
    ///   - executor: where the callbacks are called, one after the other.
    ///   - progress: hears of the transfer's progress.
    ///   - completion: gets each answer once, so two from `.cacheAndServer`, and a failure
    ///     once if the exchange ends with one.
    /// - Returns: what cancels it.
    @discardableResult
    public func request(
        _ target: Target,
        from source: DataSource = .server,
        caching: CachePolicy? = nil,
        on executor: CallbackExecutor = .pool,
        progress: (@Sendable (TransferProgress) -> Void)? = nil,
        completion: @escaping @Sendable (Result<Response, ApusError>) -> Void
    ) -> RequestToken {
        let token = RequestToken()
        let events = events(for: target, from: source, caching: caching)
        token.own(
            Task {
                for await event in events {
                    executor.run {
                        Self.tell(event, token, progress: progress, completion: completion)
                    }
                }
            }
        )
        return token
    }

    private static func tell(
        _ event: ExchangeEvent,
        _ token: RequestToken,
        progress: (@Sendable (TransferProgress) -> Void)?,
        completion: (Result<Response, ApusError>) -> Void
    ) {
        switch event {
        case .willSend(let request, _): token.note(request)
        case .progress(let step): if !token.isCancelled { progress?(step) }
        case .response(let response): pass(.success(response), isLast: false, token, completion)
        case .finished(let summary):
            if case .failure = summary.result {
                pass(summary.result, isLast: true, token, completion)
            } else {
                _ = token.admit(isLast: true)
            }
        default: break
        }
    }

    private static func pass(
        _ result: Result<Response, ApusError>,
        isLast: Bool,
        _ token: RequestToken,
        _ completion: (Result<Response, ApusError>) -> Void
    ) {
        switch token.admit(isLast: isLast) {
        case .pass: completion(result)
        case .cancelled: completion(.failure(ApusError(.cancelled)))
        case .drop: break
        }
    }
}
