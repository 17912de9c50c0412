import Apus
import Documents
import FoundationEssentials
import HTTPTypes
import Secrets
import Synchronization
import Testing
import Workspaces

/// A server that writes down what it is asked.
private final class Answering: Transport {
    private let answer: @Sendable (String) -> (status: Int, body: String)
    private let requests = Mutex<[PreparedRequest]>([])
    var sent: [PreparedRequest] { requests.withLock { $0 } }
    var received: [String] { sent.map { $0.head.path ?? "" } }

    init(_ answer: @escaping @Sendable (String) -> (status: Int, body: String)) {
        self.answer = answer
    }

    func send(
        _ request: PreparedRequest,
        progress: (@Sendable (TransferProgress) -> Void)?
    ) async throws(ApusError) -> Response {
        let path = request.head.path ?? ""
        requests.withLock { $0.append(request) }
        let (status, body) = answer(path)
        var fields = HTTPFields()
        fields[.eTag] = "\"tag\""
        fields[.authenticationInfo] = "cap-TOKEN-1"
        return Response(
            request: request,
            head: HTTPResponse(status: .init(code: status), headerFields: fields),
            body: .bytes(Array(body.utf8)),
            source: .server,
            received: Date(timeIntervalSince1970: 0)
        )
    }
}

@Suite("Chains in files")
struct ChainTests {
    private func run(
        _ text: String,
        _ transport: Answering,
        resuming state: ChainState? = nil
    ) async throws -> ChainSummary {
        let workspace = try Workspace.make(text)
        let graph = try workspace.graph(
            of: workspace.chains[0],
            in: workspace.environments[0].name
        )
        let provider = Provider<MultiTarget>(
            transport: transport,
            cache: ResponseCache(configuration: .init(directory: "/dev/null/apus-tests"))
        )
        return await provider.summary(of: graph, resuming: state)
    }

    @Test("what a step expects ends it, what its target expects alone does not")
    func expectations() async throws {
        let text = """
            environments: { e: { baseURL: "http://h" } }
            targets:
              A: { request: GET /a, expect: { json: { $.id: 1 } } }
              B: { request: GET /b, expect: { status: 200 } }
            chains:
              C:
                - { step: a, target: A, capture: { id: $.id } }
                - { step: b, target: B, expect: { status: 404, json: { $.id: "{{ id }}" } } }
                - { step: c, target: A, expect: { json: { $.id: { "<": 2 }, $.name: Ada } } }
                - { step: d, target: A }
            """
        let transport = Answering { path in
            path == "/b" ? (404, #"{"id": 2}"#) : (200, #"{"id": 2, "name": "Bob \u001b[31m"}"#)
        }
        let summary = try await run(text, transport)
        #expect(transport.received == ["/a", "/b", "/a"])
        #expect(summary.steps.map(\.outcome.isDone) == [true, true, false, false])
        // In the place of the target's expectation of the same value stands the step's.
        guard case .failed(let failure) = summary.steps[2].outcome else {
            Issue.record("the step has not failed")
            return
        }
        #expect(failure.description == "expected: $.id < 2, actual: 2")
        #expect(summary.steps[3].outcome == .skipped(because: .failed(step: "c")))
    }

    @Test("without `needs` each step needs the one before it, and has all that was captured")
    func linear() async throws {
        let transport = Answering { _ in (200, "{\"id\": 7, \"name\": \"Ada\"}") }
        let summary = try await run(
            """
            chains:
              C:
                - { step: a, target: GET http://h/a, capture: { id: $.id, tag: "header:ETag" } }
                - { step: b, target: "GET http://h/b/{{ id }}", capture: { code: status } }
                - step: c
                  target: "GET http://h/c/{{ id }}/{{ code }}/{{ who }}"
                  set: { who: "{{ id }}x" }
            """,
            transport
        )
        #expect(summary.ending == .done)
        #expect(transport.received == ["/a", "/b/7", "/c/7/200/7x"])
        #expect(summary.values["tag"] == "\"tag\"")
    }

    @Test("a step can be a target's name alone, or a request line; it is called after it")
    func shortSteps() async throws {
        let transport = Answering { ($0 == "/b" ? 500 : 200, "{}") }
        let summary = try await run(
            """
            targets:
              Group: { First: GET http://h/a }
              Second: GET http://h/b
            chains:
              C:
                - Group/First
                - GET http://h/x
                - Second
                - { step: last, target: Second, needs: First }
            """,
            transport
        )
        #expect(summary.steps.map(\.name) == ["First", "GET http://h/x", "Second", "last"])
        #expect(
            summary.steps.map(\.outcome) == [
                .done, .done, .failed(.status(500)), .failed(.status(500)),
            ]
        )
    }

