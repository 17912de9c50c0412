import Apus
import Secrets

/// Reads a workspace's files.
enum WorkspaceLoader {
    private static let suffix = ".apus.yaml"
    /// The limit of all files of a folder together; each file has a limit of its own.
    private static let maximumSize = 64 << 20

    static func load(
        path: String,
        given: [String: String],
        secrets: SecretReader,
        resolvingAtMost limit: Int,
        foreign: (any ForeignReader)?
    ) throws(WorkspaceError) -> Workspace {
        if var file = try foreign?.read(path) {
            while true {
                do throws(WorkspaceError) {
                    var workspace = try read(
                        [source(file, path)],
                        given: given,
                        secrets: secrets,
                        // What is wrong is found and repaired now, however many targets there are.
                        resolvingAtMost: limit == 0 ? 0 : .max,
                        ProblemLog()
                    )
                    (workspace.path, workspace.origin) = (path, file.origin)
                    return workspace
                } catch {
                    guard file.repair(error.problems) else { throw error }
                }
            }
        }
        let log = ProblemLog()
        var workspace = try read(
            try sources(at: path, log),
            given: given,
            secrets: secrets,
            resolvingAtMost: limit,
            log
        )
        workspace.path = path
        return workspace
    }

    /// The texts at a path: workspace files, or the text that a file of another program is read as.
    static func sources(
        at path: String,
        foreign: (any ForeignReader)?,
        _ log: ProblemLog
    ) throws(WorkspaceError) -> [SourceText] {
        guard var file = try foreign?.read(path) else { return try sources(at: path, log) }
        while true {
            let source = source(file, path)
            do throws(WorkspaceError) {
                _ = try read([source], given: [:], secrets: .process, ProblemLog())
                return [source]
            } catch {
                guard file.repair(error.problems) else { return [source] }
            }
        }
    }

    private static func source(_ file: any ForeignFile, _ path: String) -> SourceText {
        // Lines are those of the text, which nobody sees before it is saved.
        let name = "\(path) (as a workspace)"
        return SourceText(name: name, text: file.text, original: file.text, isNew: true)
    }

    /// The texts of the workspace files at a path; what is wrong with a file is logged.
    static func sources(
        at path: String,
        _ log: ProblemLog
    ) throws(WorkspaceError) -> [SourceText] {
        var sources: [SourceText] = []
        var size = 0
        for file in try files(at: path) {
            do throws(FileReadError) {
                let original = try TextFile.readWhole(file)
                size += original.utf8.count
                guard size <= maximumSize else {
                    throw FileReadError(detail: "makes the workspace larger than 64 MiB")
                }
                // A cloned repository may link to any file of its user's, and problems end up in logs.
                let isHidden = TextFile.isLinkedFromOutside(file)
                sources.append(SourceText(of: file, original, isHidden: isHidden))
            } catch {
                log.add(Problem(file: file, "the file \(error.detail)"))
                if size > maximumSize { break }
            }
        }
        return sources
    }

    static func read(
        _ sources: [SourceText],
        given: [String: String],
        secrets: SecretReader,
        resolvingAtMost limit: Int = .max,
        _ log: ProblemLog
    ) throws(WorkspaceError) -> Workspace {
        var builder = WorkspaceBuilder(log: log, secrets: secrets)
        for source in sources { builder.add(source) }
        let files = sources.map(\.name)
        var workspace = builder.build(sources, given: given, secrets: secrets)
        workspace.hasResolvedTargets = workspace.targets.count <= limit
        if workspace.hasResolvedTargets { WorkspaceCheck(workspace: workspace, log: log).check() }
        try log.throwIfAny(files: files)
        return workspace
    }

    /// The workspace files at a path: those of a folder, or the one file.
    static func files(at path: String) throws(WorkspaceError) -> [String] {
        guard TextFile.isFolder(path) else { return [path] }
        let folder = path.hasSuffix("/") ? path : path + "/"
        do throws(FileReadError) {
            let names = try TextFile.names(inFolder: path).filter { $0.hasSuffix(suffix) }
            guard names.isEmpty else { return names.map { folder + $0 } }
        } catch {
            throw WorkspaceError([Problem(file: path, "the folder \(error.detail)")])
        }
        throw WorkspaceError([
            Problem(
                file: path,
                "there is no workspace in the folder",
                hint: "workspace files are called `name\(suffix)`"
            )
        ])
    }
}

/// Builds a workspace from its files.
struct WorkspaceBuilder {
    private let log: ProblemLog
    private let variableDecoder: VariableDecoder
    private var read: NodeReader { NodeReader(log: log) }

    private var name: String?
    private var note: String?
    private var defaults: RequestSettings?
    private var rules = SecretRules()
    private var sharedCache: SharedCacheSettings?
    private var variables: [Variable] = []
    /// The variables of the files under `envFile`, and the files' texts by their paths.
    private var fileVariables: [Variable] = []
    private var environmentFiles: [String: String] = [:]
    private var missingFiles: [(path: String, span: Span)] = []
    private let tables = TableFiles()
    private let environmentFileDecoder: EnvironmentFileDecoder
    private var environments: [Environment] = []
    /// What all files have under `targets`, in order.
    private var items: [TreeItem] = []
    private var batches: [UnlinkedBatch] = []
    private var chains: [UnlinkedChain] = []
    private var places: [String: Span] = [:]
    /// Whether all targets could be read; if not, references to others are no faults of their own.
    private var hasAllTargets = true

