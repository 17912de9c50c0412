import Documents

/// A query as one types it.
enum QueryArgument {
    /// Parses a JSONPath or a short path; the failure points at the column.
    static func parse(_ text: String) throws -> JSONPath {
        do throws(JSONPathError) {
            return try JSONPath(parsing: text)
        } catch {
            throw CommandFailure(
                """
                column \(error.column) of the query: \(error.message)
                  \(text)
                  \(String(repeating: " ", count: error.column - 1))^
                """
            )
        }
    }
}
