import Testing

@Suite("Cookies")
struct CookieStory {
    @Test("what a response sets is sent from then on, looked at with one key, and deleted")
    func jar() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Cookies")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200")
        try explorer.waitFor("received  null")
        try explorer.send("K")
        try explorer.waitFor("until apus ends")
        #expect(!explorer.shows("dusk"))
        try explorer.send("v")
        try explorer.waitFor("dusk")
        try explorer.send(.escape)
        try explorer.waitUntilGone("until apus ends")
        try explorer.send("r")
        try explorer.waitFor("session=demo; theme=dusk")
        // What would be sent says so.
        try explorer.send("5hh")
        try explorer.waitFor("session   ••••••")
        try explorer.send("l")
        try explorer.waitFor("Cookie: session=••••••; theme=••••••")
        try explorer.send("5K")
        try explorer.waitFor("until apus ends")
        try explorer.send("X")
        try explorer.waitFor("This environment has no cookies")
        try explorer.send("qr")
        try explorer.waitFor("received  null")
        #expect(try explorer.quit() == .exited(0))
    }

    @Test("each environment has cookies of its own")
    func environments() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Cookies")
        try explorer.send(.enter)
        try explorer.waitFor("received  null")
        try explorer.send("r")
        try explorer.waitFor("session=demo")
        try explorer.send("e")
        try explorer.waitUntilGone("env local")
        try explorer.send("K")
        try explorer.waitFor("This environment has no cookies")
        try explorer.send("q")
        try explorer.waitUntilGone("This environment has no cookies")
        #expect(try explorer.quit() == .exited(0))
    }
}
