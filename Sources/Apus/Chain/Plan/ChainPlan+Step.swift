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
            self.target = target
        }
    }
}
