import Apus
import Recordings
import Sharing
import Terminal
import Testing
import TreeView

@testable import Explorer

@Suite("Sessions that are shared with a team")
struct SharingTests {
    private static let address = "redis://10.0.0.5:6379/0"

    private func play(server: String? = SharingTests.address) -> Play {
        var play = Play(hasHistory: true)
        play.receive(.sharing(.cacheServer(server)))
        return play
    }

    private func listed(_ sessions: [StreamedSession] = StreamedSession.samples) -> Play {
        var play = play()
        play.type("J")
        play.receive(.sharing(.listed(sessions)))
        return play
    }

    private func effects(_ play: Play) -> [SharingEffect] {
        play.effects.compactMap { if case .sharing(let effect) = $0 { effect } else { nil } }
    }

    private func type(_ text: String, in play: inout Play) {
        for character in text { play.send(.key(Key(.character(character)))) }
    }

    // MARK: One's own

    @Test("tab after a session's name offers the shared cache's server, and enter shares it there")
    func shares() {
        var play = play()
        play.type("R b u g tab")
        #expect(play.model.layers.prompt?.field.text == Self.address)
        play.type("enter")
        guard case .beginSession("bug", let choice?)? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
        #expect(choice.chosen == nil)
        #expect(choice.source != nil)
        #expect(play.model.session.status?.sharing == .begun)
        play.receive(.history(.session(SessionStatus(name: "bug", count: 3))))
        play.receive(.sharing(.own(session: "bug", .began, at: Self.address)))
        #expect(play.model.session.status == SessionStatus(name: "bug", count: 3, sharing: .shared))
        #expect(play.model.notice == nil)
    }

    @Test("an address is typed, and is offered the next time without its password")
    func typed() throws {
        var play = play(server: nil)
        play.type("R b u g tab")
        #expect(play.model.layers.prompt?.field.text == "")
        type("redis://:sesame@cache.internal/3", in: &play)
        play.type("enter")
        guard case .beginSession("bug", let choice?)? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
        #expect(choice.chosen == (try RedisAddress("redis://:sesame@cache.internal/3")))
        play.type("R R n e x t tab")
        #expect(play.model.layers.prompt?.field.text == "redis://cache.internal:6379/3")
        play.type("enter")
        guard case .beginSession("next", let again?)? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
        #expect(again.chosen == choice.chosen)
    }

    @Test(
        "what cannot be shared is refused with the reason, and asked again",
        arguments: [
            ("R tab", "a session needs a name"),
            ("R b tab enter", "type the server's address: redis://host:port/db"),
            (
                "R b tab h t t p : / / x enter",
                "the address cannot be used: http:// is not redis://, rediss:// or unix://"
            ),
        ]
    )
    func refuses(keys: String, words: String) {
        var play = play(server: nil)
        play.type(keys)
        #expect(play.model.notice?.text == words)
        #expect(play.model.layers.prompt != nil)
        #expect(play.effects.isEmpty)
        #expect(play.model.session.status == nil)
    }

    @Test("a history that keeps secrets is not shared")
    func keepsSecrets() {
        var play = play()
        play.model.session.keepsSecrets = true
        play.type("R b tab")
        #expect(play.model.notice?.text.hasPrefix("it cannot be shared: --keep-secrets") == true)
        play.type("enter")
        guard case .beginSession("b", nil)? = play.historyEffects.first else {
            Issue.record("\(play.effects)")
            return
        }
    }

