import Apus
import FoundationEssentials
import HTTPTypes
import Testing

@testable import Workspaces

@Suite("What a response must be")
struct ExpectationTests {
    static let body = #"""
        {"name": "Ada", "age": 36, "price": 1.50, "tags": ["a", "b"], "note": null, "big": 12345678901234567890,
         "address": {"city": "London", "zip": "N1"}, "users": [{"id": 1}, {"id": 2}], "since": "2026-01-02"}
        """#

    /// What is not met of the expectations in flow style, as a person reads it.
    private func failures(
        _ expect: String,
        status: Int = 200,
        body: String = body,
        fields: HTTPFields = [.contentType: "application/json; charset=utf-8"],
        after duration: Duration = .milliseconds(120),
        variables: String = "{ who: Ada }"
    ) throws -> [String] {
        let workspace = try Workspace.make(
            """
            environments: { e: { baseURL: "http://localhost" } }
            variables: \(variables)
            targets: { T: { request: GET /, expect: \(expect) } }
            """
        )
        let target = try workspace.sent("T")
        let response = Response(
            request: PreparedRequest(
                head: HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/")
            ),
            head: HTTPResponse(status: .init(code: status), headerFields: fields),
            body: .bytes(Array(body.utf8)),
            source: .server,
            received: Date(timeIntervalSince1970: 0)
        )
        var check = ResponseCheck(response, after: duration, now: Date(timeIntervalSince1970: 0))
        return check.outcomes(of: target.expectations).filter { !$0.isMet }.map { outcome in
            "\(outcome.expectation.description): \(outcome.actual ?? "")"
        }
    }

    @Test(
        "what holds is met",
        arguments: [
            "{ status: 200 }", "{ status: 2xx }", "{ status: [404, 200-204] }", "{ time: < 2 s }",
            "{ time: 120 ms }", "{ size: < 10 kB }", "{ size: \">= 100 B\" }", "{ redirects: 0 }",
            "{ fromCache: false }",
            "{ fields: { content-type: { matches: json } } }",
            "{ fields: { Content-Type: \"application/json; charset=utf-8\", Server: { exists: false } } }",
            "{ json: { $.name: Ada, $.age: 36 } }", "{ json: { name: Ada, address.city: London } }",
            "{ json: { $.name: \"{{ who }}\" } }", "{ json: { $.price: 1.5 } }",
            "{ json: { $.big: 12345678901234567890 } }", "{ json: { $.note: null } }",
            "{ json: { $.tags: [a, b] } }", "{ json: { $.tags: { count: 2, contains: a } } }",
            "{ json: { $.users: { count: \">= 2\", type: array } } }",
            "{ json: { \"$..id\": { is: [1, 2] } } }", "{ json: { \"$..id\": { count: 2 } } }",
            "{ json: { $.age: { \"<\": 37, \"<=\": 36, \">\": 35, \">=\": 36, type: integer } } }",
            "{ json: { $.age: { type: number, not: 37, in: [1, 36] } } }",
            "{ json: { $.name: { matches: \"^A.a$\", contains: d, count: 3 } } }",
            "{ json: { $.gone: { exists: false }, $.note: { exists: true, type: \"null\" } } }",
            "{ json: { $.since: { \">\": 2025-12-31, \"<\": 2026-02-01 } } }",
            "{ json: { $.address: { is: { zip: N1, city: London }, contains: zip } } }",
            "{ text: { contains: Ada } }",
        ]
    )
    func met(_ expect: String) throws {
        #expect(try failures(expect) == [])
    }

    @Test(
        "what does not hold is said with what there is instead",
        arguments: [
            ("{ status: 200 }", "status is 200: 404"),
            ("{ status: [2xx, 300-302] }", "status is 2xx or 300-302: 404"),
            ("{ time: < 100 ms }", "time < 100 ms: 120 ms"),
            ("{ size: < 10 B }", "size < 10 B: 205 B"),
            ("{ redirects: 2 }", "redirects is 2: 0"),
            ("{ certificateDays: 14 }", "certificate >= 14 days: not known"),
            ("{ fromCache: true }", "source is the cache: not the cache"),
            ("{ fields: { Server: nginx } }", #"Server is "nginx": there is no such field"#),
            ("{ json: { $.name: Bob } }", #"$.name is "Bob": "Ada""#),
            // Types are told apart in JSON.
            ("{ json: { $.age: \"36\" } }", #"$.age is "36": 36"#),
            ("{ json: { $.tags: { count: 3 } } }", "$.tags has 3: 2"),
            ("{ json: { $.age: { count: 3 } } }", "$.age has 3: 0"),
            ("{ json: { $.age: { \"<\": 36 } } }", "$.age < 36: 36"),
            ("{ json: { $.name: { \"<\": 36 } } }", #"$.name < 36: "Ada""#),
            ("{ json: { $.name: { type: number } } }", "$.name is of type number: string"),
            ("{ json: { $.price: { type: integer } } }", "$.price is of type integer: number"),
            ("{ json: { $.gone: 1 } }", "$.gone is 1: there is no such value"),
            ("{ json: { $.gone: { not: 1 } } }", "$.gone is not 1: there is no such value"),
            ("{ json: { $.name: { exists: false } } }", #"$.name does not exist: "Ada""#),
            ("{ json: { $.name: { matches: ^B } } }", #"$.name matches "^B": "Ada""#),
            ("{ json: { $.age: { in: [1, 2] } } }", "$.age is one of [1,2]: 36"),
        ]
    )
    func notMet(_ expect: String, _ failure: String) throws {
        #expect(try failures(expect, status: 404) == [failure])
    }

    @Test("a whole body is compared as a tree, but for what is ignored")
    func wholeBody() throws {
        let body = #"{"id": 7, "name": "Ada", "seen": "today", "list": [{"id": 1}, {"id": 2}]}"#
        let list = "list: [{ id: ~ignore }, { id: 2 }]"
        #expect(
            try failures("{ body: { name: Ada, id: 7, seen: ~ignore, \(list) } }", body: body) == []
        )
        // What is ignored must be there.
        #expect(
            try failures(
                "{ body: { name: Ada, id: 7, seen: x, \(list), gone: ~ignore } }",
                body: body
            )
                == ["body is as in the file: 2 differences"]
        )
        #expect(
            try failures("{ body: { a: 1 } }", body: "<p>")
                == ["body is as in the file: the body is not JSON"]
        )
    }

    @Test("an inner layer takes the place of what is inherited about the same thing")
    func layers() throws {
        let workspace = try Workspace.make(
            """
            defaults: { expect: { status: 200, time: < 1 s, json: { $.a: 1, $.b: 2 } } }
            environments: { e: { baseURL: "http://localhost", expect: { time: < 2 s } } }
            targets:
              G:
                defaults: { expect: { json: { $.b: 3 } } }
                T: { request: GET /, expect: { status: 404 } }
                Same: { like: G/T, expect: { size: < 1 kB } }
              Bare: { request: GET /, defaults: none }
            """
        )
        let expected = { try workspace.sent($0).expectations.map(\.description) }
        #expect(try expected("G/T") == ["$.a is 1", "time < 2.0 s", "$.b is 3", "status is 404"])
        #expect(
            try expected("G/Same")
                == ["$.a is 1", "time < 2.0 s", "$.b is 3", "status is 404", "size < 1.0 kB"]
        )
        #expect(try expected("Bare") == [])
    }

    @Test(
        "what cannot be an expectation is refused where it stands",
        arguments: [
            ("{ statuz: 200 }", "unknown key `statuz` in `expect`"),
            ("{ status: 2000 }", "a status cannot be `2000`"),
            ("{ status: 300-200 }", "a status cannot be `300-200`"),
            ("{ status: [] }", "`status` has no status in it"),
            ("{ time: soon }", "`time` cannot be `soon`"),
            ("{ json: { \"$[\": 1 } }", "`$[` is not a path"),
            ("{ json: { $.a: { equals: 1 } } }", "unknown key `equals` in the comparison of `$.a`"),
            ("{ json: { $.a: { matches: \"(\" } } }", "the regular expression cannot be read"),
            ("{ json: { $.a: { in: 1 } } }", "`in` needs a list"),
            ("{ json: { $.a: { count: many } } }", "`count` needs a number"),
            ("{ json: { $.a: { type: text } } }", "`type` needs one of"),
            ("{ json: { $.a: { exists: 2 } } }", "`exists` needs true or false"),
            ("{ fields: { \"a b\": 1 } }", "`a b` cannot be the name of a header field"),
            ("{ json: { $.a: \"{{ nobody }}\" } }", "`nobody`"),
        ]
    )
    func refused(_ expect: String, _ message: String) throws {
        do {
            let workspace = try Workspace.make(
                """
                environments: { e: { baseURL: "http://localhost" } }
                targets: { T: { request: GET /, expect: \(expect) } }
                """
            )
            let target = try #require(workspace.targets.first)
            _ = try workspace.resolve(target, in: "e")
            Issue.record("nothing is refused")
        } catch let error as WorkspaceError {
            #expect("\(error)".contains(message), "\(error)")
            #expect(error.problems.first?.location.line == 2)
        }
    }
}
