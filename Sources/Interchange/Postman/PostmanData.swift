import Documents
import Workspaces

/// A table beside a collection: values for its variables, for each of which Postman's runner sends the requests once.
///
/// Nothing in a collection names its table, so that one counts whose columns are all variables that its requests use.
struct PostmanData {
    private static let maximumBytes = 256 << 10
    private static let maximumRows = 1000

    private let file: String
    private let columns: [String]
    private let rows: [JSON]

    /// Whether a file may be a table, by its name.
    static func mayBe(_ name: String) -> Bool {
        name.hasSuffix(".csv") || name.hasSuffix(".json") && !name.contains(".postman_")
    }

    /// Reads a table; nil if it is none.
    init?(_ bytes: [UInt8], named name: String) {
        guard bytes.count <= Self.maximumBytes else { return nil }
        let format: DocumentFormat = name.hasSuffix(".csv") ? .csv() : .json
        let first = bytes.first { !" \t\r\n\u{FEFF}".utf8.contains($0) }
        guard format != .json || first == UInt8(ascii: "[") else { return nil }
        let opened = FormattedDocument.opening(DocumentBytes(bytes), as: format)
        let root = JSON(document: opened.document)
        guard opened.faults.isEmpty, opened.document.fault == nil, root.kind == .array,
            (1...Self.maximumRows).contains(root.count),
            root.elements.allSatisfy({ row in
                row.kind == .object
                    && row.members.allSatisfy { $0.value.looseText != nil || $0.value.isNull }
            }), let head = root.elements.map({ $0 }).first
        else { return nil }
        file = name
        rows = root.elements.map { $0 }
        columns = head.members.map(\.key)
    }

    /// Adds a batch of the requests that use the columns, if all of these are used.
    func addBatch(to workspace: inout ImportedWorkspace, _ names: ImportNames) {
        var names = names
        let used = Set(names.used)
        let own = Dictionary(columns.map { ($0, names.name(of: $0)) }) { first, _ in first }
        guard !own.isEmpty, own.values.allSatisfy(used.contains) else { return }
        let values = Set(own.values)
        let targets = zip(workspace.targetPaths, workspace.targets).filter { _, target in
            !PostmanCaptures.names(in: target).isDisjoint(with: values)
        }
        guard !targets.isEmpty else { return }
        let sets = rows.map { row in
            var members: [Value.Member] = []
            for (name, value) in row.members {
                guard let member = own[name], let text = value.looseText else { continue }
                members[member] = .string(ImportNames.literal(text))
            }
            return Value.object(members)
        }
        workspace.batches["Rows of \(file)"] = .object([
            Value.Member(
                "targets",
                .array(targets.map { .object([Value.Member("target", .string($0.0))]) })
            ),
            Value.Member("rows", .array(sets)),
        ])
    }
}
