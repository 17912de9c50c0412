package import Documents

extension RunPlan {
    private static let mostRows = 100_000

    /// The rows of a table, whose columns are variables.
    ///
    /// - Parameters:
    ///   - table: A list of mappings, as CSV, an array of objects and lines of JSON are read.
    ///   - name: What messages call the table.
    /// - Returns: The rows, at least one.
    /// - Throws: `WorkspaceError` if it is no such list, or too long.
    package static func rows(of table: JSON, named name: String) throws(WorkspaceError) -> [Row] {
        var rows: [Row] = []
        for (index, row) in table.elements.enumerated() {
            let number = index + 1
            guard row.kind == .object else {
                throw WorkspaceError("\(name): row \(number) is not a mapping of names and values")
            }
            guard index < mostRows else {
                throw WorkspaceError("\(name): it has more than \(Readable.count(mostRows)) rows")
            }
            var values: [String: Value] = [:]
            for (column, json) in row.members {
                guard let value = Value(json) else {
                    throw WorkspaceError("\(name): \(column) of row \(number) has too many levels")
                }
                values[column] = value
            }
            rows.append(Row(name: "row \(number)", values: values))
        }
        if rows.isEmpty { throw WorkspaceError("\(name): there are no rows") }
        return rows
    }
}
