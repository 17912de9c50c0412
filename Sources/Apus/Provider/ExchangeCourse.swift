/// What has happened in an exchange so far.
struct ExchangeCourse {
    let emit: Exchange.Emit
    var attempts = 0
    private var responseCount = 0
    private var lastResponse: Response?
    private var failure: ApusError?

    init(emit: @escaping Exchange.Emit) { self.emit = emit }

    /// Whether an answer was delivered.
    var hasAnswer: Bool { lastResponse != nil }

    mutating func willSend(_ request: PreparedRequest) {
        attempts += 1
        emit(.willSend(request, attempt: attempts))
    }

    mutating func deliver(_ response: Response) {
        responseCount += 1
        lastResponse = response
        emit(.response(response))
    }

    mutating func fail(_ error: ApusError) { failure = error }

    func summary(after duration: Duration) -> ExchangeSummary {
        let result: Result<Response, ApusError> =
            if let failure {
                .failure(failure)
            } else if let lastResponse {
                .success(lastResponse)
            } else {
                // Every way through an exchange delivers or throws.
                .failure(ApusError(.cancelled))
            }
        return ExchangeSummary(
            result: result,
            responseCount: responseCount,
            attempts: attempts,
            duration: duration
        )
    }
}
