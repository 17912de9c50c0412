import Documents

/// A server on which a team shares its sessions, and the key that it signs with.
package struct TeamServer: Sendable, Hashable {
    package let address: RedisAddress
    package let key: TeamKey

    /// Names a server; nothing is connected yet.
    package init(_ address: RedisAddress, key: TeamKey) {
        (self.address, self.key) = (address, key)
    }

    /// The server's address, without credentials.
    package var name: String { address.name }

    /// The stream of a session.
    package func stream(named name: String) -> SessionStream {
        SessionStream(named: name, at: address, key: key)
    }
}

/// A session that is on a team's server.
package struct StreamedSession: Sendable, Hashable {
    package let name: String
    /// How many exchanges the server has of it.
    package let count: Int
    /// Whether someone shares it now.
    package let isShared: Bool
    /// How long ago the last exchange was shared; nil if there is none.
    package let age: Duration?

    package init(name: String, count: Int, isShared: Bool, age: Duration?) {
        (self.name, self.count, self.isShared, self.age) = (name, count, isShared, age)
    }

    /// How many exchanges there are, in words.
    package var countText: String {
        count == 1 ? "1 exchange" : "\(Readable.count(count)) exchanges"
    }

    /// How long ago the last one was, in words; empty if there is none.
    package var ageText: String {
        age.map { "the last \(Readable.age($0).replacing(" old", with: " ago"))" } ?? ""
    }
}

/// The sessions that a team has on a server; keeps its connection between two looks.
package final class SessionDirectory: Sendable {
    /// No more are listed; whoever fills a server with names must not fill a screen.
    private static let largestCount = 1000
    private static let limits = RedisLimits(connect: .seconds(2), reply: .seconds(5))

    private let names: SessionNames
    private let values: SignedValue
    private let lane: RedisLane

    /// Makes a directory; nothing is connected yet.
    package init(_ server: TeamServer) {
        names = SessionNames(team: server.key.team)
        values = SignedValue(key: server.key)
        lane = RedisLane(server.address, Self.limits, label: "apus.redis.sessions")
    }

    /// The sessions: those that are shared now first, then by their last exchanges, the newest first.
    ///
    /// - Throws: `RedisFault`; one of no meaning if the task is cancelled.
    package func sessions() async throws(RedisFault) -> [StreamedSession] {
        try await lane.result { [self] () throws(RedisFault) in
            var found: Set<String> = []
            try RedisScan.keys(matching: names.pattern, lane.replies) { keys in
                for key in keys where found.count < Self.largestCount {
                    if let name = names.name(ofKey: key) { found.insert(name) }
                }
            }
            let sorted = found.sorted()
            let replies = try lane.replies(
                to: sorted.flatMap { name in
                    [
                        RedisCommand("XLEN", names.stream(name)),
                        RedisCommand("PTTL", names.stream(name)),
                        RedisCommand("GET", names.mark(name)),
                    ]
                }
            )
            return sorted.enumerated().compactMap { index, name in
                session(name, Array(replies[index * 3..<index * 3 + 3]))
            }.sorted(by: Self.isBefore)
        }
    }

    /// Nil if it went between the two questions, or is not one.
    private func session(_ name: String, _ replies: [RedisReply]) -> StreamedSession? {
        // An error is that of a key of another kind, which Apus has not written.
        guard let count = replies[0].number else { return nil }
        let mark = replies[2].bytes.flatMap { try? values.opened($0, [names.mark(name)]) }
        guard count > 0 || mark != nil else { return nil }
        let left = replies[1].number.map { Duration.milliseconds($0) } ?? .zero
        // The time to live begins anew with each exchange.
        let age = count > 0 ? max(.zero, SessionStream.lifetime - left) : nil
        return StreamedSession(name: name, count: count, isShared: mark != nil, age: age)
    }

    private static func isBefore(_ one: StreamedSession, _ other: StreamedSession) -> Bool {
        if one.isShared != other.isShared { return one.isShared }
        let ages = (one.age ?? .zero, other.age ?? .zero)
        return ages.0 == ages.1 ? one.name < other.name : ages.0 < ages.1
    }
}

/// The names of a team's sessions on a server.
struct SessionNames: Sendable {
    private let prefix: String

    init(team: String) { prefix = "apus:1:\(team):" }

    /// What `SCAN` matches: streams, and the marks of those that are shared now.
    var pattern: String { prefix + "[sl]:*" }

    func stream(_ name: String) -> String { "\(prefix)s:\(name)" }
    func counter(_ name: String) -> String { "\(prefix)n:\(name)" }
    func mark(_ name: String) -> String { "\(prefix)l:\(name)" }

    /// The session of a stream or a mark; nil for another key.
    func name(ofKey key: String) -> String? {
        for start in ["\(prefix)s:", "\(prefix)l:"] where key.hasPrefix(start) {
            let name = String(key.dropFirst(start.count))
            return Self.isShown(name) ? name : nil
        }
        return nil
    }

    /// Whether a name can be that of a session; who can write to the server can write any.
    private static func isShown(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 1024
            && name.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    }
}
