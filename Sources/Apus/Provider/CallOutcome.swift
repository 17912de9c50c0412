/// What a call to the server came to.
struct CallOutcome: Sendable {
    let result: Result<Response, ApusError>
    /// How often something was sent.
    let attempts: Int
    /// What interceptors sent beside it.
    let children: [ChildExchange]
}
