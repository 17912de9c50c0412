import Apus

struct BatchDecoder {
    /// Limited because all requests are filled in before the first is sent.
    private static let maximumRequests = 100_000

    let log: ProblemLog
    let variables: VariableDecoder
    let tables: TableFiles
    private var read: NodeReader { NodeReader(log: log) }

    init(log: ProblemLog, variables: VariableDecoder, tables: TableFiles) {
        self.log = log
        self.variables = variables
        self.tables = tables
    }

    /// Reads a batch: a list of targets, or a mapping with `targets`; nil if it cannot be read, which is logged.
    func batch(_ entry: YAMLNode.Entry) -> UnlinkedBatch? {
        if case .sequence(let nodes) = entry.value.content {
            return UnlinkedBatch(
                name: entry.key,
                location: entry.keySpan.location,
                summary: nil,
                concurrency: 8,
                rate: nil,
                mode: .settled,
                source: nil,
                expectations: [],
                entries: self.entries(nodes, of: entry)
            )
        }
        let fields = Fields(
            entry.value,
            of: .batch,
            expected: "a list of targets, or a mapping with `targets`",
            log: log
        )
        guard let fields else { return nil }
        let summary = read.text(fields["description"], "`description`")
        let concurrency = read.integer(fields["concurrency"], "`concurrency`", in: 1...1000)
        let rate = rate(fields["rate"])
        let mode = Self.mode(fields["mode"], log)
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
        return UnlinkedBatch(
            name: entry.key,
            location: entry.keySpan.location,
            summary: summary,
            concurrency: concurrency ?? rate.map(Self.concurrency) ?? 8,
            rate: rate,
            mode: mode ?? .settled,
            source: source,
            expectations: fields["expect"].map { ExpectationDecoder(log: log).batch($0) } ?? [],
            entries: self.entries(
                nodes,
                of: entry,
                rows: RowsDecoder(log: log, tables: tables).rows(fields)
            )
        )
    }

    private func rate(_ node: YAMLNode?) -> BatchRate? {
        guard let node, let text = read.text(node, "`rate`") else { return nil }
        guard let rate = BatchRate(text) else {
            log.add(
                node.span,
                "`\(text)` is not a rate",
                expected: "one like `50/s for 30 s`, of at most 1,000,000 requests"
            )
            return nil
        }
        return rate
    }

    /// Enough for responses that take a second.
    private static func concurrency(for rate: BatchRate) -> Int {
        max(8, min(1000, Int(rate.perSecond.rounded(.up))))
    }

    /// Reads `mode`: what a failure does to the other requests.
    static func mode(_ node: YAMLNode?, _ log: ProblemLog) -> BatchDefinition.Mode? {
        NodeReader(log: log).word(node, "`mode`")
    }

    /// The targets, once for each row; what a target itself sets goes before a row's values.
    private func entries(
        _ nodes: [YAMLNode],
        of batch: YAMLNode.Entry,
        rows: [[Assignment]] = [[]]
    ) -> [UnlinkedBatch.Entry] {
        if nodes.isEmpty { log.add(batch.keySpan, "the batch `\(batch.key)` has no targets") }
        let once = nodes.enumerated().compactMap { index, node in
            self.entry(node, id: "\(batch.key)#\(index + 1)")
        }
        guard rows.count * once.count <= Self.maximumRequests else {
            log.add(
                batch.keySpan,
                "the batch `\(batch.key)` has more than 100,000 requests, rows counted"
            )
            return once
        }
        let entries = rows.flatMap { row in once.map { $0.with(row) } }
        if entries.reduce(0, { $0 + $1.repeatCount }) > Self.maximumRequests {
            log.add(
                batch.keySpan,
                "the batch `\(batch.key)` has more than 100,000 requests, repeats counted"
            )
        }
        return entries
    }

    private func entry(_ node: YAMLNode, id: String) -> UnlinkedBatch.Entry? {
        if case .mapping(let entries) = node.content,
            !entries.contains(where: { $0.key == "request" })
        {
            guard let fields = Fields(node, of: .batchTarget, log: log)
            else { return nil }
            let count = read.integer(fields["repeat"], "`repeat`", in: 1...100_000)
            let values = variables.assignments(fields["set"])
            guard let target = fields["target"] else {
                log.add(node.span, "a batch's target has no `target`", expected: "a target's name")
                return nil
            }
            return TargetReference(target, id: id, log).map {
                UnlinkedBatch.Entry(target: $0, repeatCount: count ?? 1, values: values)
            }
        }
        return TargetReference(node, id: id, log).map {
            UnlinkedBatch.Entry(target: $0, repeatCount: 1, values: [])
        }
    }
}

/// A batch whose targets are not looked up yet.
struct UnlinkedBatch {
    struct Entry {
        let target: TargetReference
        let repeatCount: Int
        let values: [Assignment]

        /// The entry with the values of a row, where it does not set them itself.
        func with(_ row: [Assignment]) -> Entry {
            guard !row.isEmpty else { return self }
            let own = Set(values.map(\.name))
            return Entry(
                target: target,
                repeatCount: repeatCount,
                values: row.filter { !own.contains($0.name) } + values
            )
        }
    }

    let name: String
    let location: SourceLocation
    let summary: String?
    let concurrency: Int
    let rate: BatchRate?
    let mode: BatchDefinition.Mode
    let source: DataSource?
    let expectations: [Expectation]
    let entries: [Entry]
}
