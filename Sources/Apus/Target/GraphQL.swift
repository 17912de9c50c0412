public import Documents

/// A query, mutation or subscription of GraphQL, with its variables.
///
/// With POST it is a JSON body, with GET the URL's query; `Accept` names
/// `application/graphql-response+json` too unless the target has one of its own
/// ("GraphQL over HTTP").
public struct GraphQLQuery: Sendable, Hashable {
    /// The text: one operation or more, with their fragments.
    public var query: String
    /// Which operation of the document to run; empty if it has only one, and then
    /// not sent.
    public var operationName: String
    /// The variables, an object; nil for none, and then not sent.
    public var variables: ParameterValue?

    /// A query, mutation or subscription, and its variables.
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

    /// The same for a URL: there the variables are JSON in text.
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

    /// Refuses variables that are no object.
    func check() throws(ApusError) {
        switch variables {
        case nil, .object: break
        default:
            throw ApusError(
                .invalidRequest(.combination(detail: "GraphQL variables that are no object"))
            )
        }
    }
}

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
    /// - Throws: ``ApusError`` with the reason `.file` if the body is in a file that
    ///   cannot be read.
    public func graphQLErrors() throws(ApusError) -> [GraphQLError] {
        let bytes = try body.load()
        // A body that is no JSON has no errors in this sense.
        guard let json = try? JSON(parsing: bytes) else { return [] }
        return json["errors"].arrayValue.map(GraphQLError.init)
    }
}
