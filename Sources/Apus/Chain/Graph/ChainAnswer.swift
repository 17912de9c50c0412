import Documents

/// What came of one request of a step.
struct ChainAnswer: Sendable {
    var outcome: ChainStepResult.Outcome
    /// Nil if nothing was sent.
    var result: Result<Response, ApusError>?
    var status: Int?
    var captures: [String: JSON] = [:]

    init(_ outcome: ChainStepResult.Outcome, _ result: Result<Response, ApusError>? = nil) {
        self.outcome = outcome
        self.result = result
        if case .success(let response)? = result { status = response.status }
    }

    /// The answer of an element that an earlier run has done.
    init(restored captures: [String: JSON]) {
        outcome = .restored
        self.captures = captures
    }

    /// What a later run needs of it; nil if it is to be sent again.
    var element: ChainState.Element? {
        outcome.isDone ? ChainState.Element(captures: ChainState.texts(captures)) : nil
    }
}
