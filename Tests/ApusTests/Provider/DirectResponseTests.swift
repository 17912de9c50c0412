import Apus
import HTTPTypes
import Testing

/// A request with no hooks and no cache around it makes no exchange; nobody may notice.
@Suite("A response without an exchange")
struct DirectResponseTests {
    /// What a call comes to, as far as two calls can be alike.
    private struct Outcome: Equatable {
        var status: Int?
        var text: String?
        var source: ResponseSource?
        var error: ApusError?

        init(_ result: Result<Response, ApusError>) {
            switch result {
            case .success(let response):
                (status, text, source) = (response.status, response.bodyText, response.source)
            case .failure(var error):
                status = error.response?.status
                // Two responses have two times.
                error.response = nil
                self.error = error
            }
        }
    }

    private static let cases: [(TestTarget, @Sendable () -> ScriptedTransport)] = [
        (TestTarget(cachePolicy: .none), { .answering("hello") }),
        (TestTarget(cachePolicy: .none), { .answering("no", status: 500) }),
        (
            TestTarget(validation: .successCodes, cachePolicy: .none),
            { .answering("no", status: 500) }
        ),
        (TestTarget(cachePolicy: .none), { .down }),
        (TestTarget(base: "ftp://api.test", cachePolicy: .none), { .answering("") }),
        (
            TestTarget(method: .head, task: .data([1], type: "a/b"), cachePolicy: .none),
            { .answering("") }
        ),
    ]

    @Test("it is the one that the events of an exchange end with", arguments: 0..<6)
    func isTheSame(index: Int) async throws {
        let (target, make) = Self.cases[index]
        let transports = (direct: make(), events: make())
        let direct = await Self.result {
            () async throws(ApusError) in
            try await Provider<TestTarget>(transport: transports.direct).response(for: target)
        }
        var ending: Result<Response, ApusError>?
        let provider = Provider<TestTarget>(transport: transports.events)
        for await event in provider.events(for: target) {
            if case .finished(let summary) = event { ending = summary.result }
        }
        #expect(Outcome(direct) == Outcome(try #require(ending)))
        #expect(transports.direct.received == transports.events.received)
    }

    @Test("a cancelled task sends nothing")
    func cancelled() async {
        let transport = ScriptedTransport.answering("")
        let result = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await Self.result { () async throws(ApusError) in
                try await Provider<TestTarget>(transport: transport)
                    .response(for: TestTarget(cachePolicy: .none))
            }
        }.value
        #expect(Outcome(result).error?.reason == .cancelled)
        #expect(transport.received.isEmpty)
    }

    @Test("a policy given with the call brings the cache back")
    func policy() async throws {
        let transport = ScriptedTransport.answering("kept")
        let provider = Provider<TestTarget>(transport: transport)
        let target = TestTarget(cachePolicy: .none)
        let policy = CachePolicy.keep(in: .memory)
        _ = try await provider.response(for: target, caching: policy)
        let again = try await provider.response(for: target, from: .cache, caching: policy)
        #expect(again.source != .server && again.bodyText == "kept")
        #expect(transport.received.count == 1)
    }

    private static func result(
        _ call: () async throws(ApusError) -> Response
    ) async -> Result<Response, ApusError> {
        do throws(ApusError) {
            return .success(try await call())
        } catch {
            return .failure(error)
        }
    }
}
