public import Apus

/// A chain, ready to run.
public struct ResolvedChain: Sendable {
    /// What a chain is made of.
    public enum Content: Sendable {
        /// Steps one after the other, each made by a rule.
        case chain(Chain)
        /// Steps that need one another.
        case graph(ChainGraph)
    }

    /// What is sent.
    public var content: Content
    /// The steps that are planned, in order; of a graph, in that of its plan.
    public var steps: [Step]
    /// What a rule's chain takes out of a step's answer, secrets masked.
    public var captures: @Sendable (ChainStep) -> [Capture]

    /// Where the steps stand when they are drawn; nil for those of a rule, which come one by one.
    var layout: ChainLayout? {
        switch content {
        case .chain: nil
        case .graph(let graph): graph.layout
        }
    }

    /// Where answers come from.
    public var source: DataSource {
        get {
            switch content {
            case .chain(let chain): chain.source
            case .graph(let graph): graph.source
            }
        }
        set {
            switch content {
            case .chain(var chain):
                chain.source = newValue
                content = .chain(chain)
            case .graph(var graph):
                graph.source = newValue
                content = .graph(graph)
            }
        }
    }

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

    /// Makes a resolved graph.
    public init(graph: ChainGraph, steps: [Step]) {
        content = .graph(graph)
        self.steps = steps
        captures = { _ in [] }
    }

    /// Makes a resolved chain.
    public init(
        chain: Chain,
        steps: [Step],
        captures: @escaping @Sendable (ChainStep) -> [Capture] = { _ in [] }
    ) {
        content = .chain(chain)
        self.steps = steps
        self.captures = captures
    }
}
