import FoundationEssentials
import Terminal
import TestSupport
import Testing

@testable import Explorer

@Suite("What the next start finds")
struct KeptStateTests {
    /// A start with a state that was kept.
    private func start(_ state: KeptState?, catalog: Catalog = .sample) -> Play {
        var play = Play(catalog: nil)
        play.model.keptState = KeptState()
        if let state { play.receive(.stateRead(state)) }
        play.receive(.catalogLoaded(catalog))
        return play
    }

    private func kept(_ play: Play) -> KeptState? {
        for case .keepState(let state) in play.effects { return state }
        return nil
    }

    @Test("what is chosen, folded and sized is kept as it changes, and found again")
    func returns() throws {
        var play = start(nil)
        play.type("k space")
        #expect(kept(play)?.folded == [CatalogID("Users/")])
        play.type("} j j e")
        let state = try #require(kept(play))
        #expect(state.environment == "staging")
        #expect(state.selected == CatalogID("Orders/Order"))
        #expect(state.sizes == PaneSizes(targets: 34))
        play.type("z")
        #expect(kept(play) == nil, "nothing of it has changed")
        let again = start(state)
        #expect(again.model.workspace.environment == 1)
        #expect(again.model.targets.selected?.name == "Order")
        #expect(again.model.targets.folded == [CatalogID("Users/")])
        #expect(again.model.layout.targets.columns == 34)
    }

    @Test("what is not there any more is left out")
    func changes() {
        var state = KeptState()
        state.environment = "gone"
        state.selected = CatalogID("Gone/Target")
        state.folded = [CatalogID("Gone/"), CatalogID("Users/")]
        let play = start(state)
        #expect(play.model.workspace.environment == 0)
        #expect(play.model.targets.folded == [CatalogID("Users/")])
        #expect(play.model.targets.selected != nil)
        #expect(kept(play)?.folded == [CatalogID("Users/")])
    }

    @Test("a line in a group that is folded has the cursor on the group")
    func hidden() {
        var state = KeptState()
        state.selected = CatalogID("Users/Show user")
        state.folded = [CatalogID("Users/")]
        #expect(start(state).model.targets.selected?.name == "Users")
    }

    @Test("a request on the command line is chosen before the line of the last time")
    func asked() {
        var state = KeptState()
        state.selected = CatalogID("Users/Show user")
        var catalog = Catalog.sample
        catalog.selected = CatalogID("Orders/Order")
        #expect(start(state, catalog: catalog).model.targets.selected?.name == "Order")
    }

    @Test("nothing is kept where nothing is to be kept")
    func switchedOff() {
        var play = Play()
        play.type("j } e")
        #expect(kept(play) == nil)
    }

    @Test("a file comes back as it was written, private, and beside no other")
    func file() throws {
        let folder = TemporaryFolder()
        let path = KeptState.path(of: "/work/\"mine\".apus.yaml", in: folder.path)
        var state = KeptState()
        #expect(KeptState.read(path) == nil)
        state.environment = "stage \"1\"\n"
        state.selected = CatalogID("Ümlaut/Show user")
        state.folded = [CatalogID("A/"), CatalogID("B/C/")]
        state.sizes = PaneSizes(targets: 40, session: 9, request: nil, cache: 250)
        try state.write(path)
        #expect(KeptState.read(path) == state)
        try KeptState().write(path)
        #expect(KeptState.read(path) == KeptState())
        let names = try FileManager.default.contentsOfDirectory(
            atPath: folder.path + "/workspaces"
        )
        #expect(names.count == 1)
    }

    @Test(
        "a file that holds something else is none",
        arguments: [
            "", "{", "[]", "null", "\u{0}\u{FF}", "{\"version\":2,\"selected\":\"A\"}",
            "{\"selected\":\"A\"}", String(repeating: "[", count: 10_000),
        ]
    )
    func damaged(_ text: String) throws {
        let folder = TemporaryFolder()
        let path = try folder.write(Array(text.utf8), to: "state.json")
        #expect(KeptState.read(path) == nil)
    }

    @Test("members of other kinds and sizes out of range count as none")
    func foreign() throws {
        let folder = TemporaryFolder()
        let text = """
            {"version":1,"environment":7,"selected":[1],"folded":[1,"A/",null],
             "sizes":{"targets":-5,"session":1e30,"request":"x","cache":99999}}
            """
        let path = try folder.write(Array(text.utf8), to: "state.json")
        var expected = KeptState()
        expected.folded = [CatalogID("A/")]
        #expect(KeptState.read(path) == expected)
        #expect(start(expected).model.targets.selected != nil)
    }

    @Test("the newest state is on disk at the end, whoever wrote before")
    @MainActor
    func ending() async {
        let folder = TemporaryFolder()
        let path = folder.path + "/a/state.json"
        let runner = StateRunner(path: path) { Issue.record("\($0)") }
        var state = KeptState()
        for size in 20..<60 {
            state.sizes.targets = size
            runner.keep(state)
        }
        await runner.end()()
        #expect(KeptState.read(path) == state)
    }
}
