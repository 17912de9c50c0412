import TestSupport
import Testing

@Suite("apus replay while it runs")
struct ReplayProgressTests {
    private let files = PrivateFiles()

    private func replay(_ arguments: String...) throws -> TerminalProcess {
        try TerminalProcess(
            arguments: [BuiltProgram.path, "replay", "day"] + arguments,
            files: files
        )
    }

    @Test("at the recorded pace requests are as far apart as they were")
    func pace() async throws {
        let server = try RawServer(RawServer.ok("x"))
        try await files.record(["/1", "/2"], of: server)
        let start = ContinuousClock.now
        let run = try PipedProgram.run(
            ["replay", "day", "--pace", "recorded"],
            files: files
        )
        #expect(run.status == .exited(0))
        #expect(ContinuousClock.now - start >= .milliseconds(500))
        #expect(server.received.map(\.path) == ["/1", "/2"])
    }

    @Test("ctrl-c ends it with 130; the summary and the report have what was sent until then")
    func interrupted() async throws {
        let server = try RawServer { $0.path == "/hang" ? [.hang] : [RawServer.ok("x")] }
        try await files.record(["/one", "/hang"], of: server)
        let replay = try replay("--junit", "report.xml")
        try replay.waitFor("1 of 2: GET")
        try replay.send(.control("c"))
        #expect(try replay.waitForExit() == .exited(130))
        #expect(!replay.shows("1 of 2: GET"))
        #expect(replay.shows("1 exchange: 1 same, "))
        let report = try files.read("report.xml")
        #expect(
            report.contains(#"<testsuite name="day" tests="1" failures="0" errors="0" skipped="0""#)
        )
        #expect(report.contains("/one") && !report.contains("/hang"))
    }

    @Test("ctrl-c before the first response leaves a report without tests")
    func interruptedAtOnce() async throws {
        let server = try RawServer { _ in [.hang] }
        try await files.record(["/hang"], of: server)
        let replay = try replay("--junit", "report.xml")
        try replay.waitFor("0 of 1: GET")
        try replay.send(.control("c"))
        #expect(try replay.waitForExit() == .exited(130))
        #expect(replay.shows("0 exchanges: 0 same, "))
        #expect(try files.read("report.xml").contains(#"tests="0""#))
    }
}
