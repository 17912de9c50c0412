import Testing

@Suite("The explorer without a terminal")
struct FrameCommandTests {
    private let files = PrivateFiles()

    private func play(_ keys: String, _ arguments: String...) throws -> PipedProgram {
        try files.write(keys, to: "keys")
        let paths = ["--keys", files.home + "/keys", "--frames", files.home + "/frames"]
        return try PipedProgram.run(["demo"] + paths + arguments, files: files)
    }

    /// The frames, each with the line that says what was typed.
    private func frames() throws -> [[Substring]] {
        try files.read("frames").split(separator: "\u{0C}")
            .map { $0.split(separator: "\n", omittingEmptySubsequences: false).dropLast() }
    }

    @Test("a frame follows the start and each line of keys, when the screen is at rest")
    func settles() throws {
        let run = try play("/ \"Show user\" enter\nenter\nsize:80x24\n", "--size", "100x30")
        #expect(run.status == .exited(0))
        #expect(run.output.isEmpty && run.errors.isEmpty)
        let frames = try frames()
        try #require(frames.count == 4)
        #expect(
            frames.map { $0[0] } == [
                "start", "1: / \"Show user\" enter", "2: enter", "3: size:80x24",
            ]
        )
        #expect(frames.map(\.count) == [31, 31, 31, 25])
        #expect(frames[0].contains { $0.contains("List users") })
        #expect(frames[2].contains { $0.contains("200 OK") })
        #expect(frames[2].contains { $0.contains("Ada Lovelace") })
        #expect(frames[3].allSatisfy { $0.count <= 80 })
    }

    @Test("after a first send the cache's pane does not say that there is nothing")
    func firstSend() throws {
        _ = try play("/ \"Show user\" enter\nenter\n")
        let frames = try frames()
        try #require(frames.count == 3)
        #expect(frames[1].contains { $0.contains("Nothing cached yet") })
        #expect(frames[2].contains { $0.contains("stored now") })
        #expect(!frames[2].contains { $0.contains("Nothing cached yet") })
    }

    @Test("q ends it, and colours are written if they are asked for")
    func colors() throws {
        let run = try play("q\nj\n", "--color")
        #expect(run.status == .exited(0))
        let text = try files.read("frames")
        #expect(text.contains("\u{1B}[0;1;38;2;"))
        #expect(try frames().count == 2)
    }

    @Test("a file of keys that is too large is refused, not cut")
    func tooLarge() throws {
        let run = try play("j\n" + String(repeating: " ", count: 1 << 20) + "\nq\n")
        #expect(run.status == .exited(2))
        #expect(run.errors == "apus: \(files.home)/keys: it is larger than 1 MiB\n")
    }

    @Test("what is no key is told with its place, and one file needs the other")
    func faults() throws {
        let run = try play("j\nfoo\n")
        #expect(run.status == .exited(2))
        #expect(run.errors.contains("keys:2: \"foo\" is not a key"))
        let alone = try PipedProgram.run(["demo", "--keys", "x"], files: files)
        #expect(alone.status == .exited(2))
        #expect(alone.errors.contains("--frames and --keys must be used together."))
    }
}
