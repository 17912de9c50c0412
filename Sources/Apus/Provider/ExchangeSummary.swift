/// How an exchange ended.
public struct ExchangeSummary: Sendable {
    /// The last answer delivered, or why there is none.
    public let result: Result<Response, ApusError>
    /// How many answers were delivered.
    public let responseCount: Int
    /// How often the request was sent.
    public let attempts: Int
    /// From the call to the end.
    public let duration: Duration
    /// How many exchanges shared one transfer with this one, itself included.
    public let sharedBy: Int
    /// The exchanges that hooks sent for this one, in the order in which they ended.
    public let children: [ChildExchange]

    /// Makes a summary.
    public init(
        result: Result<Response, ApusError>,
        responseCount: Int,
        attempts: Int,
        duration: Duration,
        sharedBy: Int = 1,
        children: [ChildExchange] = []
    ) {
        self.result = result
        self.responseCount = responseCount
        self.attempts = attempts
        self.duration = duration
        self.sharedBy = sharedBy
        self.children = children
    }
}
