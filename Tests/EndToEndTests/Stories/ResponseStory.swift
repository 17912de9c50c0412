import Testing

@Suite("Everything about a response")
struct ResponseStory {
    @Test("headers are one key away; the certificate and the request as it was sent two")
    func tabs() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Show user")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200 OK")
        try explorer.send("i")
        try explorer.waitFor("HTTP/1.1 200 OK")
        try explorer.waitFor("Content-Type")
        try explorer.send("s")
        try explorer.waitFor("was not encrypted")
        try explorer.send("ir")
        try explorer.waitFor("GET http://127.0.0.1")
        // What the transport puts beside the target's own fields.
        try explorer.waitFor("User-Agent")
        try explorer.send("it")
        try explorer.waitFor("Where the time went")
        try explorer.send(.escape)
        try explorer.waitFor("▾ address")
    }

    @Test("a long list of fields scrolls, is searched, and is copied")
    func searches() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Show user")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200 OK")
        try explorer.send("i/")
        try explorer.waitFor("text in this tab")
        try explorer.send("content-ty")
        try explorer.waitFor("/ content-ty  1 of 1")
        try explorer.send(.enter)
        try explorer.waitUntilGone("enter keep")
        try explorer.send("y")
        try explorer.waitFor("copied application/json")
    }

    @Test("a stream is there while it comes")
    func grows() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Drip")
        try explorer.send(.enter)
        // Long before the end, which comes after four seconds.
        try explorer.waitFor("octet-stream")
        try explorer.waitFor("/ 400 B")
        #expect(explorer.shows("1 in flight"))
        try explorer.send("i")
        try explorer.waitFor("HTTP/1.1 200 OK")
        try explorer.send("b")
        try explorer.waitForPane("Server", saying: "200 OK")
        try explorer.waitFor("400 B")
    }

    @Test(
        "a body is saved with two keys and a name, and a file that is there stays unless y is said"
    )
    func saves() throws {
        let files = PrivateFiles()
        let explorer = try TerminalProcess.demo(files: files)
        try explorer.choose("Show user")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200 OK")
        try explorer.send("W")
        try explorer.waitFor("Save the body as: 7.json")
        try explorer.send(.control("u"))
        try explorer.send("~/user.json")
        try explorer.send(.enter)
        try explorer.waitFor("saved ")
        #expect(files.contents(of: files.home).contains { $0.hasSuffix("user.json") })
        try explorer.send("W")
        try explorer.waitFor("Save the body as:")
        try explorer.send(.control("u"))
        try explorer.send("~/user.json")
        try explorer.send(.enter)
        try explorer.waitFor("already exists")
        try explorer.send(.escape)
        try explorer.waitUntilGone("already exists")
    }
}