    @Test("a session whose server goes is recorded on, and the screen says so until it is back")
    func goes() {
        var play = play()
        play.type("R b u g tab enter")
        play.receive(.sharing(.own(session: "bug", .began, at: Self.address)))
        play.receive(.sharing(.own(session: "bug", .failed("no connection"), at: Self.address)))
        #expect(play.model.session.status?.sharing == .failed("no connection"))
        #expect(
            play.model.notice?.text
                == "The session is not shared for now: no connection (\(Self.address))."
        )
        #expect(Grid.rendering(play.model).textRows[0].contains("✗ not shared"))
        play.receive(.sharing(.own(session: "bug", .recovered, at: Self.address)))
        #expect(play.model.session.status?.sharing == .shared)
        #expect(play.model.notice?.text == "The session is shared again (\(Self.address)).")
        #expect(!Grid.rendering(play.model).textRows[0].contains("not shared"))
        // What comes late is about another session.
        play.type("R R o t h e r enter")
        play.receive(.sharing(.own(session: "bug", .lost(2), at: Self.address)))
        #expect(play.model.session.status?.sharing == nil)
        #expect(
            play.model.notice?.text
                == "The last 2 exchanges of the session were not shared (\(Self.address))."
        )
    }

    @Test("a session that may not be shared is recorded, and why is said")
    func refused() {
        var play = play()
        play.type("R b u g tab enter")
        play.receive(.sharing(.refused(session: "bug", "no key")))
        #expect(play.model.session.status?.sharing == .failed("no key"))
        #expect(play.model.notice?.text == "bug is recorded, but not shared: no key")
    }

    // MARK: Those of others

    @Test("the list asks the server while it is open, and no longer")
    func lists() {
        var play = play()
        play.type("J")
        guard case .list(let choice)? = effects(play).first else {
            Issue.record("\(play.effects)")
            return
        }
        #expect(choice.chosen == nil)
        #expect(play.model.layers.picker?.kind == .sessions)
        play.receive(.sharing(.listed(StreamedSession.samples)))
        #expect(play.model.layers.picker?.shown.first?.name == "checkout")
        play.type("down")
        // It grows, and the cursor stays where it is.
        let new = StreamedSession(name: "new", count: 1, isShared: true, age: .zero)
        play.receive(.sharing(.listed([new] + StreamedSession.samples)))
        #expect(play.model.layers.picker?.selected?.name == "login fails")
        play.type("esc")
        guard case .endList? = effects(play).first else {
            Issue.record("\(play.effects)")
            return
        }
        play.type("j")
        #expect(effects(play).isEmpty)
    }

    @Test("without a server the list has the sessions here, and asks for one")
    func noServer() {
        var play = play(server: nil)
        play.type("J")
        #expect(effects(play).isEmpty)
        #expect(play.model.layers.picker?.selected?.choice == .server)
        play.type("enter")
        #expect(play.model.layers.prompt?.label == "Server:")
        type("redis://cache.internal", in: &play)
        play.type("enter")
        guard case .list(let choice)? = effects(play).first else {
            Issue.record("\(play.effects)")
            return
        }
        #expect(choice.chosen?.name == "redis://cache.internal:6379/0")
        play.receive(.sharing(.listFailed("no connection")))
        #expect(
            play.model.layers.picker?.selected?.detail
                == "redis://cache.internal:6379/0: no connection"
        )
    }

    @Test("enter watches from the beginning, ctrl+n from now on, and the pane shows what comes")
    func watches() {
        for (key, isFromNow) in [("enter", false), ("ctrl+n", true)] {
            var play = listed()
            play.type(key)
            guard case .watch(let watched, isFromNow, _)? = effects(play).first else {
                Issue.record("\(play.effects)")
                return
            }
            #expect(watched.name == "checkout")
            #expect(play.model.sharing.watched == watched)
            #expect(play.model.session.filter?.text == "session:\"checkout (watched)\"")
            #expect(play.model.panes.focus == .progress)
            #expect(play.model.layers.picker == nil)
            play.receive(
                .sharing(.received(watch: watched.id, .exchange(.make(1))))
            )
            #expect(play.model.sharing.watched?.count == 1)
            play.receive(.sharing(.received(watch: watched.id + 1, .exchange(.make(1)))))
            #expect(play.model.sharing.watched?.count == 1)
        }
    }

    @Test("what is watched says when its server goes and comes back, and what was missed")
    func events() throws {
        var play = listed()
        play.type("enter")
        let id = try #require(play.model.sharing.watched?.id)
        let fault = try #require(throws: RedisFault.self) { try RedisAddress("x") }
        play.receive(.sharing(.received(watch: id, .missed(3))))
        #expect(
            play.model.notice?.text == "3 exchanges of checkout were gone before they were read"
        )
        play.receive(.sharing(.received(watch: id, .failed(fault))))
        #expect(play.model.sharing.watched?.problem == "\(fault)")
        #expect(
            Grid.rendering(play.model).textRows.contains { $0.contains("waiting for checkout") }
        )
        play.receive(.sharing(.received(watch: id, .recovered)))
        #expect(play.model.sharing.watched?.problem == nil)
        play.receive(.sharing(.received(watch: id, .refused("not signed"))))
        #expect(play.model.notice?.text == "left out of checkout: not signed")
        play.receive(.sharing(.watchFailed(watch: id, "full disk")))
        #expect(play.model.sharing.watched == nil)
        #expect(play.model.notice?.text == "checkout cannot be watched: full disk")
    }

    @Test(
        "x stops watching if nothing runs, and so does ctrl+x in the list",
        arguments: ["x", "X", "J ctrl+x"]
    )
    func stops(keys: String) throws {
        var play = listed()
        play.type("enter")
        play.receive(.sharing(.listed(StreamedSession.samples)))
        play.type(keys)
        guard case .endWatch? = effects(play).first else {
            Issue.record("\(play.effects)")
            return
        }
        #expect(play.model.sharing.watched == nil)
        play.type("esc x")
        #expect(play.model.notice?.text == "nothing is running")
    }

    @Test("a session that is watched is shown again by enter, and not begun anew")
    func shows() {
        var play = listed()
        play.type("enter esc J")
        play.receive(.sharing(.listed(StreamedSession.samples)))
        #expect(play.model.layers.picker?.selected?.note == "watching")
        play.type("enter")
        #expect(!effects(play).contains { if case .watch = $0 { true } else { false } })
        #expect(play.model.session.filter?.text == "session:\"checkout (watched)\"")
    }

    @Test("one's own session is not offered to be watched")
    func own() {
        var play = play()
        play.type("R c h e c k o u t tab enter J")
        play.receive(.sharing(.listed(StreamedSession.samples)))
        let watchable = play.model.layers.picker?.shown.filter { $0.choice == .shared("checkout") }
        #expect(watchable?.isEmpty == true)
    }

    @Test("without a history nothing is listed or shared, which is said")
    func noHistory() {
        var play = Play()
        play.type("J")
        #expect(play.model.layers.picker == nil)
        #expect(play.model.notice?.text.hasPrefix("nothing is recorded") == true)
    }
}

