public import Documents

/// An error in the answer to a GraphQL query.
///
/// Such an answer may have data beside its errors, and its status is often 200.
public struct GraphQLError: Sendable {
    /// What went wrong, for the developer.
    public let message: String
    /// Where in the query; empty if the server does not say.
    public let locations: [(line: Int, column: Int)]
    /// The field of the answer that it concerns: names, and indexes as texts.
    public let path: [String]
    /// What the server adds, such as a code; missing if nothing.
    public let extensions: JSON

    init(_ error: JSON) {
        message = error["message"].stringValue
        locations = error["locations"].arrayValue.compactMap { location in
            guard let line = location["line"].int, let column = location["column"].int else {
                return nil
            }
            return (line, column)
        }
        path = error["path"].arrayValue.map { $0.string ?? $0.numberText ?? "" }
        extensions = error["extensions"]
    }
}

extension Response {
    /// The errors of a GraphQL answer; none if it has none or is no such answer.
    ///
    /// - Throws: `ApusError` with the reason `.file` if the body is in a file that
    ///   cannot be read.
    public func graphQLErrors() throws(ApusError) -> [GraphQLError] {
        let bytes = try body.load()
        // A body that is no JSON has no errors in this sense.
        guard let json = try? JSON(parsing: bytes) else { return [] }
        return json["errors"].arrayValue.map(GraphQLError.init)
    }
}
