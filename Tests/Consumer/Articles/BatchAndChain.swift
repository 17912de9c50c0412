import Apus
import Documents

enum BatchAndChainArticle {
    private static let provider = Provider<MultiTarget>(
        cache: temporaryCache(),
        stubs: Stubs { target in
            if case .user(let name) = target as? GitHub {
                return .immediate(.json(#"{"login":"\#(name)","id":7}"#))
            }
            return .immediate(
                .json(#"{"login":"found","items":[{"login":"ada"},{"login":"bob"}]}"#)
            )
        }
    )

    static func run() async throws {
        //> let batch = Batch(\n    [
        check(users.map { $0?.login } == ["ada", "bob"])
        //> let complete
        check(complete.count == 2)
        try await groups()
        await made()
        try await chain()
        try await graph()
        try joins()
    }

    private static func groups() async throws {
        //> let batch = Batch(\n    groups
        check(try await provider.results(of: batch).count == 3)
    }

    private static func made() async {
        //> let batch = Batch(concurrency: 50)
        check(summary.progress.succeeded == 1000)
        check(await provider.run(rest) { _, _ in }.progress.ended == 0)
    }

    private static func chain() async throws {
        //> let chain
        check(summary.steps.count == 2)
    }

    private static func graph() async throws {
        //> let plan
        check(summary.ending == .done)
        check(summary["user"]?.results.count == 2)
        let page = try text(of: "Sources/Apus/Apus.docc/BatchAndChain.md")
        check(page.contains(graph.drawing), "the drawing")
        //> let resumed
        check(resumed.steps.map(\.outcome) == [.restored, .restored, .restored])
    }

    private static func joins() throws {
        //> let steps
        check(steps.map(\.join) == [.all, .noneFailed])
    }
}
