import Apus
import ApusReactive
import Foundation
import HTTPTypes
import OpenCombine

// What people write that no article shows: each protocol of the engine adopted, each async closure
// given as a closure and as a function of one's own.

/// Asks twice.
private struct Twice: Interceptor {
    func account(in context: ExchangeContext) -> String? { "ada" }

    func intercept(
        _ request: PreparedRequest,
        in context: ExchangeContext,
        next: NextCall
    ) async throws -> Response {
        async let first = next(request)
        async let second = next(request)
        _ = try await first
        return try await second
    }
}

/// Another one, with something else than the server inside.
private struct Around: Interceptor {
    let inner: any Interceptor

    func intercept(
        _ request: PreparedRequest,
        in context: ExchangeContext,
        next: NextCall
    ) async throws -> Response {
        let again = NextCall { request throws(ApusError) in try await next(request) }
        return try await inner.intercept(request, in: context, next: again)
    }
}

/// Every hook.
private struct Everything: Plugin {
    func plan(_ plan: CachePlan, in context: ExchangeContext) -> CachePlan { plan }
    func adapt(_ task: RequestTask, in context: ExchangeContext) async throws -> RequestTask {
        task
    }
    func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest { request }
    func willSend(_ request: PreparedRequest, in context: ExchangeContext) async throws {}
    func didReceive(_ result: Result<Response, ApusError>, in context: ExchangeContext) async {}
    func process(
        _ result: Result<Response, ApusError>,
        in context: ExchangeContext
    ) async throws -> ProcessingResult { .result(result) }
    func didFinish(_ summary: ExchangeSummary, in context: ExchangeContext) async {}
}

private struct NoTokens: OAuth2TokenStore {
    func load() async throws -> OAuth2Token? { nil }
    func save(_ token: OAuth2Token?) async throws {}
}

@Sendable private func token(_ target: any TargetType) async throws -> Secret? { Secret("t") }
@Sendable private func login(
    _ old: AccessToken?,
    _ context: ExchangeContext
) async throws -> AccessToken { AccessToken(Secret("t")) }
@Sendable private func noStep(_ step: ChainStepResult) async throws -> (any TargetType)? { nil }

enum AdoptingArticle {
    static func run() async throws {
        let transport = Canned()
        let provider = Provider<GitHub>(
            transport: transport,
            cache: temporaryCache(),
            plugins: [
                Everything(), AccessTokenPlugin(token: token),
                AccessTokenPlugin { _ in Secret("t") },
                HeaderPlugin(.accept) { _ in "text/plain" },
            ],
            interceptors: [
                Around(inner: Twice()), RefreshInterceptor(TokenRefresher(refresh: login)),
                RefreshInterceptor(TokenRefresher { _, _ in AccessToken(Secret("u")) }),
            ]
        )
        let response = try await provider.response(for: .user("ada"))
        check(transport.sent.all.count == 2)
        check(response.request.head.headerFields[.authorization] == "Bearer u")
        let chain = Chain(startingWith: GitHub.user("ada"), next: noStep)
        check(await provider.summary(of: chain).steps.count == 1)
        var pieces = 0
        for try await piece in try await transport.stream(response.request).body {
            pieces += piece.count
        }
        check(pieces == 22)
        let stores: [any OAuth2TokenStore] = [NoTokens()]
        check(try await stores[0].load() == nil)
        let error: any Error = ApusError(.nameLookup(host: "api.test", detail: "no such name"))
        check(error.localizedDescription == "Could not resolve api.test: no such name")
        try await Screen().use(provider)
    }
}

/// Code of the main actor, as it is written first.
@MainActor
private final class Screen {
    var text = ""
    var events = 0
    var subscriptions: Set<AnyCancellable> = []

    func use(_ provider: Provider<GitHub>) async throws {
        text = try await provider.value(for: .user("ada"), using: .string(at: "login"))
        check(text == "ada")
        for await _ in provider.events(for: .user("ada")) { events += 1 }
        check(events > 1)
        for try await login in provider.values(for: .user("ada"), using: .string(at: "login")) {
            text = login + "s"
        }
        check(text == "adas")
        provider.request(
            .user("bob"),
            on: .main,
            progress: { _ in self.events = 0 },
            completion: { result in
                if case .success(let response) = result { self.text = "\(response.status)" }
            }
        )
        await wait { self.text == "200" }
        provider.progressPublisher(for: .user("ada"))
            .filterCompleted()
            .sink(
                receiveCompletion: { _ in self.events = 0 },
                receiveValue: { self.text = $0.isFromCache ? "cached" : "fresh" }
            )
            .store(in: &subscriptions)
        await wait { self.text == "fresh" }
    }
}
