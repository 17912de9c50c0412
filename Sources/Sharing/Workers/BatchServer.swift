/// The batches that a team's workers send, on a Redis server.
///
/// ```
/// apus:1:TEAM:b       stream: d = a signed batch, as long as it is sent
/// apus:1:TEAM:q:ID    stream: c = a signed chunk; the group `workers` takes them, and removes what has responses
/// apus:1:TEAM:r:ID    stream: r = a signed report of a worker
/// ```
/// The last two go a minute after whoever started the batch was last heard of, and that ends the workers' part in it.
/// What the team did not sign is left out.
package final class BatchServer: Sendable {
    /// A chunk that a worker has taken and not acknowledged.
    struct Taken: Sendable, Hashable {
        /// Where it is in the stream.
        let id: String
        let chunk: BatchChunk
    }

    /// What came of looking for a chunk.
    enum Taking: Sendable, Hashable {
        case chunk(Taken)
        /// There was none in time.
        case none
        /// Something is not signed by the team; it was removed.
        case refused
        /// The batch has ended.
        case over
    }

    /// After this time without a sign of life, what a worker has taken is taken from it.
    static let patience = Duration.seconds(5)
    /// How often a worker gives one.
    static let pulse = Duration.seconds(1)
    private static let lifetime = "60"
    private static let boardLifetime = "604800"
    private static let group = "workers"
    private static let pieceCount = 500

    /// The server's address, without credentials.
    package let address: String
    private let board: String
    private let prefix: String
    private let values: SignedValue
    /// For what blocks there, and for the rest.
    private let waiting: RedisLane
    private let lane: RedisLane

    /// Makes a door to a server; nothing is connected yet.
    package convenience init(_ server: TeamServer) {
        self.init(server, RedisLimits(connect: .seconds(5), reply: .seconds(10)))
    }

    init(_ server: TeamServer, _ limits: RedisLimits) {
        address = server.name
        prefix = "apus:1:\(server.key.team):"
        board = prefix + "b"
        values = SignedValue(key: server.key)
        waiting = RedisLane(server.address, limits, label: "apus.redis.batch.waiting")
        lane = RedisLane(server.address, limits, label: "apus.redis.batch")
    }

    private func queue(_ id: String) -> String { prefix + "q:" + id }
    private func reports(_ id: String) -> String { prefix + "r:" + id }

    // MARK: For who starts a batch

    /// Puts a batch there, in place of what was there of it.
    ///
    /// - Returns: where it stands on the board.
    /// - Throws: `RedisFault`.
    func begin(_ batch: SharedBatch, _ chunks: [BatchChunk]) async throws(RedisFault) -> String {
        let (queue, reports) = (queue(batch.id), reports(batch.id))
        try await run([
            RedisCommand("DEL", queue, reports),
            RedisCommand("XGROUP", "CREATE", queue, Self.group, "0", "MKSTREAM"),
            // Workers write only to what is there.
            RedisCommand("XADD", reports, "*", "begin", "1"),
            RedisCommand("EXPIRE", queue, Self.lifetime),
            RedisCommand("EXPIRE", reports, Self.lifetime),
        ])
        try await add(chunks, to: batch.id)
        let content = values.sealed(try batch.encoded(), [board])
        let added = try await run([
            RedisCommand("XADD", board, "MAXLEN", "~", "100", "*", "d").adding(content),
            RedisCommand("EXPIRE", board, Self.boardLifetime),
        ])
        guard let place = added[0].text else { throw RedisFault(.reply) }
        return place
    }

    /// Puts more chunks there.
    ///
    /// - Throws: `RedisFault`.
    func add(_ chunks: [BatchChunk], to id: String) async throws(RedisFault) {
        let queue = queue(id)
        for start in stride(from: 0, to: chunks.count, by: Self.pieceCount) {
            var commands: [RedisCommand] = []
            for chunk in chunks[start..<min(chunks.count, start + Self.pieceCount)] {
                commands.append(try adding(chunk, to: queue))
            }
            try await run(commands)
        }
    }

    private func adding(
        _ chunk: BatchChunk,
        to queue: String
    ) throws(RedisFault) -> RedisCommand {
        RedisCommand("XADD", queue, "NOMKSTREAM", "*", "c")
            .adding(values.sealed(try chunk.encoded(), [queue]))
    }

    /// Says that the batch is still sent.
    ///
    /// - Returns: false if the server has lost it.
    /// - Throws: `RedisFault`.
    func keep(_ id: String) async throws(RedisFault) -> Bool {
        let replies = try await run([
            RedisCommand("EXPIRE", queue(id), Self.lifetime),
            RedisCommand("EXPIRE", reports(id), Self.lifetime),
        ])
        return replies.allSatisfy { $0.number == 1 }
    }

    /// The reports after a position, and the position of the last; waits for the first of them.
    ///
    /// What was read before is removed. A report that the team has not signed is nil.
    ///
    /// - Throws: `RedisFault`.
    func reports(
        of id: String,
        after position: String,
        wait: Duration
    ) async throws(RedisFault) -> (reports: [WorkReport?], position: String) {
        let key = reports(id)
        let reply = try await Self.first(
            replies(
                by: waiting,
                to: [
                    RedisCommand(
                        "XREAD",
                        "COUNT",
                        "64",
                        "BLOCK",
                        Self.milliseconds(wait),
                        "STREAMS",
                        key,
                        position
                    )
                ]
            )
        )
        let entries = Self.entries(reply)
        guard let last = entries.last else { return ([], position) }
        try await run([RedisCommand("XTRIM", key, "MINID", last.id)])
        let reports = entries.compactMap { entry -> WorkReport?? in
            if entry.fields.contains(where: { $0.name == "begin" }) { return nil }
            return .some(content("r", of: entry, key).flatMap { WorkReport($0) })
        }
        return (reports, last.id)
    }

    /// Takes a batch away.
    ///
    /// - Throws: `RedisFault`.
    func end(_ id: String, at place: String) async throws(RedisFault) {
        try await run([
            RedisCommand("XDEL", board, place), RedisCommand("DEL", queue(id), reports(id)),
        ])
    }

    /// The server's clock, in microseconds since 1970.
    ///
    /// - Throws: `RedisFault`.
    func time() async throws(RedisFault) -> Int {
        let parts = try await run([RedisCommand("TIME")])[0].list ?? []
        guard parts.count == 2, let seconds = parts[0].text.flatMap({ Int($0) }),
            let microseconds = parts[1].text.flatMap({ Int($0) })
        else { throw RedisFault(.reply) }
        return seconds * 1_000_000 + microseconds
    }

    // MARK: For workers

    /// The batches that are being sent, oldest first; nil for one that cannot be read.
    ///
    /// - Throws: `RedisFault`.
    package func batches() async throws(RedisFault) -> [SharedBatch?] {
        let reply = try await run([RedisCommand("XRANGE", board, "-", "+")])[0]
        let all = Self.entries(inList: reply).map { entry in
            content("d", of: entry, board).flatMap { SharedBatch($0) }
        }
        let known = all.compactMap(\.self)
        let present = try await run(known.map { RedisCommand("EXISTS", queue($0.id)) })
        let ids = Set(zip(known, present).filter { $1.number == 1 }.map(\.0.id))
        return all.filter { $0.map { ids.contains($0.id) } ?? true }
    }

    /// Waits until another batch is put there, at most so long.
    ///
    /// - Throws: `RedisFault`.
    package func waitForBatch(_ limit: Duration) async throws(RedisFault) {
        let milliseconds = Self.milliseconds(limit)
        let command = RedisCommand("XREAD", "BLOCK", milliseconds, "STREAMS", board, "$")
        _ = try await Self.first(replies(by: waiting, to: [command]))
    }

    /// Takes the next chunk for a worker, or waits for it.
    ///
    /// - Throws: `RedisFault`.
    func take(
        from id: String,
        for worker: String,
        wait: Duration
    ) async throws(RedisFault) -> Taking {
        let key = queue(id)
        let command = RedisCommand(
            "XREADGROUP",
            "GROUP",
            Self.group,
            worker,
            "COUNT",
            "1",
            "BLOCK",
            Self.milliseconds(wait),
            "STREAMS",
            key,
            ">"
        )
        guard let reply = try await unlessOver(command, waiting) else { return .over }
        return try await taken(Self.entries(reply), key)
    }

    /// Takes over a chunk whose worker gave no sign of life for 5 seconds.
    ///
    /// - Throws: `RedisFault`.
    func claim(from id: String, for worker: String) async throws(RedisFault) -> Taking {
        let key = queue(id)
        let command = RedisCommand(
            "XAUTOCLAIM",
            key,
            Self.group,
            worker,
            Self.milliseconds(Self.patience),
            "0-0",
            "COUNT",
            "1"
        )
        guard let reply = try await unlessOver(command, lane) else { return .over }
        let parts = reply.list ?? []
        return try await taken(parts.count > 1 ? Self.entries(inList: parts[1]) : [], key)
    }

    private func taken(_ entries: [Entry], _ key: String) async throws(RedisFault) -> Taking {
        guard let entry = entries.first else { return .none }
        if let chunk = content("c", of: entry, key).flatMap({ BatchChunk($0) }) {
            return .chunk(Taken(id: entry.id, chunk: chunk))
        }
        try await run(removing([entry.id], from: key))
        return .refused
    }

    /// Gives a sign of life for what a worker has taken.
    ///
    /// - Returns: what it still has, because others may have taken over the rest; nil if the batch has ended.
    /// - Throws: `RedisFault`.
    func hold(_ id: String, for worker: String) async throws(RedisFault) -> Set<String>? {
        let key = queue(id)
        let command = RedisCommand("XPENDING", key, Self.group, "-", "+", "1000", worker)
        guard let reply = try await unlessOver(command, lane) else { return nil }
        let held = (reply.list ?? []).compactMap { $0.list?.first?.text }
        if !held.isEmpty {
            let words = ["XCLAIM", key, Self.group, worker, "0"] + held + ["JUSTID"]
            try await run([RedisCommand(arguments: words.map { Array($0.utf8) })])
        }
        return Set(held)
    }

    /// Reports, and acknowledges what has responses, both or neither.
    ///
    /// - Parameters:
    ///   - report: what to tell.
    ///   - id: the batch.
    ///   - done: the chunks that need nobody any more.
    ///   - rest: what is left to other workers of those.
    /// - Returns: false if the batch has ended.
    /// - Throws: `RedisFault`.
    func tell(
        _ report: WorkReport,
        of id: String,
        done: [String],
        rest: [BatchChunk] = []
    ) async throws(RedisFault) -> Bool {
        let (key, queue) = (reports(id), queue(id))
        let content = values.sealed(try report.encoded(), [key])
        var commands = [
            RedisCommand("MULTI"),
            RedisCommand("XADD", key, "NOMKSTREAM", "*", "r").adding(content),
        ]
        for chunk in rest { commands.append(try adding(chunk, to: queue)) }
        if !done.isEmpty { commands += removing(done, from: queue) }
        commands.append(RedisCommand("EXEC"))
        let replies = try await run(commands)
        return replies.last?.list?.first?.text != nil
    }

    private func removing(_ ids: [String], from key: String) -> [RedisCommand] {
        [["XACK", key, Self.group] + ids, ["XDEL", key] + ids].map { words in
            RedisCommand(arguments: words.map { Array($0.utf8) })
        }
    }

    // MARK: Commands and replies

    /// An entry of a stream.
    private struct Entry {
        let id: String
        let fields: [(name: String, value: [UInt8])]
    }

    /// The entries in the reply of a read of one stream: `[[key, [entry, …]]]`, or nothing.
    private static func entries(_ reply: RedisReply) -> [Entry] {
        reply.list?.first?.list?.last.map { entries(inList: $0) } ?? []
    }

    private static func entries(inList reply: RedisReply) -> [Entry] {
        (reply.list ?? []).compactMap { entry in
            guard let parts = entry.list, parts.count == 2, let id = parts[0].text else {
                return nil
            }
            return Entry(id: id, fields: parts[1].pairs ?? [])
        }
    }

    /// What the team signed in a field of an entry; nil if it did not.
    private func content(_ name: String, of entry: Entry, _ key: String) -> [UInt8]? {
        entry.fields.first { $0.name == name }.flatMap { try? values.opened($0.value, [key]) }
    }

    private func replies(
        by lane: RedisLane,
        to commands: [RedisCommand]
    ) async throws(RedisFault) -> [RedisReply] {
        try await lane.result { () throws(RedisFault) in try lane.replies(to: commands) }
    }

    @discardableResult private func run(
        _ commands: [RedisCommand]
    ) async throws(RedisFault) -> [RedisReply] {
        guard !commands.isEmpty else { return [] }
        let replies = try await replies(by: lane, to: commands)
        for reply in replies { _ = try reply.unlessError() }
        return replies
    }

    private static func first(_ replies: [RedisReply]) throws(RedisFault) -> RedisReply {
        try replies[0].unlessError()
    }

    /// The reply; nil if the batch's stream is gone.
    private func unlessOver(
        _ command: RedisCommand,
        _ lane: RedisLane
    ) async throws(RedisFault) -> RedisReply? {
        let reply = try await replies(by: lane, to: [command])[0]
        if case .error(let text) = reply,
            text.hasPrefix("NOGROUP") || text.hasPrefix("UNBLOCKED")
        {
            return nil
        }
        return try reply.unlessError()
    }

    private static func milliseconds(_ duration: Duration) -> String {
        String(max(1, Int(duration / .milliseconds(1))))
    }
}
