public import Apus
import Documents
import Secrets
import Terminal

/// A request, ready to be sent and shown.
public struct ResolvedTarget: Sendable {
    /// What is sent.
    public var target: any TargetType
    /// Where its responses come from; nil if the target does not say.
    public var source: DataSource?
    /// The URL, with secrets masked.
    public var url: String
    /// Further facts in short pieces, most useful first: header fields, credentials (masked), the cache policy.
    public var details: [String]
    /// What the workspace would add if the target took its defaults: "bearer", "Accept".
    package var leftOut: [String] = []

    /// Makes a resolved target; masks credentials where a name gives them away.
    public init(target: any TargetType, source: DataSource?, url: String, details: [String]) {
        self.target = target
        self.source = source
        let mask = CredentialMask()
        self.url = mask.masking(url: url)
        self.details = details.map { mask.masking(headerLine: $0) }
    }

    /// The part of the URL after the host; "/" if it is empty.
    public var requestTarget: String {
        guard let scheme = url.firstRange(of: "://") else { return url }
        let rest = url[scheme.upperBound...].drop { $0 != "/" && $0 != "?" }
        return rest.isEmpty ? "/" : String(rest)
    }
}

/// A batch, ready to run.
public struct ResolvedBatch: Sendable {
    /// What is sent.
    public var batch: Batch
    /// A line for each target of the batch: "GET /users/7".
    public var titles: [String]
    /// The target's name for each line; empty if the lines say enough.
    public var names: [String]
    /// What is expected of it; nil if nothing is.
    var checks: BatchChecks?

    /// Makes a resolved batch.
    public init(batch: Batch, titles: [String], names: [String] = []) {
        self.batch = batch
        self.titles = titles
        self.names = names
    }
}

/// A chain, ready to run.
public struct ResolvedChain: Sendable {
    /// What a chain is made of.
    public enum Content: Sendable {
        /// Steps one after the other, each made by a rule.
        case chain(Chain)
        /// Steps that depend on one another.
        case graph(ChainGraph)
    }

    /// What is sent.
    public var content: Content
    /// The planned steps, in order; for a graph, in the order of its plan.
    public var steps: [Step]
    /// The values that a step captured for later steps, secrets masked.
    public var captures: @Sendable (ChainStepResult) -> [Capture]

    /// Where the steps stand in a drawing; nil for the steps of a rule, which become known one by one.
    var layout: ChainLayout? {
        switch content {
        case .chain: nil
        case .graph(let graph): graph.layout
        }
    }

    /// Where responses come from.
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

    /// Replaces each target.
    mutating func mapTargets(
        _ transform: @escaping @Sendable (Int, String?, any TargetType) -> any TargetType
    ) {
        switch content {
        case .chain(let chain): content = .chain(chain.mapTargets(transform))
        case .graph(let graph): content = .graph(graph.mapTargets(transform))
        }
    }

    /// The events of a run.
    func events(
        of provider: AnyProvider,
        resuming done: ChainState? = nil
    ) -> ChainEvents {
        switch content {
        case .chain(let chain): provider.events(for: chain)
        case .graph(let graph): provider.events(for: graph, resuming: done)
        }
    }

    /// A named value that a later step uses.
    public struct Capture: Sendable, Hashable {
        /// The name by which later steps use it.
        public var name: String
        /// What was captured, as text.
        public var value: String

        /// Makes a capture.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// A planned step.
    public struct Step: Sendable, Hashable {
        /// The name by which events and other steps refer to it, unique in the chain.
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
        var graph = graph
        // The screen shows captures, not responses, of which `forEach` can make thousands.
        graph.keepsResponses = false
        content = .graph(graph)
        self.steps = steps
        captures = { [graph] in graph.captures(of: $0) }
    }

    /// Makes a resolved chain.
    public init(
        chain: Chain,
        steps: [Step],
        captures: @escaping @Sendable (ChainStepResult) -> [Capture] = { _ in [] }
    ) {
        content = .chain(chain)
        self.steps = steps
        self.captures = captures
    }
}

extension ChainGraph {
    /// A step's captured values for the screen, in the order of the plan.
    func captures(of step: ChainStepResult) -> [ResolvedChain.Capture] {
        shownCaptures(of: step, inLine: true).map { capture in
            ResolvedChain.Capture(name: capture.name, value: capture.value.shortText)
        }
    }
}

extension JSON {
    /// The value in a few characters.
    fileprivate var shortText: String {
        switch kind {
        case nil, .null: "null"
        case .true: "true"
        case .false: "false"
        case .integer, .decimal: numberText ?? ""
        // No screen shows more of a long string.
        case .string: TextWidth.cut(string ?? "", to: 1024)
        case .array: "[\(count)]"
        case .object: "{\(count)}"
        }
    }
}
