import Apus

/// Reads chains.
struct ChainDecoder {
    private static let keys = ["description", "source", "steps"]
    /// What all steps need together grows with the square of their number: at so many, 12 MB.
    private static let maximumSteps = 10_000

    let log: ProblemLog
    let variables: VariableDecoder
    private var read: NodeReader { NodeReader(log: log) }

    init(log: ProblemLog, variables: VariableDecoder) {
        self.log = log
        self.variables = variables
    }

    /// A chain: a list of steps, or a mapping with `steps`.
    func chain(_ entry: YAMLNode.Entry) -> ChainDraft? {
        if case .sequence(let nodes) = entry.value.content {
            return draft(nodes, of: entry)
        }
        let fields = Fields(
            entry.value,
            of: "a chain",
            keys: Self.keys,
            expected: "a list of steps, or a mapping with `steps`",
            log: log
        )
        guard let fields else { return nil }
        let summary = read.text(fields["description"], "`description`")
        let source = SettingsDecoder.source(fields["source"], log)
        guard fields["steps"] != nil else {
            log.add(
                entry.keySpan,
                "the chain `\(entry.key)` has no `steps`",
                expected: "a list of steps"
            )
            return nil
        }
        guard let nodes = read.list(fields["steps"], "`steps`") else { return nil }
        return draft(nodes, of: entry, summary: summary, source: source)
    }

    private func draft(
        _ nodes: [YAMLNode],
        of entry: YAMLNode.Entry,
        summary: String? = nil,
        source: DataSource? = nil
    ) -> ChainDraft {
        if nodes.isEmpty { log.add(entry.keySpan, "the chain `\(entry.key)` has no steps") }
        if nodes.count > Self.maximumSteps {
            log.add(
                entry.keySpan,
                "the chain `\(entry.key)` has more than 10,000 steps",
                hint: "`forEach` runs a step for each element of a list"
            )
            return ChainDraft(name: entry.key, summary: summary, source: source, steps: [])
        }
        let decoder = ChainStepDecoder(log: log, variables: variables, chain: entry.key)
        var names: Set<String> = []
        var isWhole = true
        let steps = nodes.compactMap { node -> ChainDraft.Step? in
            guard let step = decoder.step(node) else {
                isWhole = false
                return nil
            }
            if !names.insert(step.name).inserted {
                log.add(step.span, "the chain `\(entry.key)` has a step `\(step.name)` already")
                isWhole = false
            }
            return step
        }
        let draft = ChainDraft(name: entry.key, summary: summary, source: source, steps: steps)
        // A step that could not be read is not missed a second time.
        if isWhole { ChainDraftCheck(draft: draft, log: log).check() }
        return draft
    }
}