/// Which server and which key.
@Suite("The server of a team")
struct TeamServersTests {
    private let key = "0123456789abcdef"

    @Test("TEAM_KEY is the key of a server that is typed; without one that is said")
    func typed() throws {
        let choice = ServerChoice(chosen: try RedisAddress("redis://one"))
        let server = try TeamServers(teamKey: key).server(choice)
        #expect(server == TeamServer(try RedisAddress("redis://one"), key: try TeamKey(key)))
        for missing in [nil, ""] {
            let error = try #require(throws: SharedStoreError.self) {
                try TeamServers(teamKey: missing).server(choice)
            }
            #expect(
                error.description
                    == """
                    the environment variable TEAM_KEY is not set: it has the key that the team signs with \
                    (apus help sharing)
                    """
            )
        }
        let short = try #require(throws: SharedStoreError.self) {
            try TeamServers(teamKey: "short").server(choice)
        }
        #expect(short.description.contains("fewer than 16 characters"))
    }

    @Test("the key of --team-key counts for other servers, too")
    func given() throws {
        let given = TeamServer(try RedisAddress("redis://:secret@one"), key: try TeamKey(key))
        let servers = TeamServers(given: given, teamKey: "another-key-of-sixteen")
        #expect(try servers.server(ServerChoice(chosen: given.address)) == given)
        let other = try RedisAddress("redis://two")
        #expect(
            try servers.server(ServerChoice(chosen: other)) == TeamServer(other, key: given.key)
        )
    }

    @Test("without an address there must be a shared cache")
    func none() throws {
        let error = try #require(throws: SharedStoreError.self) {
            try TeamServers(teamKey: key).server(ServerChoice())
        }
        #expect(error.description == "No server is known: type its address, redis://host:port/db.")
    }
}
