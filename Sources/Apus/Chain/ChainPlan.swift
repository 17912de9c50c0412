public import Documents
import Secrets

/// A graph of steps: what each step sends, which steps it needs, and which values it captures.
///
/// A step begins when all steps that it needs are done, or as its `join` says. Steps that do not need
/// each other run side by side. A plan is checked when it becomes a `ChainGraph`, before anything is sent.
///
/// ```swift
/// let plan = ChainPlan([
///     .init("create", captures: [try .init("id", "$.id")]) { _ in API.create },
///     .init("show", needs: ["create"], uses: ["id"]) { API.show(try $0.text("id")) },
/// ])
/// let summary = await provider.summary(of: try ChainGraph(plan))
/// ```
public struct ChainPlan: Sendable {
    /// The steps; their order only decides which of several ready steps begins first.
    public var steps: [Step]
    /// Where responses come from, unless a step says otherwise.
    public var source: DataSource
    /// Where responses are cached, unless a step says otherwise; nil uses each target's own policy.
    public var caching: CachePolicy?
    /// How many requests of all steps may run at once, at least 1.
    public var concurrency: Int
    /// How long each request may take, including making its target; nil for no limit beyond the target's own.
    ///
    /// A request that takes longer fails with the reason `.timeout(.step, …)`.
    public var stepTimeout: Duration?
    /// How long the whole run may take; nil for no limit.
    public var timeout: Duration?
    /// The clock for both time limits.
    public var clock: any Clock<Duration>
    /// Whether step results keep their responses; captures are always kept.
    ///
    /// If false, each response is released as soon as its values are captured.
    public var keepsResponses: Bool
    /// The largest body, in bytes, that values are captured from.
    ///
    /// The tree of a body may take eight times as much memory. A step that captures from a longer body fails;
    /// the status and header fields can be captured whatever the body's size.
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
    /// A value to take from a response, and the name that later steps use for it.
    public struct Capture: Sendable {
        /// The name that later steps use.
        public var name: String
        /// Where in the response the value is.
        public var path: CapturePath
        /// The value to use if the response has none; if nil, the step fails.
        public var fallback: JSON?

        /// Makes a capture.
        public init(_ name: String, _ path: CapturePath, fallback: JSON? = nil) {
            self.name = name
            self.path = path
            self.fallback = fallback
        }

        /// Makes a capture from a path as text, such as `$.user.id` or `header:ETag`.
        ///
        /// - Throws: `JSONPathError` if the text is not a path.
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
    /// Whether it captures a credential, judged by its own name or the name in the response.
    package var isCredential: Bool { shortestCredential != .max }

    /// The minimum length in bytes for the value to count as a credential; `Int.max` if it never does.
    var shortestCredential: Int {
        min(CapturedCredentials.shortest(named: name), path.shortestCredential)
    }
}

extension ChainPlan {
    /// A captured list; the step runs once for each element.
    ///
    /// The step's captures become lists in the order of the elements. For an empty list the step is done at
    /// once.
    public struct ForEach: Sendable, Hashable {
        /// The name of the captured list.
        public var list: String
        /// The name of the current element in the step's values; `index` is its number, counted from 1.
        public var element: String
        /// How many elements may run at once, within the plan's limit.
        public var concurrency: Int
        /// What the failure of one element does to the others and to the step.
        ///
        /// With `.settled` the step is done whatever happens, and the captures of an element that failed are null.
        public var mode: Batch.Mode
        /// How many elements the list may have; a longer list fails the step before anything is sent.
        public var limit: Int

        /// The default for `limit`.
        public static let standardLimit = 10_000

        /// Makes a loop over a list; a `concurrency` below 1 becomes 1.
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
    /// A step skipped because of a failure counts as failed. A step skipped by a condition, its own or that of
    /// an earlier step, does not. A step that did not run has captured nothing: a step that uses such a value
    /// fails with `.noValue`.
    public enum Join: String, Sendable, Hashable, CaseIterable {
        /// All are done; the first that is not skips the step at once.
        case all
        /// All have ended and none has failed; some may have been skipped by conditions.
        case noneFailed
        /// All have ended and at least one is done.
        case any
        /// All have ended, whatever the outcome: for steps that clean up or report a failure.
        case ended
    }
}

extension ChainPlan {
    /// One step of a plan.
    public struct Step: Sendable {
        /// Makes the target from the values that earlier steps captured.
        public typealias Target = @Sendable (ChainValues) async throws -> any TargetType

        /// The name, unique in the plan.
        public var name: String
        /// The names of the steps that it needs.
        public var needs: [String]
        /// How the needed steps must have ended.
        public var join: Join
        /// The captured values that `target` uses, so that a value that no needed step captures is reported
        /// before anything is sent.
        public var uses: [String]
        /// The values that later steps get from its response.
        public var captures: [Capture]
        /// The condition for running it, else the step is skipped; nil to run always.
        public var condition: ChainCondition?
        /// The list whose elements it runs for; nil to run once.
        public var forEach: ForEach?
        /// Which responses are accepted; any other fails the step.
        public var accepts: Validation
        /// Where its response comes from; nil uses the plan's source.
        public var source: DataSource?
        /// Where its response is cached; nil uses the plan's policy.
        public var caching: CachePolicy?
        /// Makes the target.
        public var target: Target
        /// Says why a response, of a target and after a time, ends the step as a failure; nil if it does not.
        package var check: (@Sendable (any TargetType, Response, Duration) -> String?)?

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
