/// A query, a document, and the source texts of what is found; nil when the query is invalid.
struct QueryCase: Sendable, CustomStringConvertible {
    let query: String
    let document: String
    let results: [String]?

    /// A valid query.
    init(_ query: String, _ document: String, _ results: String...) {
        self.query = query
        self.document = document
        self.results = results
    }

    /// An invalid query.
    init(invalid query: String) {
        self.query = query
        document = "null"
        results = nil
    }

    var description: String { query }
}
