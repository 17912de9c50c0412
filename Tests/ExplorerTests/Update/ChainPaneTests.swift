import Apus
import Documents
import HTTPTypes
import Terminal
import Testing

@testable import Explorer

@Suite("A chain's pane")
struct ChainPaneTests {
    private func screen(_ model: Model) -> [String] {
        var grid = Grid(size: model.size)
        _ = Screen.render(model, into: &grid, look: Look(theme: .standard))
        return grid.textRows
    }

    /// A chain of three steps whose second failed with 503.
    private func failed() throws -> (play: Play, run: RunID) {
        var play = Play(catalog: .chain)
        play.type("enter")
        let run = try #require(play.firedRun)
        play.model.runs.updateChain(run) { chain in
            chain.steps[0].state = .done(status: 201, .milliseconds(4))
            chain.steps[0].result = .success(.sample(#"{"id": 7}"#, status: 201))
            chain.steps[0].captures = [.init(name: "id", value: "7")]
            chain.steps[0].attempts = 1
            chain.steps[1].state = .failed("503", .milliseconds(9))
            chain.steps[1].result = .success(.sample(#"{"why": "closed"}"#, status: 503))
            chain.steps[1].attempts = 3
            chain.steps[2].state = .skipped(because: "verify failed")
        }
        play.model.runs.end(run, at: .seconds(1))
        return (play, run)
    }

    @Test("a chain that failed says at which step, and why")
    func says() throws {
        let (play, _) = try failed()
        let name = try #require(play.model.shownChain?.steps[1].name)
        let rows = Grid.rendering(play.model).textRows
        #expect(rows.contains { $0.contains("Failed at \(name): 503. r runs it again.") })
        #expect(!rows.contains { $0.contains("Ended after") })
    }

    @Test("below the steps stands the one that failed, by itself, with attempts and response")
    func failedStep() throws {
        var (play, _) = try failed()
        let effects = play.model.showStep()
        let address = effects.compactMap { effect -> PaneAddress? in
            if case .openBody(let address, _, _) = effect { address } else { nil }
        }.first
        let body = BodyDocument(
            DocumentBytes(Array(#"{"why": "closed"}"#.utf8)),
            contentType: "application/json"
        )
        play.receive(.bodyOpened(try #require(address), body))
        let rows = screen(play.model)
        #expect(rows.contains { $0.contains("verify") && $0.contains("3 attempts") })
        #expect(rows.contains { $0.contains("why") && $0.contains("closed") })
    }

    @Test("the step that is chosen takes its place, with what it gave; enter shows all of it")
    func chosenStep() throws {
        var (play, _) = try failed()
        play.type("3 j home")
        let rows = screen(play.model)
        #expect(rows.contains { $0.contains("captured") && $0.contains("id 7") })
        play.type("enter")
        #expect(play.model.responses.openedPart?.name == "register")
        play.type("escape")
        #expect(play.model.responses.openedPart == nil)
        #expect(play.model.isChainSelected)
    }

    @Test("r in the pane runs from the chosen step, a sends it alone")
    func again() throws {
        var (play, _) = try failed()
        play.type("3 j a")
        guard case .send(_, _, _, let resolved, let source)? = play.effects.first else {
            Issue.record("nothing is sent")
            return
        }
        #expect(resolved.target.method.rawValue == "GET")
        if case .server = source {} else { Issue.record("the server is not asked") }
    }

    @Test(
        "a row of the session has whole steps only",
        arguments: [12, 20, 30, 40, 60, 80, 120]
    )
    func line(columns: Int) {
        let names = ["register", "verify", "prices", "coupon", "order", "gift"]
        var steps = names.map { ChainRunState.Step(name: $0, title: "") }
        for index in 0..<3 { steps[index].state = .done(status: 200, .zero) }
        steps[3].state = .failed("503", .zero)
        var grid = Grid(size: Size(columns: columns, rows: 1))
        ChainLine(steps: steps, now: .zero, look: Look(theme: .standard)).draw(
            in: grid.bounds,
            into: &grid
        )
        let text = grid.textRows[0]
        #expect(columns < 20 || text.contains("coupon"))
        #expect(columns < 30 || !text.contains("…") || text.contains("order …"))
        let words = text.split { " ─▶✓✗…".contains($0) }.map(String.init)
        let known = names + ["200", "more"]
        #expect(columns < 20 || words.allSatisfy { known.contains($0) || Int($0) != nil })
    }
}

extension Catalog {
    fileprivate static var chain: Catalog {
        Catalog(
            name: "Chains",
            nodes: [
                .chain(
                    CatalogChain(id: CatalogID("chain/Sign up"), name: "Sign up") { _ in
                        ResolvedChain(
                            chain: Chain(startingWith: PlayTarget()) { _ in nil },
                            steps: [
                                .init(name: "register", title: "POST /users"),
                                .init(name: "verify", title: "POST /verify"),
                                .init(name: "profile", title: "GET /me"),
                            ]
                        )
                    }
                )
            ]
        )
    }
}