    init(log: ProblemLog, secrets: SecretReader) {
        self.log = log
        variableDecoder = VariableDecoder(log: log, secrets: secrets)
        environmentFileDecoder = EnvironmentFileDecoder(log: log, secrets: secrets)
    }

    /// Reads a file; faults are logged.
    mutating func add(_ source: SourceText) {
        let before = log.problems.count
        guard let root = YAMLReader(source: source, log: log).read(), !root.isNull else {
            hasAllTargets = false
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
        guard let fields = Fields(root, of: .workspace, log: log) else {
            hasAllTargets = false
            return
        }
        addHead(fields)
        addTargets(fields)
        addFlows(fields)
    }

    /// The workspace with its references looked up; faults are logged.
    func build(
        _ sources: [SourceText],
        given: [String: String],
        secrets: SecretReader
    ) -> Workspace {
        let files = sources.map(\.name)
        var tree = TreeMerger(log: log).merge(items)
        var linker = ReferenceLinker(tree: tree, isWhole: hasAllTargets, log: log)
        tree = linker.link(tree)
        linker.check(variableDecoder.targets)
        let environments = EnvironmentLinker(environments, log).linked()
        let batches = batches.map { linker.link($0) }
        let chains = chains.map { linker.link($0) }
        let supplied = SuppliedNames(batches: batches, chains: chains)
        var workspace = Workspace(
            name: name ?? Self.defaultName(files),
            note: note,
            files: files,
            environments: environments.isEmpty ? [fallbackEnvironment(files)] : environments,
            tree: tree,
            batches: batches,
            chains: chains,
            variables: Self.joined(variables, fileVariables),
            otherFiles: environmentFiles.merging(tables.texts) { first, _ in first },
            defaults: defaults ?? RequestSettings(),
            groupDefaults: Self.groupDefaults(of: tree),
            rules: rules,
            given: given,
            supplied: supplied,
            sources: sources,
            secrets: secrets
        )
        workspace.missingFiles = missingFiles
        if let file = missingFiles.first {
            workspace.askForValues(of: file.path, namedAt: file.span, but: supplied.names)
        }
        workspace.sharedCache = sharedCache
        workspace.tables = tables.texts
        return workspace
    }

    /// Variables, and those of files whose names are new; the last of a name counts.
    private static func joined(_ variables: [Variable], _ others: [Variable]) -> [Variable] {
        var names = Set(variables.map(\.name))
        return variables + others.reversed().filter { names.insert($0.name).inserted }.reversed()
    }

    private static func groupDefaults(of tree: [TreeItem]) -> [String: RequestSettings] {
        var found: [String: RequestSettings] = [:]
        var waiting = tree.compactMap(\.group)
        while let group = waiting.popLast() {
            found[group.id] = group.defaults?.settings
            waiting += group.items.compactMap(\.group)
        }
        return found
    }

    private mutating func addHead(_ fields: Fields) {
        if let entry = fields.entry("name"), let text = read.text(entry.value, "`name`"),
            isNew("name", "`name` is", entry.keySpan)
        {
            name = text
        }
        if let entry = fields.entry("note"), let text = read.text(entry.value, "`note`"),
            isNew("note", "`note` is", entry.keySpan)
        {
            note = text
        }
        for variable in variableDecoder.variables(fields["variables"])
        where isNew(
            "variable \(variable.name)",
            "the variable `\(variable.name)` is",
            variable.span
        ) {
            variables.append(variable)
        }
        fileVariables += environmentFile(fields["envFile"])
        for entry in read.entries(fields["environments"], "`environments`")
        where isNew("environment \(entry.key)", "the environment `\(entry.key)` is", entry.keySpan)
        {
            if let environment = environment(entry) { environments.append(environment) }
        }
        if let entry = fields.entry("defaults"), !entry.value.isNull,
            isNew("defaults", "`defaults` are", entry.keySpan),
            let inner = Fields(
                entry.value,
                of: .defaults,
                log: log
            )
        {
            defaults = SettingsDecoder(log: log).decode(inner)
        }
        if let mask = fields["mask"], !mask.isNull {
            rules.formUnion(MaskDecoder(log: log).decode(mask))
        }
        if let entry = fields.entry("cache"), !entry.value.isNull,
            isNew("cache", "`cache` is", entry.keySpan)
        {
            sharedCache = SharedCacheDecoder(log: log, secrets: variableDecoder.secrets)
                .decode(entry.value)
        }
    }

    private mutating func addTargets(_ fields: Fields) {
        let entries = read.entries(fields["targets"], "`targets`")
        if fields.misspelt.contains("targets") { hasAllTargets = false }
        if let node = fields["targets"], !node.isNull, entries.isEmpty { hasAllTargets = false }
        items += TargetDecoder(log: log, tables: tables).items(entries, in: nil)
    }

    private mutating func addFlows(_ fields: Fields) {
        let batchDecoder = BatchDecoder(log: log, variables: variableDecoder, tables: tables)
        let chainDecoder = ChainDecoder(log: log, variables: variableDecoder)
        for entry in read.entries(fields["batches"], "`batches`")
        where isNew("batch \(entry.key)", "the batch `\(entry.key)` is", entry.keySpan) {
            if let batch = batchDecoder.batch(entry) { batches.append(batch) }
        }
        for entry in read.entries(fields["chains"], "`chains`")
        where isNew("chain \(entry.key)", "the chain `\(entry.key)` is", entry.keySpan) {
            if let chain = chainDecoder.chain(entry) { chains.append(chain) }
        }
    }

    /// The variables of the files under `envFile`.
    private mutating func environmentFile(_ node: YAMLNode?) -> [Variable] {
        let files = environmentFileDecoder.decode(node)
        environmentFiles.merge(files.texts) { first, _ in first }
        missingFiles += files.missing
        return files.variables
    }

    private mutating func environment(_ entry: YAMLNode.Entry) -> Environment? {
        if entry.value.isNull { return Environment(name: entry.key, span: entry.keySpan) }
        let fields = Fields(
            entry.value,
            of: .environment,
            expected: "a mapping with keys such as `baseURL`",
            log: log
        )
        guard let fields else { return nil }
        var environment = Environment(
            name: entry.key,
            summary: read.text(fields["description"], "`description`"),
            danger: read.boolean(fields["danger"], "`danger`"),
            color: read.word(fields["color"], "`color`"),
            span: entry.keySpan,
            variables: Self.joined(
                variableDecoder.variables(fields["variables"]),
                environmentFile(fields["envFile"])
            ),
            settings: SettingsDecoder(log: log).decode(fields)
        )
        if let node = fields["extends"], let name = read.text(node, "`extends`") {
            environment.parent = (name, node.span)
        }
        return environment
    }

    private func fallbackEnvironment(_ files: [String]) -> Environment {
        let source = SourceText(name: files.first ?? "", text: "")
        return Environment(name: "default", span: Span(source))
    }

    /// Whether no file before defined this, which is logged otherwise; `YAMLTreeBuilder` finds duplicates in
    /// one file.
    private mutating func isNew(_ key: String, _ words: String, _ span: Span) -> Bool {
        if let first = places[key] {
            log.add(span, "\(words) already defined in \(first.location)")
            return false
        }
        places[key] = span
        return true
    }

    /// The name of the first file: "demo" for `demo.apus.yaml`.
    private static func defaultName(_ files: [String]) -> String {
        let file = files.first?.split(separator: "/").last.map(String.init) ?? "workspace"
        return file.hasSuffix(".apus.yaml") ? String(file.dropLast(".apus.yaml".count)) : file
    }
}

/// Merges the targets of several files; groups of the same name become one.
struct TreeMerger {
    let log: ProblemLog

