import Documents
import HTTPTypes
import Testing

@testable import Apus

@Suite("GraphQL")
struct GraphQLTests {
    @Test("a query is a JSON body; what is empty is left out")
    func body() throws {
        let short = try Endpoint(
            TestTarget(method: .post, task: .graphQL(GraphQLQuery("{ me { id } }")))
        ).request
        #expect(short.body == .bytes(Array(#"{"query":"{ me { id } }"}"#.utf8)))
        #expect(short.head.headerFields[.contentType] == "application/json")
        #expect(short.head.headerFields[.accept]?.contains("graphql-response+json") == true)
        let full = GraphQLQuery(
            "query A($id: ID!) { user(id: $id) { name } }",
            operationName: "A",
            variables: ["id": "7", "flags": [true, nil]]
        )
        let request = try Endpoint(TestTarget(method: .post, task: .graphQL(full))).request
        #expect(
            request.body
                == .bytes(
                    Array(
                        (#"{"query":"query A($id: ID!) { user(id: $id) { name } }","#
                            + #""operationName":"A","variables":{"id":"7","flags":[true,null]}}"#)
                            .utf8
                    )
                )
        )
    }

    @Test("with GET it is the URL's query, the variables as JSON")
    func query() throws {
        let query = GraphQLQuery("{a}", variables: ["x": 1])
        let request = try Endpoint(TestTarget(path: "/g", task: .graphQL(query))).request
        #expect(request.head.path == "/g?query=%7Ba%7D&variables=%7B%22x%22%3A1%7D")
        #expect(request.body == .none)
    }

    @Test("the errors of a response are read, also beside data")
    func errors() throws {
        let request = try Endpoint(TestTarget()).request
        let response = Response.make(
            request,
            """
            {"data": {"a": null}, "errors": [{"message": "no", "locations": [{"line": 2, "column": 5}],
              "path": ["a", 1, "b"], "extensions": {"code": "DENIED"}}, {"message": "again"}]}
            """
        )
        let errors = try response.graphQLErrors()
        #expect(errors.map(\.message) == ["no", "again"])
        #expect(errors[0].locations.first?.line == 2)
        #expect(errors[0].locations.first?.column == 5)
        #expect(errors[0].path == ["a", "1", "b"])
        #expect(errors[0].extensions["code"].string == "DENIED")
        #expect(errors[1].path.isEmpty)
        for text in [#"{"data": {}}"#, "<html>", "", "[1]"] {
            #expect(try Response.make(request, text).graphQLErrors().isEmpty)
        }
    }
}
