import Documents

/// Reads `rows` and `matrix` of a batch or a target: values for requests, one set for each time they are sent.
struct RowsDecoder {
    private static let maximumRows = 100_000

    let log: ProblemLog
    let tables: TableFiles
    private var values: AssignmentDecoder { AssignmentDecoder(log: log) }
    private var read: NodeReader { NodeReader(log: log) }

    /// The sets of values; one without values if there is neither key.
    func rows(_ fields: Fields) -> [[Assignment]] {
        let rows = fields["rows"].map(rows) ?? [[]]
        let matrix = fields["matrix"].map(combinations) ?? [[]]
        guard rows.count * matrix.count <= Self.maximumRows else {
            let place = fields.entry("matrix")?.keySpan ?? fields.span
            log.add(place, "`rows` and `matrix` together make more than 100,000 requests")
            return [[]]
        }
        return rows.flatMap { row in matrix.map { row + $0 } }
    }

    /// A list of mappings here, or a table in a file.
    private func rows(_ node: YAMLNode) -> [[Assignment]] {
        guard case .scalar = node.content else {
            guard let rows = read.list(node, "`rows`") else { return [] }
            if rows.isEmpty { log.add(node.span, "`rows` has no rows") }
            return rows.compactMap { row in
                guard case .mapping = row.content else {
                    log.add(
                        row.span,
                        "a row cannot be \(row.kindName)",
                        expected: "a mapping of variables, such as `{ user: 7 }`"
                    )
                    return nil
                }
                return values.assignments(row, "a row")
            }
        }
        guard let file = read.text(node, "`rows`") else { return [] }
        return table(TextFile.resolve(file, besideFile: node.span.source.name), node.span)
    }

    private func table(_ path: String, _ span: Span) -> [[Assignment]] {
        let text: String
        do throws(FileReadError) {
            text = try tables.read(path)
        } catch {
            log.add(span, "the file `\(path)` \(error.detail)")
            return []
        }
        let bytes = DocumentBytes(Array(text.utf8))
        let format = DocumentFormat(fileName: path) ?? DocumentFormat(sniffing: bytes) ?? .csv()
        let opened = FormattedDocument.opening(bytes, as: format)
        if let fault = opened.faults.first {
            log.add(span, "`\(path)`, line \(fault.position.line): \(fault.description)")
            return []
        }
        do throws(WorkspaceError) {
            return try RunPlan.rows(of: JSON(document: opened.document), named: path).map { row in
                row.values.sorted { $0.key < $1.key }.map { name, value in
                    Assignment(name: name, span: span, value: .constant(value))
                }
            }
        } catch {
            log.add(span, error.description)
            return []
        }
    }

    /// Each value of each variable with each of the others, the last variable changing fastest.
    private func combinations(_ node: YAMLNode) -> [[Assignment]] {
        var sets: [[Assignment]] = [[]]
        for entry in read.entries(node, "`matrix`") where values.isName(entry) {
            guard let values = read.list(entry.value, "`\(entry.key)`"), !values.isEmpty else {
                if case .sequence = entry.value.content {
                    log.add(entry.keySpan, "`\(entry.key)` has no values")
                }
                continue
            }
            guard sets.count * values.count <= Self.maximumRows else {
                log.add(node.span, "`matrix` makes more than 100,000 requests")
                return [[]]
            }
            sets = sets.flatMap { set in
                values.map { value in
                    set + [
                        Assignment(
                            name: entry.key,
                            span: entry.keySpan,
                            value: TemplateValue(value, log)
                        )
                    ]
                }
            }
        }
        return sets
    }
}

/// The files of tables that a workspace was read from, each read once.
final class TableFiles {
    /// The texts by the files' paths.
    private(set) var texts: [String: String] = [:]

    /// A file's text.
    func read(_ path: String) throws(FileReadError) -> String {
        if let text = texts[path] { return text }
        let text = try TextFile.read(path)
        texts[path] = text
        return text
    }
}
