public import Documents

/// A GraphQL query, mutation or subscription with its variables.
///
/// With GET it goes to the URL's query, with other methods to a JSON body. `Accept` includes
/// `application/graphql-response+json` unless the target sets its own ("GraphQL over HTTP").
public struct GraphQLQuery: Sendable, Hashable {
    /// The document: one or more operations with their fragments.
    public var query: String
    /// The operation to run; empty if the document has only one, and then not sent.
    public var operationName: String
    /// The variables, an object; nil if there are none, and then not sent.
    public var variables: ParameterValue?

    /// Makes a query, mutation or subscription with its variables.
    public init(_ query: String, operationName: String = "", variables: ParameterValue? = nil) {
        self.query = query
        self.operationName = operationName
        self.variables = variables
    }

    /// The members of the JSON body.
    var members: [Parameter] {
        var members = [Parameter("query", .string(query))]
        if !operationName.isEmpty {
            members.append(Parameter("operationName", .string(operationName)))
        }
        if let variables { members.append(Parameter("variables", variables)) }
        return members
    }

    /// The members as parameters of a URL, with the variables as JSON text.
    func pairs() throws(ApusError) -> [Parameter] {
        var pairs: [Parameter] = []
        for member in members {
            guard member.name == "variables" else {
                pairs.append(member)
                continue
            }
            let text = String(decoding: try member.value.json(), as: UTF8.self)
            pairs.append(Parameter(member.name, .string(text)))
        }
        return pairs
    }

    /// Throws if the variables are not an object.
    func check() throws(ApusError) {
        switch variables {
        case nil, .object: break
        default:
            throw ApusError(
                .invalidRequest(.combination(detail: "GraphQL variables that are not an object"))
            )
        }
    }
}

/// An error in a GraphQL response.
///
/// A response with errors may have data too, and its status is often 200.
public struct GraphQLError: Sendable {
    /// The description of the error, for developers.
    public let message: String
    /// Where in the query the error is; empty if the server does not say.
    public let locations: [(line: Int, column: Int)]
    /// The path of the response's field with the error: names, and indexes as text.
    public let path: [String]
    /// Additional data from the server, such as a code; missing if there is none.
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
    /// The errors of a GraphQL response; empty if it has none or is not a GraphQL response.
    ///
    /// - Throws: ``ApusError`` with the reason `.file` if the body is in a file that
    ///   cannot be read.
    public func graphQLErrors() throws(ApusError) -> [GraphQLError] {
        let bytes = try body.load()
        // A body that is not JSON has no GraphQL errors.
        guard let json = try? JSON(parsing: bytes) else { return [] }
        return json["errors"].arrayValue.map(GraphQLError.init)
    }
}
