/// Steps that need one another: what is sent when, and what is taken from where.
///
/// A step begins when all that it needs is done, or as its `join` says; those that do not need each other
/// run side by side. A plan is checked when it becomes a `ChainGraph`, before
/// anything is sent.
///
/// ```swift
/// let plan = ChainPlan([
///     .init("create", captures: [try .init("id", "$.id")]) { _ in API.create },
///     .init("show", needs: ["create"], uses: ["id"]) { API.show(try $0.text("id")) },
/// ])
/// let summary = await provider.summary(of: try ChainGraph(plan))
/// ```
public struct ChainPlan: Sendable {
    /// The steps; their order only decides which of two that could begin is first.
    public var steps: [Step]
    /// Where answers come from, unless a step says otherwise.
    public var source: DataSource
    /// How many requests of all steps are under way at once, at least 1.
    public var concurrency: Int
    /// How long each request may take, its target's making with it; nil for no limit
    /// beyond the target's own.
    ///
    /// One that takes longer fails with the reason `.timeout(.step, …)`.
    public var stepTimeout: Duration?
    /// How long all may take together; nil for no limit.
    public var timeout: Duration?
    /// What the limits are measured by.
    public var clock: any Clock<Duration>
    /// Whether the results of steps keep their answers; captures are always kept.
    public var keepsResponses: Bool
    /// How many bytes a body may have that values are captured from; those of the status and of
    /// header fields are captured whatever the body is.
    ///
    /// Its tree may take eight times as much. A step with a longer body fails.
    public var captureLimit: Int

    /// Makes a plan.
    public init(
        _ steps: [Step],
        from source: DataSource = .server,
        concurrency: Int = 8,
        stepTimeout: Duration? = nil,
        timeout: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        keepsResponses: Bool = true,
        captureLimit: Int = 128 << 20
    ) {
        self.steps = steps
        self.source = source
        self.concurrency = max(1, concurrency)
        self.stepTimeout = stepTimeout
        self.timeout = timeout
        self.clock = clock
        self.keepsResponses = keepsResponses
        self.captureLimit = captureLimit
    }
}
