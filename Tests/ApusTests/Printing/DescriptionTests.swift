import Apus
import FoundationEssentials
import HTTPTypes
import Testing

@Suite("Printing")
struct DescriptionTests {
    private let request = PreparedRequest(
        head: HTTPRequest(
            method: .post,
            scheme: "https",
            authority: "ada:s3cret@api.test",
            path: "/users?api_key=s3cret&page=2",
            headerFields: [.authorization: "Bearer s3cret", .contentType: "application/json"]
        ),
        body: .bytes(Array(#"{"name":"Ada","password":"s3cret"}"#.utf8))
    )

    private func response(
        _ text: String = #"{"id":7,"access_token":"s3cret"}"#,
        status: Int = 201,
        isComplete: Bool = true
    ) -> Response {
        Response(
            request: request,
            head: HTTPResponse(
                status: .init(code: status),
                headerFields: [.contentType: "application/json", .setCookie: "id=s3cret"]
            ),
            body: .bytes(Array(text.utf8)),
            source: .server,
            isComplete: isComplete,
            received: Date(timeIntervalSince1970: 0)
        )
    }

    private let url = "https://••••••@api.test/users?api_key=••••••&page=2"

    @Test("a response is one line: request, status, source, size and type")
    func line() {
        #expect(
            "\(response())" == "POST \(url) · 201 · server · 32 B of application/json"
        )
        #expect(
            "\(response("", status: 204, isComplete: false))"
                == "POST \(url) · 204 · server · no body · incomplete"
        )
    }

    @Test("its debug description has the fields and the first part of the body, without secrets")
    func wholeResponse() {
        #expect(
            String(reflecting: response()) == """
                POST \(url) · 201 · server · 32 B of application/json
                Content-Type: application/json
                Set-Cookie: ••••••

                {"id":7,"access_token":"••••••"}
                """
        )
        let long = String(reflecting: response(String(repeating: "word ", count: 1000)))
        #expect(long.hasSuffix("word … (5000 bytes)") && long.utf8.count < 1300)
    }

    @Test("a request is one line, and its debug description shows what is sent")
    func prepared() {
        #expect("\(request)" == "POST \(url) · 34 B of application/json")
        #expect(
            String(reflecting: request) == """
                POST \(url) · 34 B of application/json
                Authorization: ••••••
                Content-Type: application/json

                {"name":"Ada","password":"••••••"}
                """
        )
        let quick = QuickTarget(.get, "https://api.test/a?token=s3cret")
        #expect("\(quick)" == "GET https://api.test/a?token=••••••")
    }

    @Test("nothing that prints a value shows its insides or a secret")
    func dumps() async {
        let error = ApusError(.unacceptableStatus(201), request: request.line, response: response())
        let summary = ExchangeSummary(
            result: .success(response()),
            responseCount: 2,
            attempts: 3,
            duration: .milliseconds(12)
        )
        let key = CacheKey(for: request, policy: .keep())
        let values: [Any] = [
            request, response(), summary, error,
            ExchangeEvent.response(response()), ExchangeEvent.willSend(request, attempt: 2),
            ExchangeEvent.lookedUp(.hit(response())), ExchangeEvent.finished(summary),
            CacheLookup.miss(key, .notFound),
            MappedResponse(response: response(), result: .success(7)),
            MappedResponse<Int>(response: response(), result: .failure(error)),
            ServerFailure<String>.refused("no", response()), ServerFailure<String>.failed(error),
        ]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            for text in ["\(value)", String(reflecting: value), dumped] {
                #expect(!text.contains("s3cret"), "\(type(of: value)): \(text)")
                #expect(!text.contains("unknown context"), "\(type(of: value)): \(text)")
                #expect(!text.contains("CopyOnWriteBox"), "\(type(of: value)): \(text)")
            }
        }
    }

    @Test("a value with its response is one line, and so is its error")
    func mapped() {
        let mapped = MappedResponse(response: response(), result: .success(["Ada", "s3cret"]))
        #expect("\(mapped)".hasPrefix(#"["Ada", "••••••"] · POST https://"#))
        let failed = MappedResponse<Int>(
            response: nil,
            result: .failure(ApusError(.cancelled))
        )
        #expect("\(failed)" == "[1201] Cancelled")
    }

    @Test("the events of an exchange read as what happened")
    func events() async {
        let provider = Provider<TestTarget>(
            transport: ScriptedTransport.answering("hello"),
            cache: .inMemory
        )
        let target = TestTarget(cachePolicy: .keep())
        var lines: [String] = []
        for await event in provider.events(for: target, from: .cacheIfPossible) {
            lines.append("\(event)")
        }
        let url = "GET http://api.test/users/7"
        #expect(
            lines.dropLast().map { $0.replacing(/until .*/, with: "until then") } == [
                "looked up: miss: nothing cached yet", "will send: \(url)",
                "progress: received 1 B", "response: \(url) · 200 · server · 5 B",
                "storage: stored in memory until then",
            ]
        )
        #expect(lines.last?.hasPrefix("finished: \(url) · 200 · server · 5 B · ") == true)
    }

    @Test("batches and chains print their figures")
    func summaries() async throws {
        let provider = Provider<TestTarget>(
            transport: ScriptedTransport.answering("x"),
            cache: .none
        )
        let batch = await provider.run(Batch([TestTarget(), TestTarget()])) { _, _ in }
        #expect("\(batch)".hasPrefix("2 of 2 done, sent 0 B, received "))
        let chain = await provider.summary(of: Chain(startingWith: TestTarget()) { _ in nil })
        #expect("\(chain)".hasPrefix("done · 1 of 1 steps done · "))
        #expect(chain.steps.map { "\($0)" }.first?.hasPrefix("step 1: done · 200 · ") == true)
        #expect(chain.steps.first?.target is TestTarget)
    }
}

@Suite("Errors in words")
struct LocalizedErrorTests {
    struct Problem: Decodable, Sendable { var title: String }

    private func words(_ error: any Error) -> String? {
        (error as? any LocalizedError)?.errorDescription
    }

    @Test("what typed targets throw says what the server said, and what else happened")
    func serverFailure() throws {
        let request = PreparedRequest.make("api.test", "/users")
        let response = Response.make(request, #"{"title":"no"}"#, status: 422)
        let refused = ServerFailure.refused(Problem(title: "name is taken"), response)
        #expect(words(refused) == #"The server refused (422): Problem(title: "name is taken")"#)
        #expect("\(refused)".hasSuffix("(GET http://api.test/users)"))
        let failed = ServerFailure<Problem>.failed(
            ApusError(.nameLookup(host: "api.test", detail: "no such host"))
        )
        #expect(words(failed) == "Could not resolve api.test: no such host")
        #expect(failed.recoverySuggestion?.isEmpty == false)
    }

    @Test("the other errors have words too")
    func others() async throws {
        let encoding = ValueStoreError.encoding(key: "user", detail: "NaN")
        #expect(words(encoding) == "The value “user” cannot be written as JSON: NaN")
        #expect(words(Veto("not on Sundays")) == "not on Sundays")
        #expect(words(AuthorizationError.noToken) == "There is no access token")
        let plan = ChainPlan([
            .init("a", needs: ["b"]) { _ in TestTarget() }, .init("a") { _ in TestTarget() },
        ])
        let error = #expect(throws: ChainPlanError.self) { try ChainGraph(plan) }
        #expect(
            error.flatMap { words($0) } == """
                The plan cannot run: two steps are named `a`; the step `a` needs an unknown step `b`.
                """
        )
        #expect(words(ChainFailure.status(500)) == "Status 500.")
    }
}
