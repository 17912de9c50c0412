import Glibc
import Testing

@Suite("The harness, on programs that are known")
struct HarnessTests {
    @Test("what is typed shows, and ctrl-d ends cat")
    func echo() throws {
        let cat = try TerminalProcess(arguments: ["/bin/cat"])
        try cat.send("hello")
        try cat.waitFor("hello")
        try cat.send(.enter, .control("d"))
        #expect(try cat.waitForExit() == .exited(0))
        #expect(cat.screen.prefix(3) == ["hello", "hello", ""])
        #expect(cat.cursor == (2, 0))
        #expect(cat.terminalModes == .cooked)
        #expect(cat.cursorIsVisible)
        #expect(!cat.isOnAlternateScreen)
    }

    @Test("the size given is the size that the program sees, and a resize reaches it")
    func size() throws {
        let shell = try TerminalProcess(
            rows: 7,
            columns: 31,
            arguments: [
                "/bin/sh", "-c", "trap 'stty size' WINCH; stty size; while :; do read x; done",
            ]
        )
        try shell.waitFor("7 31")
        shell.resize(rows: 12, columns: 50)
        try shell.waitFor("12 50")
    }

    @Test("colours, attributes and wide characters are read as they are shown")
    func cells() throws {
        let text = #"\033[1;31mA\033[0;38;2;1;2;3;48;5;4mB\033[0;3;4;7;9mC\033[0mD東e\314\201"#
        let shell = try TerminalProcess(arguments: ["/usr/bin/printf", text])
        #expect(try shell.waitForExit() == .exited(0))
        #expect(shell.row(0) == "ABCD東e\u{301}")
        let cells = (0..<7).map { shell.cell(row: 0, column: $0) }
        #expect(cells[0].isBold && cells[0].foreground != nil && cells[0].background == nil)
        #expect(cells[1].foreground == 0x010203 && cells[1].background != nil)
        #expect(cells[2].isItalic && cells[2].isUnderlined)
        #expect(cells[2].isReversed && cells[2].isStruck)
        #expect(cells[3].foreground == nil && !cells[3].isBold)
        #expect(cells.map(\.width) == [1, 1, 1, 1, 2, 0, 1])
        #expect(cells[6].text.unicodeScalars.count == 2)
    }

    @Test("the alternate screen, the mouse, the cursor and the line's modes are seen to change")
    func modes() throws {
        let script = #"""
            stty -icanon -echo -isig -opost; printf '\033[?1049h\033[?1000h\033[?25l'; read x
            stty sane; printf '\033[?25h\033[?1000l\033[?1049l'; read x
            """#
        let shell = try TerminalProcess(arguments: ["/bin/sh", "-c", script])
        try shell.waitUntil("the alternate screen") {
            $0.isOnAlternateScreen && !$0.cursorIsVisible
        }
        #expect(shell.mouseIsReported)
        let raw = TerminalModes(
            isCanonical: false,
            echoes: false,
            makesSignals: false,
            mapsNewline: false
        )
        #expect(shell.terminalModes == raw)
        try shell.send("\n")
        try shell.waitUntil("the first screen") { !$0.isOnAlternateScreen && $0.cursorIsVisible }
        #expect(!shell.mouseIsReported)
        #expect(shell.terminalModes == .cooked)
    }

    @Test("an exit status, a signal and a missing program are told apart")
    func ends() throws {
        let three = try TerminalProcess(arguments: ["/bin/sh", "-c", "exit 3"])
        #expect(try three.waitForExit() == .exited(3))
        let cat = try TerminalProcess(arguments: ["/bin/cat"])
        #expect(cat.endStatus == nil)
        cat.signal(SIGTERM)
        #expect(try cat.waitForExit() == .killed(by: SIGTERM))
        let none = try TerminalProcess(arguments: ["/nowhere/at/all"])
        #expect(try none.waitForExit() == .exited(127))
    }

    @Test("a program that is stopped is seen as stopped, and goes on")
    func stops() throws {
        let cat = try TerminalProcess(arguments: ["/bin/cat"])
        cat.signal(SIGSTOP)
        try cat.waitUntil("cat to stop") { $0.isStopped }
        cat.signal(SIGCONT)
        try cat.waitUntil("cat to go on") { !$0.isStopped }
        try cat.send("on")
        try cat.waitFor("on")
    }

    @Test("a wait in vain throws with the whole screen")
    func failure() throws {
        let cat = try TerminalProcess(rows: 3, columns: 20, arguments: ["/bin/cat"])
        try cat.send("abc")
        try cat.waitFor("abc")
        let error = try #require(throws: WaitFailure.self) {
            try cat.waitFor("xyz", within: .milliseconds(50))
        }
        #expect(error.description.contains("for \"xyz\" to show; it still runs"))
        #expect(error.description.contains("|abc\n|\n|\n+-"))
    }

    @Test("a program sees its own home folder and none of our environment")
    func environment() throws {
        let env = try TerminalProcess(
            rows: 30,
            arguments: ["/usr/bin/env"],
            environment: ["ONE": "two"]
        )
        try env.waitForExit()
        #expect(env.shows("HOME=" + env.files.home))
        #expect(env.shows("TERM=xterm-256color"))
        #expect(env.shows("ONE=two"))
        #expect(!env.shows("SWIFT"))
        #expect(env.screen.filter { !$0.isEmpty }.count == 10)
    }
}
