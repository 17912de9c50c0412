import Apus
import Documents

struct ChainDecoder {
    /// Limited because the sets of needed steps grow with the square of the number of steps: here to 12 MB.
    private static let maximumSteps = 10_000

    let log: ProblemLog
    let variables: VariableDecoder
    private var read: NodeReader { NodeReader(log: log) }

    init(log: ProblemLog, variables: VariableDecoder) {
        self.log = log
        self.variables = variables
    }

    /// Reads a chain: a list of steps, or a mapping with `steps`; nil if it cannot be read, which is logged.
    func chain(_ entry: YAMLNode.Entry) -> UnlinkedChain? {
        if case .sequence(let nodes) = entry.value.content {
            return draft(nodes, of: entry)
        }
        let fields = Fields(
            entry.value,
            of: .chain,
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
    ) -> UnlinkedChain {
        if nodes.isEmpty { log.add(entry.keySpan, "the chain `\(entry.key)` has no steps") }
        if nodes.count > Self.maximumSteps {
            log.add(
                entry.keySpan,
                "the chain `\(entry.key)` has more than 10,000 steps",
                hint: "`forEach` runs a step for each element of a list"
            )
            return UnlinkedChain(entry, summary: summary, source: source, steps: [])
        }
        let decoder = ChainStepDecoder(log: log, variables: variables, chain: entry.key)
        var names: Set<String> = []
        var isWhole = true
        let steps = nodes.compactMap { node -> UnlinkedChain.Step? in
            guard let step = decoder.step(node) else {
                isWhole = false
                return nil
            }
            if !names.insert(step.name).inserted {
                log.add(step.span, "the chain `\(entry.key)` already has a step `\(step.name)`")
                isWhole = false
            }
            return step
        }
        let draft = UnlinkedChain(entry, summary: summary, source: source, steps: steps)
        // A step that could not be read would be reported as missing too.
        if isWhole { ChainDraftCheck(draft: draft, log: log).check() }
        return draft
    }
}

struct ChainStepDecoder {
    let log: ProblemLog
    let variables: VariableDecoder
    let chain: String
    private var read: NodeReader { NodeReader(log: log) }

    init(log: ProblemLog, variables: VariableDecoder, chain: String) {
        self.log = log
        self.variables = variables
        self.chain = chain
    }

    /// Reads a step; nil if it has no name or no target, which is logged.
    func step(_ node: YAMLNode) -> UnlinkedChain.Step? {
        if case .scalar(let text, _) = node.content, !node.isNull { return step(node, named: text) }
        let fields = Fields(
            node,
            of: .step,
            expected: "a target's name, or a mapping with `step` and `target`",
            log: log
        )
        guard let fields else { return nil }
        let name = read.text(fields["step"], "`step`")
        let captures = read.entries(fields["capture"], "`capture`").compactMap(capture)
        let values = variables.assignments(fields["set"])
        let expectations =
            fields["expect"].map { ExpectationDecoder(log: log).decode($0) } ?? []
        let needs = self.needs(fields["needs"])
        let join = self.join(fields["join"])
        let condition = self.condition(fields["when"])
        let forEach = self.forEach(fields["forEach"])
        guard let nameNode = fields["step"], let target = fields["target"] else {
            let missing = fields["step"] == nil ? "step" : "target"
            log.add(
                node.span,
                "a step has no `\(missing)`",
                expected: missing == "step" ? "`step: name`" : "a target's name"
            )
            return nil
        }
        guard let name, let reference = TargetReference(target, id: "\(chain)#\(name)", log) else {
            return nil
        }
        return UnlinkedChain.Step(
            name: name,
            span: nameNode.span,
            target: reference,
            needs: needs,
            join: join ?? .all,
            condition: condition,
            forEach: forEach,
            captures: captures,
            values: values,
            expectations: expectations
        )
    }

    /// A step that is only a target, and is named after it, without its groups.
    private func step(_ node: YAMLNode, named text: String) -> UnlinkedChain.Step? {
        let target = TargetReference(node, id: "\(chain)#\(text)", log)
        guard let target else { return nil }
        let name: String =
            if case .named(let id, _) = target { TargetID(id).name } else { text }
        return UnlinkedChain.Step(name: name, span: node.span, target: target)
    }

