import Glibc
import Testing

@Suite("Leaving, one way or another")
struct LeavingStory {
    @Test("a signal to end restores the terminal", arguments: [SIGTERM, SIGINT, SIGHUP])
    func signals(number: Int32) throws {
        let explorer = try TerminalProcess.demo()
        explorer.signal(number)
        #expect(try explorer.waitForExit() == .exited(128 + number))
        #expect(explorer.isRestored)
    }

    @Test(
        "a signal to end is heard when nobody reads the terminal, and who reads it later finds it restored",
        arguments: [SIGTERM, SIGINT, SIGHUP]
    )
    func unread(number: Int32) throws {
        // A frame of this size is longer than all that the kernel keeps.
        let explorer = try TerminalProcess(
            rows: 300,
            columns: 900,
            arguments: [BuiltProgram.path, "demo"]
        )
        try explorer.waitWithoutReading("a frame that waits") { $0.unreadCount > 4000 }
        explorer.signal(number)
        try explorer.waitWithoutReading("the end") { $0.endStatus != nil }
        #expect(explorer.endStatus == .exited(128 + number))
        try explorer.waitUntil("the terminal to be restored") { $0.isRestored }
    }

    @Test("a crash restores the terminal", arguments: [SIGSEGV, SIGABRT, SIGILL])
    func crashes(number: Int32) throws {
        let explorer = try TerminalProcess.demo()
        explorer.signal(number)
        #expect(try explorer.waitForExit() == .killed(by: number))
        try explorer.waitUntil("the terminal to be restored") { $0.isRestored }
    }

    @Test("after SIGKILL the guardian restores the terminal")
    func killed() throws {
        let explorer = try TerminalProcess.demo()
        explorer.signal(SIGKILL)
        #expect(try explorer.waitForExit() == .killed(by: SIGKILL))
        try explorer.waitUntil("the terminal to be restored") { $0.isRestored }
    }

    @Test("standard error is shown when the screen is gone, without its control characters")
    func standardError() throws {
        let explorer = try TerminalProcess.demo()
        // The program keeps it in a file in memory.
        let errors = open("/proc/\(explorer.processID)/fd/2", O_WRONLY | O_CLOEXEC)
        try #require(errors >= 0)
        defer { close(errors) }
        // It is shown in pieces of 4,096 bytes, and the two bytes of U+009B are in different ones.
        let text = Array((String(repeating: "x", count: 4094) + "\n\u{9B}31mend").utf8)
        #expect(write(errors, text, text.count) == text.count)
        try explorer.send("q")
        #expect(try explorer.waitForExit() == .exited(0))
        #expect(explorer.shows("¿31mend"))
    }

    @Test("ctrl-z goes back to the shell, and fg returns to the same screen")
    func suspends() throws {
        let shell = try TerminalProcess(
            rows: 40,
            columns: 120,
            arguments: ["/bin/bash", "--norc", "--noprofile", "-i"],
            environment: ["PS1": "shell> "]
        )
        try shell.waitFor("shell>")
        try shell.send("\(BuiltProgram.path) demo\r")
        try shell.waitFor("List users")
        try shell.send(.control("z"))
        try shell.waitFor("Stopped")
        #expect(!shell.isOnAlternateScreen && shell.cursorIsVisible && !shell.mouseIsReported)
        try shell.send("echo $((6 * 7))\r")
        try shell.waitFor("42")
        try shell.send("fg\r")
        try shell.waitFor("List users")
        #expect(shell.isOnAlternateScreen)
        try shell.send("j")
        try shell.waitFor("─ Search users ─")
        try shell.send("q")
        try shell.waitUntil("the shell") { !$0.isOnAlternateScreen }
        try shell.send("echo left with $?\r")
        try shell.waitFor("left with 0")
    }
}
