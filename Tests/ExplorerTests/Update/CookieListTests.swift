import Apus
import FoundationEssentials
import Terminal
import Testing
import TreeView

@testable import Explorer
@testable import Secrets

@Suite("The cookies of an environment")
struct CookieListTests {
    private static let cookies = [
        Cookie("session", "s3cr3t", domain: "api.test", isHTTPOnly: true, sameSite: .lax),
        Cookie(
            "theme",
            "dusk",
            domain: "api.test",
            path: "/users",
            isHostOnly: false,
            expires: Date.distantPast.addingTimeInterval(3599)
        ),
    ]

    /// The list is open.
    private static func opened(_ cookies: [Cookie] = cookies) throws -> (Play, CookieJar) {
        let jar = CookieJar()
        var catalog = Catalog.sample
        catalog.source = SampleSource(jar: jar)
        var play = Play(catalog: catalog)
        play.type("K")
        let effect = try #require(play.effects.first)
        guard case .request(.cookies(jar, nil)) = effect else { throw NoEffect() }
        play.receive(.request(.cookies(jar, cookies, problem: nil)))
        return (play, jar)
    }

    private struct NoEffect: Error {}

    private static func change(_ play: Play) -> CookieChange? {
        for case .request(.cookies(_, let change)) in play.effects { return change }
        return nil
    }

    @Test("one key shows them, their values masked until they are asked for")
    func lists() throws {
        var (play, _) = try Self.opened()
        var text = Grid.rendering(play.model).textRows.joined(separator: "\n")
        #expect(text.contains("Cookies · local"))
        #expect(text.contains("session") && text.contains("api.test/") && !text.contains("s3cr3t"))
        #expect(text.contains("until apus ends  HttpOnly  SameSite=Lax"))
        #expect(text.contains(".api.test/users") && text.contains("59 min left"))
        play.type("v")
        text = Grid.rendering(play.model).textRows.joined(separator: "\n")
        #expect(text.contains("s3cr3t"))
        play.type("esc")
        #expect(play.model.layers.cookies == nil)
    }

    @Test("help over the cookies has the keys, the wheel and the screen until it closes")
    func helpAbove() throws {
        var (play, _) = try Self.opened()
        play.type("down ?")
        #expect(play.model.openLayers.map(\.kind) == [.help, .cookies])
        var text = Grid.rendering(play.model).textRows.joined(separator: "\n")
        #expect(!text.contains("Cookies · local") && text.contains("close"))
        let point = Point(x: 60, y: 20)
        play.send(.mouse(MouseEvent(kind: .scrollDown, position: point)))
        play.type("/")
        #expect(play.model.openLayers.map(\.kind) == [.filter, .help, .cookies])
        play.type("d")
        #expect(play.effects.isEmpty && play.model.layers.help?.filter?.text == "d")
        play.type("esc esc")
        #expect(
            play.model.openLayers.map(\.kind) == [.cookies]
                && play.model.layers.cookies?.scroll.offset == 0
        )
        #expect(play.model.layers.cookies?.scroll.selection == 1)
        text = Grid.rendering(play.model).textRows.joined(separator: "\n")
        #expect(text.contains("Cookies · local"))
    }

    @Test("a value is copied only where it is shown")
    func copies() throws {
        var (play, _) = try Self.opened()
        func copied(_ play: Play) -> String? {
            for case .session(.copy(let text)) in play.effects { return text }
            return nil
        }
        play.type("y")
        #expect(copied(play) == "session=\(CredentialMask.mask)")
        play.type("v y")
        #expect(copied(play) == "session=s3cr3t")
    }

    @Test("a value is edited in a masked line, a cookie is deleted, and all of them are")
    func changes() throws {
        var (play, _) = try Self.opened()
        play.type("enter")
        #expect(!Grid.rendering(play.model).textRows.joined().contains("s3cr3t"))
        play.type("ctrl+u")
        play.write("other")
        play.type("enter")
        guard case .set(let cookie)? = Self.change(play) else {
            Issue.record("nothing was set")
            return
        }
        #expect(cookie.value.value == "other" && cookie.id == Self.cookies[0].id)
        play.type("j x")
        guard case .remove(Self.cookies[1].id)? = Self.change(play) else {
            Issue.record("nothing was deleted")
            return
        }
        play.type("X")
        guard case .removeAll? = Self.change(play) else {
            Issue.record("not all were deleted")
            return
        }
    }

    @Test("letters that mean other things elsewhere do nothing here")
    func keys() throws {
        var (play, _) = try Self.opened()
        for key in ["s", "e", "r", "enter esc d", "1", "p"] { play.type(key) }
        #expect(play.model.layers.cookies != nil)
        #expect(play.model.sending.source == .perTarget && play.model.workspace.environment == 0)
    }

    @Test("what is refused is said")
    func refused() throws {
        var (play, jar) = try Self.opened()
        play.receive(.request(.cookies(jar, Self.cookies, problem: "“x” is not a valid cookie")))
        #expect(play.model.notice?.text == "“x” is not a valid cookie")
    }

    @Test("an empty jar, and no jar, say so")
    func none() throws {
        let (play, _) = try Self.opened([])
        #expect(
            Grid.rendering(play.model).textRows.joined().contains("This environment has no cookies")
        )
        var other = Play()
        other.type("K")
        #expect(other.model.layers.cookies == nil)
        #expect(other.model.notice?.text.contains("have no cookie jar") == true)
    }

    @Test("a response that has come has them listed again")
    func refreshed() throws {
        var (play, jar) = try Self.opened()
        play.type("esc enter")
        let id = try #require(play.firedRun)
        play.type("K")
        let summary = ExchangeSummary(
            result: .success(.sample("{}")),
            responseCount: 1,
            attempts: 1,
            duration: .zero
        )
        play.receive(.exchange(id, .finished(summary)))
        #expect(
            play.effects.contains {
                if case .request(.cookies(jar, nil)) = $0 { true } else { false }
            }
        )
    }
}
