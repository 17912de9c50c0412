import Apus

/// Reads batches and chains.
struct FlowDecoder {
    private static let batchKeys = ["description", "targets", "concurrency", "mode", "source"]
    private static let chainKeys = ["description", "source", "steps"]
    private static let stepKeys = ["step", "target", "set", "capture"]
    private static let entryKeys = ["target", "repeat", "set"]

    let log: ProblemLog
    let variables: VariableDecoder
    private var read: NodeReader { NodeReader(log: log) }

    init(log: ProblemLog, variables: VariableDecoder) {
        self.log = log
        self.variables = variables
    }

    /// A batch: a list of targets, or a mapping with `targets`.
    func batch(_ entry: YAMLNode.Entry) -> BatchDraft? {
        if case .sequence(let nodes) = entry.value.content {
            return BatchDraft(
                name: entry.key,
                summary: nil,
                concurrency: 8,
                mode: .settled,
                source: nil,
                entries: self.entries(nodes, of: entry)
            )
        }
        let fields = Fields(
            entry.value,
            of: "a batch",
            keys: Self.batchKeys,
            expected: "a list of targets, or a mapping with `targets`",
            log: log
        )
        guard let fields else { return nil }
        let summary = read.text(fields["description"], "`description`")
        let concurrency = read.integer(fields["concurrency"], "`concurrency`", in: 1...1000)
        let mode = read.word(
            fields["mode"],
            "`mode`",
            ["all": BatchDefinition.Mode.all, "settled": .settled],
            order: ["all", "settled"]
        )
        let source = SettingsDecoder.source(fields["source"], log)
        guard fields["targets"] != nil else {
            log.add(
                entry.keySpan,
                "the batch `\(entry.key)` has no `targets`",
                expected: "a list of targets"
            )
            return nil
        }
        guard let nodes = read.list(fields["targets"], "`targets`") else { return nil }
        return BatchDraft(
            name: entry.key,
            summary: summary,
            concurrency: concurrency ?? 8,
            mode: mode ?? .settled,
            source: source,
            entries: self.entries(nodes, of: entry)
        )
    }

    /// A chain: a list of steps, or a mapping with `steps`.
    func chain(_ entry: YAMLNode.Entry) -> ChainDraft? {
        if case .sequence(let nodes) = entry.value.content {
            return ChainDraft(
                name: entry.key,
                summary: nil,
                source: nil,
                steps: steps(nodes, of: entry)
            )
        }
        let fields = Fields(
            entry.value,
            of: "a chain",
            keys: Self.chainKeys,
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
        return ChainDraft(
            name: entry.key,
            summary: summary,
            source: source,
            steps: steps(nodes, of: entry)
        )
    }

    private func entries(_ nodes: [YAMLNode], of batch: YAMLNode.Entry) -> [BatchDraft.Entry] {
        if nodes.isEmpty { log.add(batch.keySpan, "the batch `\(batch.key)` has no targets") }
        return nodes.enumerated().compactMap { index, node in
            self.entry(node, id: "\(batch.key)#\(index + 1)")
        }
    }

    private func entry(_ node: YAMLNode, id: String) -> BatchDraft.Entry? {
        if case .mapping(let entries) = node.content,
            !entries.contains(where: { $0.key == "request" })
        {
            guard let fields = Fields(node, of: "a batch's target", keys: Self.entryKeys, log: log)
            else { return nil }
            let count = read.integer(fields["repeat"], "`repeat`", in: 1...100_000)
            let values = variables.assignments(fields["set"])
            guard let target = fields["target"] else {
                log.add(node.span, "a batch's target has no `target`", expected: "a target's name")
                return nil
            }
            return reference(target, id: id).map {
                BatchDraft.Entry(target: $0, repeatCount: count ?? 1, values: values)
            }
        }
        return reference(node, id: id).map {
            BatchDraft.Entry(target: $0, repeatCount: 1, values: [])
        }
    }

    private func steps(_ nodes: [YAMLNode], of chain: YAMLNode.Entry) -> [ChainDraft.Step] {
        if nodes.isEmpty { log.add(chain.keySpan, "the chain `\(chain.key)` has no steps") }
        var names: Set<String> = []
        return nodes.compactMap { node in
            guard let step = step(node, of: chain.key) else { return nil }
            if !names.insert(step.name).inserted {
                log.add(step.span, "the chain `\(chain.key)` has a step `\(step.name)` already")
            }
            return step
        }
    }

    private func step(_ node: YAMLNode, of chain: String) -> ChainDraft.Step? {
        guard let fields = Fields(node, of: "a step", keys: Self.stepKeys, log: log) else {
            return nil
        }
        let name = read.text(fields["step"], "`step`")
        let captures = read.entries(fields["capture"], "`capture`").compactMap(capture)
        let values = variables.assignments(fields["set"])
        guard let nameNode = fields["step"], let target = fields["target"] else {
            let missing = fields["step"] == nil ? "step" : "target"
            log.add(
                node.span,
                "a step has no `\(missing)`",
                expected: missing == "step" ? "`step: name`" : "a target's name"
            )
            return nil
        }
        guard let name, let reference = reference(target, id: "\(chain)#\(name)") else {
            return nil
        }
        return ChainDraft.Step(
            name: name,
            span: nameNode.span,
            target: reference,
            captures: captures,
            values: values
        )
    }

    private func capture(_ entry: YAMLNode.Entry) -> Capture? {
        guard variables.isName(entry), let text = read.text(entry.value, "a capture") else {
            return nil
        }
        do throws(CapturePath.Fault) {
            return Capture(name: entry.key, path: try CapturePath(text))
        } catch {
            let isQuoted = entry.value.span.length == text.unicodeScalars.count + 2
            log.add(
                entry.value.span.advanced(by: error.offset + (isQuoted ? 1 : 0), length: 1),
                "`\(text)` is no path into an answer",
                expected: "\(error.expected), as in `$.user.roles[0]`, `header:X-Token`, `status`"
            )
            // Known all the same, so that later steps have no fault for it.
            return Capture(name: entry.key, path: .body([]))
        }
    }

    private func reference(_ node: YAMLNode, id: String) -> TargetReference? {
        switch node.content {
        case .scalar(let text, _) where !node.isNull && !TargetDecoder.isRequestLine(text):
            return .named(text, node.span)
        case .sequence:
            log.add(node.span, "a target cannot be a list", expected: "a target's name")
            return nil
        default:
            var name = id
            if case .scalar(let text, _) = node.content { name = text }
            return TargetDecoder(log: log).target(node, name: name, id: id, span: node.span)
                .map { .inline($0) }
        }
    }
}
