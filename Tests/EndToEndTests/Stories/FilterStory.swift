import Testing

@Suite("A response through a command")
struct FilterStory {
    @Test("what a command writes is shown as a tree, and esc brings the body back")
    func filters() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Show user")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200")
        try explorer.send("|")
        try explorer.waitFor("the body |")
        try explorer.send("printf '[\"told-%s\"]' \"$(wc -l)\"\r")
        try explorer.waitForPane("Server", saying: "esc shows the body")
        try explorer.waitFor("\"told-")
        try explorer.send(.escape)
        try explorer.waitFor("email")
        #expect(!explorer.shows("\"told-"))
    }

    @Test("a failure says why; what takes long is ended with esc; leaving ends what runs")
    func fails() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Show user")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200")
        try explorer.send("|")
        try explorer.send("echo no such field >&2; exit 4\r")
        try explorer.waitFor("exit status 4: no such field")
        try explorer.send("|")
        try explorer.send("sleep 1000\r")
        try explorer.waitForPane("Server", saying: "esc stops it")
        try explorer.send(.escape)
        try explorer.waitUntilGone("esc stops it")
        try explorer.send("|")
        try explorer.send("sleep 1000\r")
        try explorer.waitForPane("Server", saying: "esc stops it")
        #expect(try explorer.quit() == .exited(0))
    }
}
