public import Apus

/// A chain, ready to run.
public struct ResolvedChain: Sendable {
    /// What is sent.
    public var chain: Chain
    /// The steps that are planned, in order.
    public var steps: [Step]
    /// What the chain takes out of a step's answer, secrets masked.
    public var captures: @Sendable (ChainStep) -> [Capture]

    /// A named value that a later step uses.
    public struct Capture: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// Its text.
        public var value: String

        /// Makes a capture.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A planned step.
    public struct Step: Sendable, Hashable {
        /// Its name.
        public var name: String
        /// What it sends: "POST /users".
        public var title: String

        /// Makes a step.
        public init(name: String, title: String) {
            self.name = name
            self.title = title
        }
    }

    /// Makes a resolved chain.
    public init(
        chain: Chain,
        steps: [Step],
        captures: @escaping @Sendable (ChainStep) -> [Capture] = { _ in [] }
    ) {
        self.chain = chain
        self.steps = steps
        self.captures = captures
    }
}
