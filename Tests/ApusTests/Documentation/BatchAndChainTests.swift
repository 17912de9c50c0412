import Apus
import Documents
import FoundationEssentials
import Testing

@Suite("Documentation: batch and chain")
struct BatchAndChainTests {
    private let provider = Provider<MultiTarget>(
        stubs: Stubs { target in
            if case .user(let name) = target as? GitHub {
                return .immediate(.json(#"{"login":"\#(name)","id":7}"#))
            }
            return .immediate(
                .json(#"{"login":"found","items":[{"login":"ada"},{"login":"bob"}]}"#)
            )
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
        let users = results.map { $0.mappedResponse(using: .decodable(User.self)).value }
        #expect(users.map { $0?.login } == ["ada", "bob"])
        let complete = try await provider.results(of: batch, completing: results)
        #expect(complete.count == 2)
    }

    @Test("groups have a source and a limit of their own")
    func groups() async throws {
        let batch = Batch(
            groups: [
                .init(
                    [GitHub.user("ada"), GitHub.user("bob")],
                    name: "users",
                    from: .cacheIfPossible
                ),
                .init([GitHub.search("swift")], name: "searches", concurrency: 1),
            ],
            concurrency: 16
        )
        #expect(try await provider.results(of: batch).count == 3)
    }

    @Test("targets are made while the batch runs, and nobody keeps the answers")
    func made() async {
        let batch = Batch(concurrency: 50) { (1...1000).lazy.map { GitHub.user("user\($0)") } }
        let summary = await provider.run(batch) { index, result in
            if case .failure(let error) = result { print(index, error) }
        }
        let rest = batch.retrying(summary)
        #expect(summary.progress.succeeded == 1000)
        #expect(await provider.run(rest) { _, _ in }.progress.ended == 0)
    }

    @Test("a chain makes each step of what came before")
    func chain() async throws {
        let chain = Chain(startingWith: GitHub.search("ada")) { step in
            guard step.index == 0, case .success(let response) = step.result else { return nil }
            return GitHub.user(try response.value(using: .string(at: "login")))
        }
        let summary = await provider.summary(of: chain)
        #expect(summary.steps.count == 2)
    }

    @Test("steps of a graph need one another, and those that are done are not sent again")
    func graph() async throws {
        let plan = ChainPlan([
            .init("list", captures: [try .init("logins", "$.items[*].login")]) { _ in
                GitHub.search("swift")
            },
            .init("user", needs: ["list"], uses: ["login"], forEach: .init("logins", as: "login")) {
                GitHub.user(try $0.text("login"))
            },
            .init("more", needs: ["list"], when: try ChainCondition("length($.logins) > 1")) { _ in
                GitHub.search("swift 6")
            },
        ])
        let graph = try ChainGraph(plan)
        let summary = await provider.summary(of: graph)
        #expect(summary.ending == .done)
        #expect(summary["user"]?.results.count == 2)
        let resumed = await provider.summary(of: graph, resuming: summary.state)
        #expect(resumed.steps.map(\.outcome) == [.restored, .restored, .restored])
        let article = try String(
            contentsOf: URL(
                filePath: ArticleTests.root + "/Sources/Apus/Apus.docc/BatchAndChain.md"
            ),
            encoding: .utf8
        )
        #expect(article.contains(graph.drawing))
    }

    @Test("a step says how what it needs must have ended")
    func joins() throws {
        let steps: [ChainPlan.Step] = [
            .init("more", needs: ["list"], when: try ChainCondition("length($.logins) > 1")) { _ in
                GitHub.search("swift 6")
            },
            .init("last", needs: ["list", "more"], join: .noneFailed) { _ in
                GitHub.search("swift 7")
            },
        ]
        #expect(steps.map(\.join) == [.all, .noneFailed])
    }
}
