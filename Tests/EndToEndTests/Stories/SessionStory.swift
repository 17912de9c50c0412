import Apus
import HTTPTypes
import Recordings
import Testing

@Suite("The session")
struct SessionStory {
    @Test("what was sent is there the next day, is found by its note, and stands beside now")
    func history() throws {
        let files = PrivateFiles()
        let first = try TerminalProcess.demo(files: files)
        try first.choose("Show user")
        try first.send(.enter)
        try first.waitForPane("Server", saying: "200")
        try first.send("4")
        try first.waitFor("enter open")
        try first.send("N")
        try first.waitFor("keep the note")
        try first.send("the missing city")
        try first.send(.enter)
        try first.waitFor("\u{201C}the missing city\u{201D}")
        #expect(try first.quit() == .exited(0))

        let second = try TerminalProcess.demo(files: files)
        try second.waitUntil("the row of before") { $0.screen.contains { $0.contains(Self.sent) } }
        try second.choose("Teapot")
        try second.send(.enter)
        try second.waitFor("418")
        try second.send("4/note:city")
        try second.waitUntil("the one that is found") {
            $0.screen.count { $0.contains(/\d\d:\d\d:\d\d/) } == 1
        }
        try second.send(.enter)
        try second.waitFor("enter open")
        try second.send(.enter)
        try second.waitForPane("Then", saying: "200")
        try second.waitFor("Ada Lovelace")
        try second.waitFor("This is the latest response")
        try second.send("i")
        try second.waitFor("Content-Type")
        try second.send("rz")
        try second.waitFor("the missing city")
        try second.send("zib")
        try second.waitUntilGone("Exchange ")
        try second.send("r")
        try second.waitForPane("Now", saying: "200")
        // Each demo server counts its visits anew: the second response is the first that differs.
        try second.send("r")
        try second.waitUntil("the next visit") { $0.screen.contains { $0.contains(/visits +390/) } }
        try second.send("d")
        try second.waitFor("~ visits")
        #expect(try second.quit() == .exited(0))
    }

    private static var sent: Regex<Substring> { /\d\d:\d\d:\d\d .* \/users\/7 .* 200/ }

    private func sendThreeTimes(_ explorer: TerminalProcess) throws {
        try explorer.choose("Show user")
        for count in 1...3 {
            try explorer.send("r")
            try explorer.waitUntil("row \(count)") {
                $0.screen.count { $0.contains(Self.sent) } == count
            }
        }
    }

    @Test("with --keep-secrets it records them as they are, and else masked")
    func secrets() async throws {
        for (options, kept) in [([], "••••••"), (["--keep-secrets"], "of-the-story")] {
            let files = PrivateFiles()
            let workspace = """
                name: Story
                environments: { local: { baseURL: "http://127.0.0.1:1" } }
                targets: { Users: { Ask: "GET /ask?access_token=of-the-story" } }
                """
            let file = try files.write(workspace, to: "story.apus.yaml")
            let explorer = try TerminalProcess(
                rows: 40,
                columns: 120,
                arguments: [BuiltProgram.path, "open", file] + options,
                files: files
            )
            try explorer.waitFor("Ask")
            try explorer.choose("Ask")
            try explorer.send("r")
            try explorer.waitUntil("its row") {
                $0.screen.contains { $0.contains(/\d\d:\d\d:\d\d .* \/ask/) }
            }
            #expect(try explorer.quit() == .exited(0))
            let history = History(reading: files.home + "/data/apus/history.sqlite")
            let path = try await history.exchange(1)?.request.head.path
            #expect(path == "/ask?access_token=\(kept)")
        }
    }

    @Test("two explorers show what the other sends")
    func two() throws {
        let files = PrivateFiles()
        let (one, other) = (
            try TerminalProcess.demo(files: files), try TerminalProcess.demo(files: files)
        )
        try other.waitFor("Nothing has run yet")
        try one.choose("Show user")
        try one.send(.enter)
        try other.waitUntil("what the first sent") { $0.screen.contains { $0.contains(Self.sent) } }
        #expect(try one.quit() == .exited(0))
        #expect(try other.quit() == .exited(0))
    }

