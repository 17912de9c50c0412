import Apus
import Documents
import Testing

@Suite("Documentation: batch and chain")
struct BatchAndChainTests {
    private let provider = Provider<MultiTarget>(
        stubs: Stubs { target in
            if case .user(let name) = target as? GitHub {
                return .immediate(.json(#"{"login":"\#(name)","id":7}"#))
            }
            return .immediate(.json(#"{"login":"found"}"#))
        }
    )

    @Test("results of a batch come in the order of its targets")
    func batch() async throws {
        let batch = Batch(
            [GitHub.user("ada"), GitHub.user("bob")],
            concurrency: 8,
            mode: .settled
        )
        let results = try await provider.results(of: batch)
        let users = results.map { $0.decoded(as: User.self).value }
        #expect(users.map { $0?.login } == ["ada", "bob"])
    }

    @Test("a chain makes each step of what came before")
    func chain() async throws {
        let chain = Chain(startingWith: GitHub.search("ada")) { step in
            guard step.index == 0, case .success(let response) = step.result else { return nil }
            return GitHub.user(try response.string(at: "login"))
        }
        let summary = await provider.summary(of: chain)
        #expect(summary.steps.count == 2)
    }
}
