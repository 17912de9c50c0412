import Apus

/// Puts the files of a workspace together.
struct WorkspaceBuilder {
    private static let keys = [
        "name", "variables", "environments", "defaults", "targets", "batches", "chains",
    ]

    private let log: ProblemLog
    private let variableDecoder: VariableDecoder
    private var read: NodeReader { NodeReader(log: log) }

    private var name: (text: String, span: Span)?
    private var defaults: (settings: RequestSettings, span: Span)?
    private var variables: [Variable] = []
    private var environments: [Environment] = []
    /// What the files have under `targets`, one after the other.
    private var items: [TreeItem] = []
    private var batches: [(draft: BatchDraft, span: Span)] = []
    private var chains: [(draft: ChainDraft, span: Span)] = []
    private var places: [String: Span] = [:]

    init(log: ProblemLog, secrets: SecretReader) {
        self.log = log
        variableDecoder = VariableDecoder(log: log, secrets: secrets)
    }

    /// Takes in a file.
    mutating func add(_ source: SourceText) {
        let before = log.problems.count
        guard let root = YAMLReader(source: source, log: log).read(), !root.isNull else {
            if log.problems.count == before {
                log.add(
                    Problem(
                        file: source.name,
                        "the file is empty",
                        hint:
                            "a workspace has `targets`, for example `targets: { Home: GET https://example.com/ }`"
                    )
                )
            }
            return
        }
        guard let fields = Fields(root, of: "a workspace", keys: Self.keys, log: log) else {
            return
        }
        addHead(fields)
        addTargets(fields)
        addFlows(fields)
    }

    /// The whole, its references looked up; faults are logged.
    func build(files: [String], given: [String: String]) -> Workspace {
        let tree = TreeMerger(log: log).merge(items)
        let linker = ReferenceLinker(tree: tree, log: log)
        let batches = batches.map { linker.link($0.draft) }
        let chains = chains.map { linker.link($0.draft) }
        return Workspace(
            name: name?.text ?? Self.defaultName(files),
            files: files,
            environments: environments.isEmpty ? [fallbackEnvironment(files)] : environments,
            tree: tree,
            batches: batches,
            chains: chains,
            variables: variables,
            defaults: defaults?.settings ?? RequestSettings(),
            given: given,
            supplied: SuppliedNames(batches: batches, chains: chains)
        )
    }

    private mutating func addHead(_ fields: Fields) {
        if let entry = fields.entry("name"), let text = read.text(entry.value, "`name`"),
            isNew("name", "`name` is given", entry.keySpan)
        {
            name = (text, entry.keySpan)
        }
        for variable in variableDecoder.variables(fields["variables"])
        where isNew(
            "variable \(variable.name)",
            "the variable `\(variable.name)` is",
            variable.span
        ) {
            variables.append(variable)
        }
        for entry in read.entries(fields["environments"], "`environments`")
        where isNew("environment \(entry.key)", "the environment `\(entry.key)` is", entry.keySpan)
        {
            if let environment = environment(entry) { environments.append(environment) }
        }
        if let entry = fields.entry("defaults"), !entry.value.isNull,
            isNew("defaults", "`defaults` are", entry.keySpan),
            let inner = Fields(
                entry.value,
                of: "`defaults`",
                keys: SettingsDecoder.keys,
                log: log
            )
        {
            defaults = (SettingsDecoder(log: log).decode(inner), entry.keySpan)
        }
    }

    private mutating func addTargets(_ fields: Fields) {
        let entries = read.entries(fields["targets"], "`targets`")
        items += TargetDecoder(log: log).items(entries, in: nil)
    }

    private mutating func addFlows(_ fields: Fields) {
        let batchDecoder = BatchDecoder(log: log, variables: variableDecoder)
        let chainDecoder = ChainDecoder(log: log, variables: variableDecoder)
        for entry in read.entries(fields["batches"], "`batches`")
        where isNew("batch \(entry.key)", "the batch `\(entry.key)` is", entry.keySpan) {
            if let batch = batchDecoder.batch(entry) { batches.append((batch, entry.keySpan)) }
        }
        for entry in read.entries(fields["chains"], "`chains`")
        where isNew("chain \(entry.key)", "the chain `\(entry.key)` is", entry.keySpan) {
            if let chain = chainDecoder.chain(entry) { chains.append((chain, entry.keySpan)) }
        }
    }

    private func environment(_ entry: YAMLNode.Entry) -> Environment? {
        if entry.value.isNull {
            return Environment(
                name: entry.key,
                summary: nil,
                span: entry.keySpan,
                variables: [],
                settings: RequestSettings()
            )
        }
        let fields = Fields(
            entry.value,
            of: "an environment",
            keys: ["description", "variables"] + SettingsDecoder.keys,
            log: log
        )
        guard let fields else { return nil }
        return Environment(
            name: entry.key,
            summary: read.text(fields["description"], "`description`"),
            span: entry.keySpan,
            variables: variableDecoder.variables(fields["variables"]),
            settings: SettingsDecoder(log: log).decode(fields)
        )
    }

    private func fallbackEnvironment(_ files: [String]) -> Environment {
        let source = SourceText(name: files.first ?? "", text: "")
        return Environment(
            name: "default",
            summary: nil,
            span: Span(source),
            variables: [],
            settings: RequestSettings()
        )
    }

    /// Whether no file before had this; two keys of one file are told apart by the reader.
    private mutating func isNew(_ key: String, _ words: String, _ span: Span) -> Bool {
        if let first = places[key] {
            log.add(span, "\(words) already in \(first.location)")
            return false
        }
        places[key] = span
        return true
    }

    /// `demo.apus.yaml` is called "demo".
    private static func defaultName(_ files: [String]) -> String {
        let file = files.first?.split(separator: "/").last.map(String.init) ?? "workspace"
        return file.hasSuffix(".apus.yaml") ? String(file.dropLast(".apus.yaml".count)) : file
    }
}