    @Test("two that are marked are compared, and responses are stepped through")
    func compares() throws {
        let explorer = try TerminalProcess.demo()
        try sendThreeTimes(explorer)
        try explorer.send("4")
        try explorer.waitFor("space mark")
        try explorer.send(" ")
        try explorer.waitFor("● ")
        try explorer.send("jj ")
        try explorer.waitFor("= compare")
        try explorer.send("=")
        try explorer.waitFor("· GET /users/7")
        try explorer.waitFor("~ visits")
        try explorer.send("[")
        try explorer.waitFor("there is no older response")
    }

    @Test("a value is shown over time")
    func values() throws {
        let explorer = try TerminalProcess.demo()
        try sendThreeTimes(explorer)
        try explorer.waitForPane("Server", saying: "200")
        try explorer.send("3/visits")
        try explorer.waitFor("1 of 1")
        try explorer.send(.enter)
        try explorer.send("v")
        try explorer.waitFor("Over time · visits")
        try explorer.waitFor("2 changes in 3 responses")
        try explorer.waitFor("median")
        try explorer.send(.enter)
        try explorer.waitForPane("Then", saying: "200")
    }

    @Test("a session is named on the screen and kept; a batch is one line")
    func session() async throws {
        let files = PrivateFiles()
        let explorer = try TerminalProcess.demo(files: files)
        try explorer.send("R")
        try explorer.waitFor("Session:")
        try explorer.send("bug hunt")
        try explorer.send(.enter)
        try explorer.waitFor("● bug hunt 0")
        try explorer.send("/warm")
        try explorer.waitFor("Batch: Warm the cache")
        try explorer.send(.enter, .enter)
        try explorer.waitFor("● bug hunt 8")
        try explorer.send("4")
        try explorer.waitFor("▸")
        try explorer.send(.enter)
        try explorer.waitFor("GET    /users/7 ")
        try explorer.send("R")
        try explorer.waitFor("The session bug hunt has ended: 8 exchanges.")
        #expect(try explorer.quit() == .exited(0))
        // The demo's history is its own.
        let history = History(reading: files.home + "/data/apus/demo.sqlite")
        #expect(try await history.sessions().contains { $0.name == "bug hunt" })
    }

    @Test("a session that is named at the start has ended when the explorer is left")
    func endsSession() throws {
        let files = PrivateFiles()
        let explorer = try TerminalProcess(
            rows: 40,
            columns: 120,
            arguments: [BuiltProgram.path, "demo", "--session", "bug"],
            files: files
        )
        try explorer.waitFor("● bug 0")
        #expect(try explorer.quit() == .exited(0))
        let listed = try PipedProgram.run(["sessions", "list", "--json"], files: files)
        #expect(listed.output.contains("\"bug\""))
        #expect(!listed.output.contains("\"ended\":null"))
    }

    @Test("a target is watched until a value is what was waited for")
    func watches() throws {
        let explorer = try TerminalProcess.demo()
        try explorer.choose("Show user")
        try explorer.send("w")
        try explorer.waitFor("Every:")
        try explorer.send(.control("u"))
        try explorer.send("1s until $.visits > 390")
        try explorer.send(.enter)
        try explorer.waitForPane("Before", saying: "200")
        try explorer.waitFor("~ visits")
        try explorer.waitFor("is met; the watch has ended")
        try explorer.waitFor("1 done")
        try explorer.send("4")
        try explorer.waitFor("watch  Users/Show user")
    }

    @Test("nothing is kept of a program that is told to keep nothing")
    func noHistory() throws {
        let files = PrivateFiles()
        let explorer = try TerminalProcess(
            rows: 40,
            columns: 120,
            arguments: [BuiltProgram.path, "demo", "--no-history"],
            files: files
        )
        try explorer.waitFor("List users")
        try explorer.choose("Show user")
        try explorer.send(.enter)
        try explorer.waitForPane("Server", saying: "200")
        #expect(explorer.shows("─ Progress ─"))
        #expect(try explorer.quit() == .exited(0))
        #expect(files.contents(of: files.home).allSatisfy { !$0.contains("history") })
    }
}
