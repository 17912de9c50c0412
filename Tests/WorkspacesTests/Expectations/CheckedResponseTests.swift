import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Workspaces

extension Response {
    /// A response of a server with a JSON body.
    static func json(
        _ body: String,
        status: Int = 200,
        fields: HTTPFields = [.contentType: "application/json"]
    ) -> Response {
        Response(
            request: PreparedRequest(
                head: HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/")
            ),
            head: HTTPResponse(status: .init(code: status), headerFields: fields),
            body: .bytes(Array(body.utf8)),
            source: .server,
            received: Date(timeIntervalSince1970: 0)
        )
    }
}

@Suite("What came of what is expected")
struct CheckedResponseTests {
    private func target(_ expect: String) throws -> WorkspaceTarget {
        try Workspace.make(
            """
            environments: { e: { baseURL: "http://localhost" } }
            variables: { key: { env: KEY } }
            targets:
              T:
                request: GET /
                headers: { X-Key: "{{ key }}" }
                expect: \(expect)
            """,
            environmentVariables: ["KEY": "t0p-s3cret-key"]
        ).sent("T")
    }

    private func check(_ expect: String, _ response: Response) throws -> CheckedResponse {
        try #require(
            target(expect).check(.success(response), after: .milliseconds(120), now: .now)
        )
    }

    @Test("each is listed in the file's order, with its place and its value")
    func items() throws {
        let checked = try check(
            "{ status: 200, json: { $.b: 1, $.a: 2, $.gone: 1 } }",
            .json(#"{"a": 2, "b": 3}"#)
        )
        #expect(checked.items.map(\.subject) == ["status", "$.b", "$.a", "$.gone"])
        #expect(checked.items.map(\.isMet) == [true, false, true, false])
        #expect(checked.items.map(\.actual) == [nil, "3", nil, "there is no such value"])
        #expect(checked.items.map { $0.location?.line } == [7, 7, 7, 7])
        #expect(checked.items.map { $0.node?.rawValue } == [nil, 2, 1, nil])
        #expect(checked.unmetCount == 2)
    }

    @Test(
        "secrets are masked: known ones, those in a long value, and by the name of a member or a field"
    )
    func secrets() throws {
        let long = String(repeating: "x", count: 110) + " t0p-s3cret-key"
        let checked = try check(
            """
            { fields: { Set-Cookie: a, X-Echo: "{{ key }}" },
              json: { $.a: 1, $.long: 1, $.password: 1, $.list: 1, $.echo: { not: "{{ key }}" } } }
            """,
            .json(
                """
                {"a": "t0p-s3cret-key", "long": "\(long)", "password": "hunter22", "echo": "t0p-s3cret-key",
                 "list": [{"password": "swordfish"}]}
                """,
                fields: [
                    .setCookie: "session=abcdef", HTTPField.Name("X-Echo") ?? .accept: "other",
                ]
            )
        )
        #expect(checked.items.allSatisfy { !$0.isMet })
        let said = checked.items.map { "\($0.subject) \($0.expected) \($0.actual ?? "")" }
        for secret in ["t0p-s3cret", "hunter22", "abcdef", "swordfish"] {
            #expect(!said.contains { $0.contains(secret) }, "\(said)")
        }
        #expect(said.allSatisfy { !$0.contains("\n") })
    }

    @Test("without a word about the status, an error is not as expected")
    func unspoken() throws {
        let response = Response.json("{}", status: 404)
        let checked = try check("{ json: { $.a: { exists: false } } }", response)
        #expect(checked.items.map(\.isMet) == [false, true])
        #expect(checked.items.first?.actual == "404")
        #expect(try check("{ status: 404 }", response).isMet)
    }

    @Test("ten thousand expectations are checked against one parse of the body")
    func many() throws {
        let expect = (0..<10_000).map { "\"$.a[\($0)]\": \($0 % 7)" }.joined(separator: ", ")
        let body = (0..<10_000).map { "\($0 % 7 == 3 ? 9 : $0 % 7)" }.joined(separator: ",")
        let checked = try check("{ json: { \(expect) } }", .json("{\"a\": [\(body)]}"))
        #expect(checked.items.count == 10_000)
        #expect(checked.unmetCount == (0..<10_000).count { $0 % 7 == 3 })
    }
}
