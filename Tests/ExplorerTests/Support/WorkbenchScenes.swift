import Apus
import FoundationEssentials
import Terminal

@testable import Explorer

/// The situations of the workbench around the panes.
extension Model {
    /// Letters on all that can be reached.
    mutating func showJump() { _ = dispatch(.jump, Key("f") ?? .character("f")) }

    /// A request that changes something is asked about, in an environment that is marked.
    mutating func showDanger() {
        workspace.catalog?.marks["staging"] = EnvironmentMark(isDangerous: true)
        workspace.environment = 1
        if let row = targets.rows.firstIndex(where: { $0.name == "Delete user" }) {
            targets.scroll.select(row)
        }
        _ = dispatch(.activate, Key(.enter))
    }

    /// The cookies of the environment.
    mutating func showCookieList() {
        let jar = CookieJar()
        workspace.catalog?.source = SampleSource(jar: jar) { _, _ in .make() }
        _ = dispatch(.cookies, .character("K"))
        let cookies = [
            Cookie("session", "s3cr3t", domain: "api.test", isHTTPOnly: true, sameSite: .lax),
            Cookie(
                "theme",
                "dusk",
                domain: "api.test",
                path: "/users",
                isHostOnly: false,
                expires: clock.now.wall.addingTimeInterval(3600)
            ),
        ]
        _ = receive(.cookies(jar, cookies, problem: nil))
    }

    /// A response that went through a command.
    mutating func showBodyFilter() {
        var play = BodyFilterTests.answered(size)
        play.type("|")
        play.write("jq .a")
        play.type("enter")
        if let asked = BodyFilterTests.asked(play) {
            play.receive(.filtered(asked.0, BodyFilterTests.outcome(asked.1, "[1, 2]")))
        }
        let now = clock.now
        self = play.model
        clock.now = now
    }

    /// A request's body, folded, in which something was found.
    mutating func showFound() {
        var play = Play.editing(size: size)
        play.model.workspace.sourceName = workspace.sourceName
        play.type("B G k k space /")
        play.write("ad")
        play.type("enter n n")
        play.answerRequests()
        let now = clock.now
        self = play.model
        clock.now = now
    }
}