    /// Reads `needs`: a step's name, or a list of them.
    private func needs(_ node: YAMLNode?) -> [(name: String, span: Span)]? {
        guard let node else { return nil }
        let nodes: [YAMLNode] =
            if case .sequence(let elements) = node.content { elements } else { [node] }
        return nodes.compactMap { node in
            read.text(node, "a needed step").map { ($0, node.span) }
        }
    }

    private func join(_ node: YAMLNode?) -> ChainPlan.Join? {
        read.word(node, "`join`")
    }

    private func condition(_ node: YAMLNode?) -> (test: ChainCondition, span: Span)? {
        guard let node, let text = read.text(node, "`when`") else { return nil }
        do throws(JSONPathError) {
            return (try ChainCondition(text), node.span)
        } catch {
            log.add(
                read.place(of: error, in: text, node),
                "`\(text)` is not a condition: \(error.message)",
                expected: "one such as `$.role == 'admin'` or `$.steps.create.status == 201`"
            )
            return nil
        }
    }

    /// Reads `forEach`: a captured list's name, or a mapping with `in`.
    private func forEach(_ node: YAMLNode?) -> (each: ChainPlan.ForEach, span: Span)? {
        guard let node else { return nil }
        guard case .mapping = node.content else {
            return name(node, "`forEach`").map { (ChainPlan.ForEach($0), node.span) }
        }
        let fields = Fields(node, of: .forEach, log: log)
        guard let fields else { return nil }
        let element = fields["as"].map { name($0, "`as`") } ?? "item"
        let concurrency = read.integer(fields["concurrency"], "`concurrency`", in: 1...1000)
        let mode = BatchDecoder.mode(fields["mode"], log)
        let limit = read.integer(fields["limit"], "`limit`", in: 1...10_000_000)
        guard let list = fields["in"] else {
            log.add(node.span, "`forEach` has no `in`", expected: "a captured list's name")
            return nil
        }
        guard let name = name(list, "`in`"), let element else { return nil }
        let each = ChainPlan.ForEach(
            name,
            as: element,
            concurrency: concurrency ?? 8,
            mode: Batch.Mode(mode ?? .all),
            limit: limit ?? ChainPlan.ForEach.standardLimit
        )
        return (each, list.span)
    }

    /// Reads the name of a variable; nil if the text cannot be one, which is logged.
    private func name(_ node: YAMLNode, _ what: String) -> String? {
        guard let text = read.text(node, what) else { return nil }
        guard !TemplateParser.isName(text) else { return text }
        log.add(
            node.span,
            "`\(text)` is not a name",
            expected: "a name of letters, digits, `_` and `-`"
        )
        return nil
    }

    private func capture(_ entry: YAMLNode.Entry) -> Capture? {
        guard variables.isName(entry), read.text(entry.value, "a capture") != nil else {
            return nil
        }
        // Kept with its name if its path is wrong, so that later steps that use it are not reported too.
        let path = read.capturePath(entry.value, "a capture") ?? .status
        return Capture(name: entry.key, path: path)
    }
}

extension Batch.Mode {
    /// The engine's mode for the mode in a file.
    package init(_ mode: BatchDefinition.Mode) {
        switch mode {
        case .all: self = .all
        case .allFinishing: self = .allFinishing
        case .settled: self = .settled
        }
    }
}

/// A chain whose targets are not looked up yet.
struct UnlinkedChain {
    struct Step {
        let name: String
        let span: Span
        let target: TargetReference
        /// The needed steps with their places in the file; nil if the file does not name any.
        var needs: [(name: String, span: Span)]?
        var join = ChainPlan.Join.all
        var condition: (test: ChainCondition, span: Span)?
        var forEach: (each: ChainPlan.ForEach, span: Span)?
        var captures: [Capture] = []
        var values: [Assignment] = []
        var expectations: [ExpectationSetting] = []
    }

    let name: String
    let location: SourceLocation
    let summary: String?
    let source: DataSource?
    let steps: [Step]

    init(_ entry: YAMLNode.Entry, summary: String?, source: DataSource?, steps: [Step]) {
        name = entry.key
        location = entry.keySpan.location
        self.summary = summary
        self.source = source
        self.steps = steps
    }

    /// The names of the steps that a step needs; by default the step before it.
    func needs(of index: Int) -> [String] {
        steps[index].needs?.map(\.name) ?? (index > 0 ? [steps[index - 1].name] : [])
    }
}
