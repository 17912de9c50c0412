public import Documents

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
    /// Where answers are kept, unless a step says otherwise; nil for what each target says.
    public var caching: CachePolicy?
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
    ///
    /// Without it each answer is let go of as soon as its values are taken.
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
        caching: CachePolicy? = nil,
        concurrency: Int = 8,
        stepTimeout: Duration? = nil,
        timeout: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        keepsResponses: Bool = true,
        captureLimit: Int = 128 << 20
    ) {
        self.steps = steps
        self.source = source
        self.caching = caching
        self.concurrency = max(1, concurrency)
        self.stepTimeout = stepTimeout
        self.timeout = timeout
        self.clock = clock
        self.keepsResponses = keepsResponses
        self.captureLimit = captureLimit
    }
}

extension ChainPlan {
    /// A value of an answer, and the name that later steps have for it.
    public struct Capture: Sendable {
        /// The name.
        public var name: String
        /// Where the value is.
        public var path: CapturePath
        /// What it is if the answer does not have it; nil if the step fails then.
        public var fallback: JSON?

        /// Makes a capture.
        public init(_ name: String, _ path: CapturePath, fallback: JSON? = nil) {
            self.name = name
            self.path = path
            self.fallback = fallback
        }

        /// Makes a capture from a path as people write it.
        ///
        /// - Throws: `JSONPathError` if it is none.
        public init(
            _ name: String,
            _ path: String,
            fallback: JSON? = nil
        ) throws(JSONPathError) {
            self.init(name, try CapturePath(path), fallback: fallback)
        }
    }
}

extension ChainPlan.Capture {
    /// Whether it is a credential, by its name or by the name that it has in the answer.
    package var isCredential: Bool { shortestCredential != .max }

    /// How many bytes it must have to be a secret wherever it stands; `Int.max` if it is none.
    var shortestCredential: Int {
        min(CapturedCredentials.shortest(named: name), path.shortestCredential)
    }
}

extension ChainPlan {
    /// A captured list, for each of whose elements a step runs once.
    ///
    /// The step's captures gather as lists in the order of the elements. In an
    /// empty list there is nothing to do, and the step is done.
    public struct ForEach: Sendable, Hashable {
        /// The captured list.
        public var list: String
        /// What an element is called in the step's values; `index` counts from 1.
        public var element: String
        /// How many elements are under way at once, within the plan's limit.
        public var concurrency: Int
        /// What the failure of one does to the others and to the step; with
        /// `.settled` the step is done whatever happened, and what an element
        /// did not give is null.
        public var mode: Batch.Mode
        /// How many elements the list may have; with more the step fails before it sends any.
        public var limit: Int

        /// How many elements a list may have, if nothing else is said.
        public static let standardLimit = 10_000

        /// Makes one.
        public init(
            _ list: String,
            as element: String = "item",
            concurrency: Int = 8,
            mode: Batch.Mode = .all,
            limit: Int = ForEach.standardLimit
        ) {
            self.list = list
            self.element = element
            self.concurrency = max(1, concurrency)
            self.mode = mode
            self.limit = limit
        }
    }
}

extension ChainPlan {
    /// How the steps that a step needs must have ended for it to run.
    ///
    /// A step that is skipped because of a failure counts as failed, one that is skipped by a
    /// condition, its own or that of a step before it, does not. What was not run has captured
    /// nothing: a step that uses such a value fails with `.noValue`.
    public enum Join: String, Sendable, Hashable, CaseIterable {
        /// All are done; one that is not skips the step at once.
        case all
        /// All have ended and none has failed: some may be skipped by their conditions.
        case noneFailed
        /// All have ended and at least one is done.
        case any
        /// All have ended, however: for what tidies up, or tells of a failure.
        case ended
    }
}

extension ChainPlan {
    /// One step of a plan.
    public struct Step: Sendable {
        /// Makes the target from what the steps before it captured.
        public typealias Target = @Sendable (ChainValues) async throws -> any TargetType

        /// Its name, unique in the plan.
        public var name: String
        /// The steps that must be done before it.
        public var needs: [String]
        /// How they must have ended, if done is not the word.
        public var join: Join
        /// The captured values that `target` uses, so that a value which no needed
        /// step makes is found before anything is sent.
        public var uses: [String]
        /// What later steps get from its answer.
        public var captures: [Capture]
        /// When it runs; it is skipped if the condition is not true.
        public var condition: ChainCondition?
        /// The list for whose elements it runs; nil to run once.
        public var forEach: ForEach?
        /// Which statuses are good; with any other the step fails.
        public var accepts: Validation
        /// Where its answer comes from; nil for what the plan says.
        public var source: DataSource?
        /// Where its answer is kept; nil for what the plan says.
        public var caching: CachePolicy?
        /// Makes the target.
        public var target: Target

        /// Makes a step.
        public init(
            _ name: String,
            needs: [String] = [],
            join: Join = .all,
            uses: [String] = [],
            captures: [Capture] = [],
            when condition: ChainCondition? = nil,
            forEach: ForEach? = nil,
            accepts: Validation = .successAndRedirectCodes,
            from source: DataSource? = nil,
            caching: CachePolicy? = nil,
            target: @escaping Target
        ) {
            self.name = name
            self.needs = needs
            self.join = join
            self.uses = uses
            self.captures = captures
            self.condition = condition
            self.forEach = forEach
            self.accepts = accepts
            self.source = source
            self.caching = caching
            self.target = target
        }
    }
}
