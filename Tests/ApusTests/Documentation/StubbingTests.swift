import Apus
import Testing

@Suite("Documentation: testing with stubs")
struct StubbingTests {
    @Test("a target's sample answers in the server's place")
    func samples() async throws {
        let provider = Provider<GitHub>(
            stubs: Stubs { target in
                switch target as? GitHub {
                case .user: .immediate(.json(#"{"login":"ada","id":7}"#))
                case .search: .delayed(.milliseconds(1), .text("slow"))
                default: .immediate(.failure(.cancelled))
                }
            }
        )
        let response = try await provider.response(for: .user("ada"))
        #expect(response.source == .stub)
        #expect(try response.value(using: .decodable(User.self)).login == "ada")
    }

    @Test("a sequence answers a retry differently")
    func sequence() async throws {
        let answers = StubSequence(.text("", status: 503), .json(#"{"login":"ada","id":7}"#))
        let provider = Provider<GitHub>(
            interceptors: [RetryPolicy(limit: 1, firstPause: .zero)],
            stubs: Stubs { _ in .immediate(answers.next()) }
        )
        let user = try await provider.value(for: .user("ada"), using: .decodable(User.self))
        #expect(user.id == 7)
        #expect(answers.count == 2)
    }
}
