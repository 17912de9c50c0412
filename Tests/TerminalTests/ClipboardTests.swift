import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import Terminal

@Suite("The clipboard")
struct ClipboardTests {
    private let files = TemporaryFolder()
    private var folder: String { files.path }

    private func program(_ name: String, _ script: String) throws {
        chmod(try files.write("#!/bin/sh\n\(script)\n", to: name), 0o755)
    }

    private func bytes(_ name: String) -> [UInt8]? {
        (try? Data(contentsOf: URL(filePath: "\(folder)/\(name)"))).map(Array.init)
    }

    private func text(_ name: String) -> String? {
        bytes(name).map { String(decoding: $0, as: UTF8.self) }
    }

    private func names(_ environment: [String: String]) -> [[String]] {
        var environment = environment
        environment["PATH"] = folder
        return Clipboard.groups { environment[$0] }.map { $0.map(\.name) }
    }

    @Test("a program is asked where it is there and its screen is")
    func groups() throws {
        #expect(names(["TMUX": "x", "DISPLAY": ":0"]) == [[], []])
        for name in ["tmux", "wl-copy", "xclip", "xsel", "pbcopy", "clip.exe"] {
            try program(name, "exit 0")
        }
        #expect(names([:]) == [[], ["pbcopy", "clip.exe"]])
        #expect(
            names(["TMUX": "x", "DISPLAY": ":0"])
                == [["tmux"], ["xclip", "xsel", "pbcopy", "clip.exe"]]
        )
        #expect(names(["WAYLAND_DISPLAY": "w", "TMUX": ""])[1].first == "wl-copy")
    }

    @Test("a program gets the text whole, however long, and not as an argument")
    func text() throws {
        let text = String(repeating: "x\u{E4}\0'\n", count: 100_000)
        try program("take", "cat >'\(folder)/got'; echo \"$#\" >'\(folder)/count'")
        #expect(Clipboard.run(.init(name: "take", command: "exec '\(folder)/take'"), on: text))
        #expect(bytes("got") == Array(text.utf8))
        #expect(self.text("count") == "0\n")
    }

    @Test("a program that fails, is missing, or does not read has not taken it")
    func failures() {
        let text = String(repeating: "x", count: 1 << 20)
        for command in ["exit 3", "exec /nowhere", "exec <&-; exit 0"] {
            #expect(!Clipboard.run(.init(name: "x", command: command), on: text), "\(command)")
        }
    }

    @Test("a program that hangs is ended in time, with what it started")
    func hangs() throws {
        let start = ContinuousClock.now
        let command = "sleep 1000 & echo $! >'\(folder)/child'; wait"
        let isTaken = Clipboard.run(
            .init(name: "x", command: command),
            on: "x",
            limit: .milliseconds(300)
        )
        #expect(!isTaken && ContinuousClock.now - start < .seconds(20))
        let child = text("child").flatMap { pid_t($0.dropLast()) }
        let process = try #require(child)
        // The kill is sent before the end of the run; the system may take a moment to carry it out.
        while kill(process, 0) == 0, ContinuousClock.now - start < .seconds(20) { usleep(1000) }
        #expect(kill(process, 0) != 0)
    }

    @Test("what a program leaves in the background goes on, for it serves the text")
    func background() throws {
        let command = "cat >/dev/null; sleep 1000 & echo $! >'\(folder)/server'"
        #expect(Clipboard.run(.init(name: "x", command: command), on: "x"))
        let process = try #require(
            text("server").flatMap { pid_t($0.dropLast()) }
        )
        #expect(kill(process, 0) == 0)
        kill(process, SIGKILL)
    }
}
