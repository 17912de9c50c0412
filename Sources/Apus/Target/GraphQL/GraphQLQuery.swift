/// A query, mutation or subscription of GraphQL, with its variables.
///
/// With POST it is a JSON body, with GET the URL's query; `Accept` names
/// `application/graphql-response+json` too unless the target has one of its own
/// ("GraphQL over HTTP").
public struct GraphQLQuery: Sendable, Hashable {
    /// The document.
    public var query: String
    /// Which operation of the document to run; empty if it has only one, and then
    /// not sent.
    public var operationName: String
    /// The variables, an object; nil for none, and then not sent.
    public var variables: ParameterValue?

    /// Makes a query.
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
