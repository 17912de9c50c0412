import Apus
import HTTPTypes
import Synchronization
import Testing

private struct Signature: Plugin {
    func prepare(
        _ request: PreparedRequest,
        in context: ExchangeContext
    ) async throws -> PreparedRequest {
        var request = request
        request.head.headerFields[.userAgent] = "Example/1.0"
        return request
    }

    func willSend(_ request: PreparedRequest, in context: ExchangeContext) async throws {
        if request.head.scheme == "ftp" { throw Veto("only the web") }
    }
}

private struct Fallback: Interceptor {
    func intercept(
        _ request: PreparedRequest,
        in context: ExchangeContext,
        next: Next
    ) async throws -> Response {
        let response = try await next(request)
        guard response.status == 503 else { return response }
        return try await context.send(GitHub.user("fallback"))
    }
}

@Suite("Documentation: plugins")
struct PluginsTests {
    @Test("a plugin changes what goes out")
    func plugin() async throws {
        let transport = ScriptedTransport.answering("{}")
        let provider = Provider<GitHub>(transport: transport, plugins: [Signature()])
        _ = try await provider.response(for: .user("ada"))
        #expect(transport.received.first?.head.headerFields[.userAgent] == "Example/1.0")
    }

    @Test("an interceptor stands around the call and may send another")
    func interceptor() async throws {
        let transport = ScriptedTransport { request throws(ApusError) in
            let isFallback = request.url.hasSuffix("fallback")
            return .make(request, isFallback ? "fallback" : "", status: isFallback ? 200 : 503)
        }
        let provider = Provider<GitHub>(transport: transport, interceptors: [Fallback()])
        #expect(try await provider.response(for: .user("ada")).text == "fallback")
    }

    @Test("the built-in ones are put together")
    func builtIn() async throws {
        let transport = ScriptedTransport.answering("{}")
        let activity = ActivityPlugin()
        let provider = Provider<GitHub>(
            transport: transport,
            plugins: [
                LoggerPlugin(.standard) { entry in print(entry) },
                HeaderPlugin(.acceptLanguage, "de"),
                activity,
                FallbackResponsePlugin(
                    envelope: ResponseEnvelope(code: "code", message: "message", success: "0")
                ),
            ],
            interceptors: [RetryPolicy(limit: 2)],
            coalesces: true
        )
        _ = try await provider.response(for: .user("ada"))
        #expect(activity.count == 0)
        #expect(transport.received.first?.head.headerFields[.acceptLanguage] == "de")
    }
}