    @Test("a linear chain ends at the first step that fails")
    func linearFailure() async throws {
        let transport = Answering { ($0 == "/b" ? 500 : 200, "{}") }
        let summary = try await run(
            """
            chains:
              C:
                - { step: a, target: GET http://h/a }
                - { step: b, target: GET http://h/b }
                - { step: c, target: GET http://h/c }
            """,
            transport
        )
        #expect(
            summary.steps.map(\.outcome) == [
                .done, .failed(.status(500)), .skipped(because: .failed(step: "b")),
            ]
        )
        #expect(transport.received == ["/a", "/b"])
    }

    @Test("`needs`, `when` and `forEach` make a graph of the steps")
    func graph() async throws {
        let transport = Answering { path in
            (
                200,
                path == "/list" ? "{\"users\": [{\"id\": 3}, {\"id\": 5}]}" : "{\"n\": \"\(path)\"}"
            )
        }
        let text = """
            chains:
              C:
                - { step: list, target: GET http://h/list, capture: { ids: "$.users[*].id" } }
                - step: user
                  target: "GET http://h/user/{{ id }}?{{ index }}"
                  forEach: { in: ids, as: id, concurrency: 1, mode: settled }
                  capture: { names: $.n }
                - { step: other, needs: [], target: GET http://h/other }
                - { step: never, needs: list, target: GET http://h/never, when: "$.ids[5]" }
                - step: all
                  needs: [user, other]
                  target:
                    request: POST http://h/all
                    json: "{{ names }}"
            """
        let summary = try await run(text, transport)
        #expect(summary.ending == .done)
        #expect(summary["never"]?.outcome == .skipped(because: .condition("$.ids[5]")))
        #expect(Set(transport.received) == ["/list", "/user/3?1", "/user/5?2", "/other", "/all"])
        #expect(transport.received.last == "/all")
        #expect(summary.values["names"] == ["/user/3?1", "/user/5?2"])
    }

    @Test("a target that says which statuses are responses says it for its step too")
    func validation() async throws {
        let transport = Answering { _ in (404, "{}") }
        let summary = try await run(
            """
            chains:
              C:
                - step: look
                  target: { request: GET http://h/a, validate: [200, 404] }
                - { step: make, target: GET http://h/b, when: $.steps.look.status == 404 }
            """,
            transport
        )
        #expect(summary.steps.map(\.outcome) == [.done, .failed(.status(404))])
    }

    @Test("a chain is resumed from the step that failed")
    func resuming() async throws {
        let text = """
            chains:
              C:
                - { step: a, target: GET http://h/a, capture: { id: $.id } }
                - { step: b, target: "GET http://h/b/{{ id }}" }
            """
        let first = try await run(text, Answering { ($0 == "/a" ? 200 : 500, "{\"id\": 1.50}") })
        let transport = Answering { _ in (200, "{}") }
        let second = try await run(text, transport, resuming: first.state)
        #expect(second.ending == .done)
        #expect(transport.received == ["/b/1.50"])
    }

    @Test("what a state file says is trusted no more than a response")
    func hostileState() async throws {
        let text = """
            defaults: { baseURL: http://h/v1 }
            chains:
              C:
                - { step: a, target: GET /a, capture: { id: $.id } }
                - { step: b, target: "GET /b/{{ id }}" }
                - { step: c, target: { request: "GET {{ id }}", auth: { bearer: x } }, needs: a }
            """
        let state = try JSONDecoder().decode(
            ChainState.self,
            from: Data(
                #"{"steps": {"a": {"isDone": true, "captures": {"id": "\"http://e/?x#\""}, "elements": []}}}"#
                    .utf8
            )
        )
        let transport = Answering { _ in (200, "{}") }
        let summary = try await run(text, transport, resuming: state)
        #expect(transport.received == ["/v1/b/http%3A%2F%2Fe%2F%3Fx%23"])
        #expect(summary.ending == .failed(step: "c"))
    }

    @Test("a step says by `join` whether it runs when another was skipped or failed")
    func joins() async throws {
        let transport = Answering { path in (path == "/b" ? 500 : 200, "{}") }
        let summary = try await run(
            """
            chains:
              C:
                - { step: a, target: "GET http://h/a" }
                - { step: b, target: "GET http://h/b" }
                - { step: c, target: "GET http://h/c", when: $.steps.b.status == 500, join: ended }
                - { step: d, target: "GET http://h/d", needs: [a, b], join: any }
                - { step: e, target: "GET http://h/e", needs: [a, b], join: noneFailed }
            """,
            transport
        )
        #expect(Set(transport.received) == ["/a", "/b", "/c", "/d"])
        #expect(summary.ending == .failed(step: "b"))
        #expect(summary["e"]?.outcome == .skipped(because: .failed(step: "b")))
        let error = #expect(throws: WorkspaceError.self) {
            try Workspace.make(
                "chains: { C: [{ step: a, target: GET http://h/a, join: nonFailed }] }"
            )
        }
        #expect(error?.problems.first?.hint == "did you mean `noneFailed`?")
    }

    @Test(
        "a captured credential is a secret of each request that it gets into, however it does",
        arguments: [
            ("token: $.pair.x", "{ request: GET /b, headers: { X-Foo: \"{{ token }}\" } }", ""),
            ("t: $.session_token", "{ request: GET /b, headers: { X-Foo: \"{{ t }}\" } }", ""),
            ("t: $.session_token", "{ request: POST /b, json: { v: [\"{{ t }}\"] } }", ""),
            ("t: $.session_token", "{ request: POST /b, body: \"v={{ t }}\" }", ""),
            ("t: $.session_token", "{ request: POST /b, form: { v: \"{{ t }}\" } }", ""),
            ("t: $.session_token", "{ request: GET /b, query: { sid: \"{{ t }}\" } }", ""),
            ("t: $.session_token", "\"GET /b/{{ t }}\"", ""),
            ("t: $.session_token", "\"GET /b/{{ made }}\"", ""),
            ("t: $.session_token", "\"GET /b/{{ own }}\"", "set: { own: \"x-{{ t }}\" }"),
            ("t: $.pair", "{ request: POST /b, json: \"{{ t }}\" }", ""),
            ("t: header:Authentication-Info", "\"GET /b/{{ t }}\"", ""),
            ("t: '$.all[*].api_key'", "\"GET /b/{{ e }}\"", "forEach: { in: t, as: e }"),
            ("t: $.list", "\"GET /b/{{ token }}\"", "forEach: { in: t, as: token }"),
            (
                "t: $.list", "{ request: GET /b, query: { q: \"{{ e }}\" } }",
                "forEach: { in: t, as: e }"
            ),
        ]
    )
    func capturedCredentials(capture: String, target: String, rest: String) async throws {
        let text = """
            defaults: { baseURL: http://h }
            variables: { made: "{{ t }}-made", t: x }
            chains:
              C:
                - { step: a, target: GET /a, capture: { \(capture) } }
                - { step: b, target: \(target), \(rest) }
            """
        let body = """
            {"session_token": "cap-TOKEN-1", "pair": {"x": "cap-TOKEN-1", "token": "cap-TOKEN-1"},
             "all": [{"api_key": "cap-TOKEN-1"}], "list": ["cap-TOKEN-1"]}
            """
        let transport = Answering { _ in (200, body) }
        let summary = try await run(text, transport)
        let mask = try #require(transport.sent.last?.mask)
        let isCredential = !rest.hasSuffix("as: e }") || capture.contains("api_key")
        #expect(transport.received.count == 2)
        #expect((mask.masking(text: "is cap-TOKEN-1.") == "is ••••••.") == isCredential)
        // And so after another run, which had it from a server.
        let again = Answering { _ in (200, body) }
        var state = summary.state
        state.forget("b")
        _ = try await run(text, again, resuming: state)
        #expect(again.received.count == 1)
        #expect(again.sent.first?.mask.secrets == transport.sent.last?.mask.secrets)
    }

    @Test("of any number of captured credentials the one that a request gets is its secret")
    func credentialOfMany() async throws {
        let users = (0..<1005).map { "{\"token\": \"token-\($0)-x\"}" }.joined(separator: ",")
        let transport = Answering { _ in (200, "{\"users\": [\(users)]}") }
        let summary = try await run(
            """
            chains:
              C:
                - step: a
                  target: GET http://h/a
                  capture: { first: "$.users[:1000].*", last: "$.users[1000:].*" }
                - { step: b, target: "GET http://h/{{ e }}", forEach: { in: last, as: e } }
            """,
            transport
        )
        #expect(summary.ending == .done)
        let masked = transport.sent.dropFirst().map { $0.mask.masking(url: $0.head.path ?? "") }
        #expect(masked == Array(repeating: "/••••••", count: 5))
    }

    @Test("a captured value that is nested too deeply is refused, not cut or replaced")
    func deepCapture() async throws {
        let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        let transport = Answering { _ in (200, "{\"x\": \(deep)}") }
        let summary = try await run(
            """
            variables: { x: 1 }
            chains:
              C:
                - { step: a, target: GET http://h/a, capture: { x: $.x } }
                - { step: b, target: { request: POST http://h/b, json: "{{ x }}" } }
            """,
            transport
        )
        #expect(summary.ending == .failed(step: "b"))
        #expect(transport.received == ["/a"])
    }

    @Test("a file sets how many elements of a list are sent")
    func elementLimit() async throws {
        let transport = Answering { _ in (200, #"{"ids": [1, 2, 3]}"#) }
        func summary(_ limit: Int) async throws -> ChainSummary {
            try await run(
                """
                chains:
                  C:
                    - { step: a, target: GET http://h/a, capture: { ids: $.ids } }
                    - { step: b, target: GET http://h/b, forEach: { in: ids, limit: \(limit) } }
                """,
                transport
            )
        }
        #expect(try await summary(3).ending == .done)
        #expect(try await summary(2).ending == .failed(step: "b"))
        #expect(transport.received == ["/a", "/b", "/b", "/b", "/a"])
    }

    @Test("a captured credential follows no captured link to another origin")
    func credentialAndLink() async throws {
        let transport = Answering { _ in (200, #"{"token": "cap-TOKEN-1", "next": "http://e/x"}"#) }
        let summary = try await run(
            """
            defaults: { baseURL: http://h }
            chains:
              C:
                - { step: a, target: GET /a, capture: { t: $.token, next: $.next } }
                - { step: b, target: { request: "GET {{ next }}", headers: { X-Foo: "{{ t }}" } } }
                - { step: c, target: "GET {{ next }}", needs: a }
            """,
            transport
        )
        #expect(transport.sent.map(\.url) == ["http://h/a", "http://e/x"])
        #expect(summary.ending == .failed(step: "b"))
    }

    @Test("a captured link may have its own credential, and takes no other link's along")
    func linkWithCredential() async throws {
        let link = #""http://e/x?token=cap-TOKEN-1", "other": "/y?token=cap-TOKEN-2""#
        let transport = Answering { _ in (200, "{\"next\": \(link)}") }
        let summary = try await run(
            """
            defaults: { baseURL: http://h }
            chains:
              C:
                - { step: a, target: GET /a, capture: { next: $.next, other: $.other } }
                - { step: b, target: "GET {{ next }}" }
                - { step: c, target: { request: "POST {{ next }}", json: "{{ other }}" } }
            """,
            transport
        )
        #expect(transport.sent.map(\.url) == ["http://h/a", "http://e/x?token=cap-TOKEN-1"])
        #expect(summary.ending == .failed(step: "c"))
    }

    @Test("a list of many links with credentials goes on in one request")
    func manyLinks() async throws {
        let links = (0..<1001).map { "\"/x?page=2&token=token-\($0)\"" }.joined(separator: ",")
        let transport = Answering { _ in (200, "{\"links\": [\(links)]}") }
        let summary = try await run(
            """
            chains:
              C:
                - { step: a, target: GET http://h/a, capture: { links: $.links } }
                - { step: b, target: { request: POST http://h/b, json: "{{ links }}" } }
            """,
            transport
        )
        #expect(summary.ending == .done)
    }

    @Test(
        "so many credentials of one response are not sent in one request that none is masked in time"
    )
    func manyCredentials() async throws {
        let tokens = (0..<1001).map { "\"token-\($0)\"" }.joined(separator: ",")
        let transport = Answering { _ in (200, "{\"tokens\": [\(tokens)]}") }
        let summary = try await run(
            """
            chains:
              C:
                - { step: a, target: GET http://h/a, capture: { token: $.tokens } }
                - { step: b, target: { request: POST http://h/b, json: "{{ token }}" } }
            """,
            transport
        )
        #expect(transport.received == ["/a"])
        #expect("\(summary.steps[1].outcome)".contains("more than 1000 credentials"))
    }

    @Test("a secret that is missing is told before anything is sent")
    func secret() throws {
        let workspace = try Workspace.make(
            """
            variables: { token: { env: NOT_SET } }
            chains: { C: [{ step: a, target: "GET http://h/{{ token }}" }] }
            """
        )
        let error = #expect(throws: WorkspaceError.self) {
            try workspace.graph(of: workspace.chains[0], in: workspace.environments[0].name)
        }
        #expect(error?.problems.count == 1)
    }
}