    /// Merges the items of all files, in the order of the files.
    ///
    /// All at once, because merging one file after the other into a growing tree takes quadratic time.
    func merge(_ items: [TreeItem]) -> [TreeItem] {
        var result: [TreeItem] = []
        var places: [String: Int] = [:]
        /// The items of all groups of a name, by the first group's index.
        var parts: [Int: [TreeItem]] = [:]
        for item in items {
            guard let index = places[name(of: item)] else {
                places[name(of: item)] = result.count
                result.append(item)
                continue
            }
            switch (result[index], item) {
            case (.group(var old), .group(let new)):
                parts[index, default: old.items] += new.items
                if let note = new.note {
                    if let first = old.note {
                        let place = first.span.location
                        log.add(note.span, "`note` of `\(old.id)` is already defined in \(place)")
                    } else {
                        old.note = note
                        result[index] = .group(old)
                    }
                }
                guard let defaults = new.defaults else { continue }
                if let first = old.defaults {
                    let place = first.span.location
                    log.add(
                        defaults.span,
                        "`defaults` of `\(old.id)` are already defined in \(place)"
                    )
                } else {
                    old.defaults = defaults
                    result[index] = .group(old)
                }
            default: report(item, besides: result[index])
            }
        }
        for (index, items) in parts.sorted(by: { $0.key < $1.key }) {
            guard case .group(let group) = result[index] else { continue }
            var merged = TargetGroup(id: group.id, name: group.name, items: merge(items))
            (merged.defaults, merged.note) = (group.defaults, group.note)
            result[index] = .group(merged)
        }
        return result
    }

    private func report(_ item: TreeItem, besides old: TreeItem) {
        guard let target = item.targets.first, let first = old.targets.first else { return }
        log.add(target.span, "`\(name(of: item))` is already defined in \(first.span.location)")
    }

    private func name(of item: TreeItem) -> String {
        switch item {
        case .group(let group): group.name
        case .target(let target): target.name
        }
    }
}
