import Apus
import FoundationEssentials
import TestSupport
import Testing

@testable import Sharing

/// The list of a team's sessions on a server.
struct SessionDirectoryTests {
    private let server: RedisServer
    private let team: TeamServer

    init() throws {
        server = try RedisServer()
        team = TeamServer(try RedisAddress(server.url), key: try TeamKey(teamKey))
    }

    private func raw(_ words: String...) throws {
        let connection = try RedisConnection(try RedisAddress(server.url), RedisLimits())
        let command = RedisCommand(arguments: words.map { Array($0.utf8) })
        _ = try connection.send([command])[0].unlessError()
    }

    private func key(_ kind: String, _ name: String) -> String {
        "apus:1:\(team.key.team):\(kind):\(name)"
    }

    @Test("sessions that are shared now come first, then those that were shared last")
    func order() async throws {
        let directory = SessionDirectory(team)
        #expect(try await directory.sessions().isEmpty)
        for name in ["old", "older", "now"] {
            for _ in 1...2 { try await team.stream(named: name).append([1, 2, 3]) }
        }
        try raw("PEXPIRE", key("s", "old"), "\(7 * 86_400_000 - 3_600_000)")
        try raw("PEXPIRE", key("s", "older"), "\(7 * 86_400_000 - 7_200_000)")
        try await team.stream(named: "now").mark(isShared: true)
        // Shared, but nothing has been sent yet.
        try await team.stream(named: "new one").mark(isShared: true)
        let sessions = try await directory.sessions()
        #expect(sessions.map(\.name) == ["new one", "now", "old", "older"])
        #expect(sessions.map(\.isShared) == [true, true, false, false])
        #expect(sessions.map(\.count) == [0, 2, 2, 2])
        #expect(sessions.map(\.countText).prefix(2) == ["0 exchanges", "2 exchanges"])
        #expect(sessions[0].age == nil)
        #expect(sessions[0].ageText == "")
        let hour = try #require(sessions[2].age)
        #expect((Duration.seconds(3600)..<Duration.seconds(3700)).contains(hour))
        #expect(sessions[2].ageText.hasPrefix("the last ") && sessions[2].ageText.hasSuffix(" ago"))
        try await team.stream(named: "now").mark(isShared: false)
        #expect(try await directory.sessions().map(\.isShared) == [true, false, false, false])
    }

    @Test("another team's sessions are not seen, nor is what is no session")
    func others() async throws {
        let others = TeamServer(team.address, key: try TeamKey("the-key-of-another-team"))
        try await others.stream(named: "theirs").append([1])
        try await others.stream(named: "theirs").mark(isShared: true)
        try raw("SET", key("s", "text"), "no stream")
        try raw("SET", key("l", "unsigned"), "1")
        try raw("XADD", key("s", "\u{1B}[2Jnasty"), "*", "n", "1")
        try raw("XADD", key("s", ""), "*", "n", "1")
        try raw("HSET", key("c", "cached"), "-", "1")
        let name = "lent"
        try await team.stream(named: name).append([1])
        // A mark of another session proves nothing here.
        try await team.stream(named: "marked").mark(isShared: true)
        try raw("COPY", key("l", "marked"), key("l", name))
        let sessions = try await SessionDirectory(team).sessions()
        #expect(sessions.map(\.name) == ["marked", name])
        #expect(sessions.map(\.isShared) == [true, false])
        #expect(try await SessionDirectory(others).sessions().map(\.name) == ["theirs"])
    }

    @Test("a server that is gone is a fault, and the directory works again when it is back")
    func gone() async throws {
        let directory = SessionDirectory(team)
        try await team.stream(named: "bug").append([1])
        #expect(try await directory.sessions().count == 1)
        try server.kill()
        await #expect(throws: RedisFault.self) { try await directory.sessions() }
        try server.start()
        #expect(try await directory.sessions().isEmpty)
        try await team.stream(named: "bug").append([1])
        #expect(try await directory.sessions().count == 1)
    }
}
