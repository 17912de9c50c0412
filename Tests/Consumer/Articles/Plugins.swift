import Apus
import HTTPTypes

enum PluginsArticle {
    //> struct Signature
    //> struct Fallback
    //> struct TraceID

    static func run() async throws {
        logs()
        try await builtIn()
        let transport = Canned()
        let signing = Provider<GitHub>(
            transport: transport,
            cache: temporaryCache(),
            plugins: [Signature()]
        )
        _ = try await signing.response(for: .user("ada"))
        check(transport.sent.all.first?.head.headerFields[.userAgent] == "Example/1.0")
        let fallingBack = Provider<GitHub>(
            cache: temporaryCache(),
            interceptors: [Fallback()],
            stubs: Stubs { target in
                guard case .user("fallback") = target as? GitHub else {
                    return .immediate(.text("", status: 503))
                }
                return .immediate(.text("fallback"))
            }
        )
        let response = try await fallingBack.response(for: .user("ada"))
        check(try response.value(using: .string) == "fallback")
        _ = try await Provider<GitHub>(transport: transport, plugins: [Tracing()])
            .response(for: .user("bob"))
    }

    private static func logs() {
        //> let cards
        _ = (cards, brief)
    }

    private static func builtIn() async throws {
        let (transport, activity) = (Canned(), ActivityPlugin())
        //> let provider
        _ = try await provider.response(for: .user("ada"))
        check(activity.count == 0)
        check(transport.sent.all.first?.head.headerFields[.acceptLanguage] == "de")
    }
}
