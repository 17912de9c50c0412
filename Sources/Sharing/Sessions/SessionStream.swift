/// The exchanges of a session on a Redis server, one after another, for who wants to watch.
///
/// ```
/// apus:1:TEAM:s:NAME     stream: n = its number, e = the signed exchange; at most 1,000, the last ones
/// apus:1:TEAM:n:NAME     the number of the last
/// apus:1:TEAM:l:NAME     there while someone shares it: a signed value of nothing, renewed every few seconds
/// ```
/// The first two go a week after the last exchange. A value that the team did not sign is left out.
package final class SessionStream: Sendable {
    /// An exchange that was read.
    package struct Entry: Sendable, Hashable {
        /// Where it is in the stream; what follows is read after it.
        package let position: String
        /// Its number, counted from 1 by whoever shares.
        package let number: Int
        /// What was shared; nil if the team has not signed it.
        package let content: [UInt8]?
    }

    /// The most exchanges in a stream.
    package static let standardLimit = 1000
    static let lifetime = Duration.seconds(7 * 86_400)
    /// How long a mark lasts that is not renewed.
    private static let markLifetime = Duration.seconds(10)
    private static let entriesAtOnce = 16

    /// The server's address, without credentials.
    package let address: String
    private let key: String
    private let counter: String
    private let mark: String
    private let values: SignedValue
    private let limit: Int
    private let lane: RedisLane

    /// Makes a stream; nothing is connected yet.
    package convenience init(
        named name: String,
        at address: RedisAddress,
        key: TeamKey,
        limit: Int = standardLimit
    ) {
        self.init(named: name, at: address, key: key, limit: limit, limits: RedisLimits())
    }

    init(
        named name: String,
        at address: RedisAddress,
        key: TeamKey,
        limit: Int,
        limits: RedisLimits
    ) {
        self.address = address.name
        let names = SessionNames(team: key.team)
        self.key = names.stream(name)
        counter = names.counter(name)
        mark = names.mark(name)
        values = SignedValue(key: key)
        self.limit = limit
        var limits = limits
        // Longer than a read blocks there.
        limits.reply = max(limits.reply, .seconds(10))
        lane = RedisLane(address, limits, label: "apus.redis.session")
    }

    /// Appends an exchange; what is over the limit is removed at the beginning.
    ///
    /// - Throws: `RedisFault`.
    package func append(_ content: [UInt8]) async throws(RedisFault) {
        try await lane.result { [self] () throws(RedisFault) in
            let replies = try lane.replies(to: [RedisCommand("INCR", counter)])
            guard let number = try replies[0].unlessError().number else {
                throw RedisFault(.reply)
            }
            let sealed = values.sealed(content, [key, "\(number)"])
            let seconds = "\(Self.lifetime.components.seconds)"
            let add = RedisCommand("XADD", key, "MAXLEN", "\(limit)", "*", "n", "\(number)", "e")
            let added = try lane.replies(to: [
                add.adding(sealed), RedisCommand("EXPIRE", key, seconds),
                RedisCommand("EXPIRE", counter, seconds),
            ])
            for reply in added { _ = try reply.unlessError() }
        }
    }

    /// Marks the session as shared, for ten seconds; or no longer.
    ///
    /// - Throws: `RedisFault`.
    package func mark(isShared: Bool) async throws(RedisFault) {
        try await lane.result { [self] () throws(RedisFault) in
            let seconds = "\(Self.markLifetime.components.seconds)"
            let command =
                isShared
                ? RedisCommand("SETEX", mark, seconds).adding(values.sealed([], [mark]))
                : RedisCommand("DEL", mark)
            _ = try lane.replies(to: [command])[0].unlessError()
        }
    }

    /// The position before the first exchange.
    package static let beginning = "0-0"

    /// The position of the last exchange; the beginning if there is none.
    ///
    /// - Throws: `RedisFault`.
    package func end() async throws(RedisFault) -> String {
        try await lane.result { [self] () throws(RedisFault) in
            let command = RedisCommand("XREVRANGE", key, "+", "-", "COUNT", "1")
            let reply = try lane.replies(to: [command])[0].unlessError()
            return reply.list?.first?.list?.first?.text ?? Self.beginning
        }
    }

    /// The exchanges after a position, at most 16; waits for the first of them, and returns none if the time
    /// is over.
    ///
    /// - Throws: `RedisFault`.
    package func entries(
        after position: String,
        wait: Duration
    ) async throws(RedisFault) -> [Entry] {
        let milliseconds = "\(max(1, Int(wait / .milliseconds(1))))"
        return try await lane.result { [self] () throws(RedisFault) in
            let command = RedisCommand(
                "XREAD",
                "COUNT",
                "\(Self.entriesAtOnce)",
                "BLOCK",
                milliseconds,
                "STREAMS",
                key,
                position
            )
            let reply = try lane.replies(to: [command])[0].unlessError()
            // [[key, [[position, [name, value, …]], …]]], or nothing.
            let entries = reply.list?.first?.list?.last?.list ?? []
            return entries.compactMap(entry)
        }
    }

    private func entry(_ reply: RedisReply) -> Entry? {
        guard let parts = reply.list, parts.count == 2, let position = parts[0].text else {
            return nil
        }
        let pairs = parts[1].pairs ?? []
        let text = pairs.first { $0.name == "n" }.map { String(decoding: $0.value, as: UTF8.self) }
        let number = text.flatMap { Int($0) } ?? 0
        // Not signed is none: the number is part of the signature.
        let content = pairs.first { $0.name == "e" }.flatMap {
            try? values.opened($0.value, [key, "\(number)"])
        }
        return Entry(position: position, number: number, content: content)
    }
}
