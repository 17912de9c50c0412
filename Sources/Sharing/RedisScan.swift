import Apus
import Dispatch

/// Walks over all that a team has on a server, on a connection and a thread of its own.
struct RedisScan: Sendable {
    private let address: RedisAddress
    private let names: SharedNames

    init(_ address: RedisAddress, _ names: SharedNames) {
        (self.address, self.names) = (address, names)
    }

    private static let limits = RedisLimits(connect: .seconds(5), reply: .seconds(30))
    private static let queue = DispatchQueue(label: "apus.redis.scan")
    /// How many groups are read at a time.
    private static let pieceCount = 32

    /// Passes all groups to `body`, with their stored members.
    func scan(
        _ body:
            @escaping @Sendable (_ group: String, _ members: [(name: String, value: [UInt8])]) ->
            Void
    ) async throws(SharedStoreError) {
        try await withConnection { connection throws(RedisFault) in
            try scanPieces(connection) { keys throws(RedisFault) in
                let replies = try connection.send(keys.map { RedisCommand("HGETALL", $0) })
                for (key, reply) in zip(keys, replies) {
                    guard let group = names.group(ofKey: key), let pairs = reply.pairs else {
                        continue
                    }
                    body(group, pairs)
                }
            }
        }
    }

    /// Removes groups, or all if it is nil; returns how many members they had.
    func remove(_ groups: [String]?) async throws(SharedStoreError) -> Int {
        try await withConnection { connection throws(RedisFault) in
            guard let groups else {
                var count = 0
                try scanPieces(connection) { keys throws(RedisFault) in
                    count += try remove(keys, connection)
                }
                return count
            }
            return try remove(groups.map(names.key(ofGroup:)), connection)
        }
    }

    private func remove(
        _ keys: [String],
        _ connection: RedisConnection
    ) throws(RedisFault) -> Int {
        var count = 0
        for key in keys {
            let replies = try connection.send([RedisCommand("HLEN", key), RedisCommand("DEL", key)])
            // What is not a hash was not written by Apus, and goes, too.
            if try replies[1].unlessError().number == 1 { count += replies[0].number ?? 1 }
        }
        return count
    }

    private func scanPieces(
        _ connection: RedisConnection,
        _ body: ([String]) throws(RedisFault) -> Void
    ) throws(RedisFault) {
        try Self.keys(matching: names.pattern, connection.send, body)
    }

    /// Passes the keys that match a pattern to `body`, some at a time, and perhaps one twice.
    static func keys(
        matching pattern: String,
        _ send: ([RedisCommand]) throws(RedisFault) -> [RedisReply],
        _ body: ([String]) throws(RedisFault) -> Void
    ) throws(RedisFault) {
        var cursor = "0"
        repeat {
            let command = RedisCommand("SCAN", cursor, "MATCH", pattern, "COUNT", "1000")
            guard let reply = try send([command])[0].unlessError().list,
                reply.count == 2, let next = reply[0].text, let found = reply[1].list
            else { throw RedisFault(.reply) }
            var keys = found.compactMap(\.text)[...]
            while !keys.isEmpty {
                try body(Array(keys.prefix(pieceCount)))
                keys = keys.dropFirst(pieceCount)
            }
            cursor = next
        } while cursor != "0"
    }

    private func withConnection<T: Sendable>(
        _ body: @escaping @Sendable (RedisConnection) throws(RedisFault) -> T
    ) async throws(SharedStoreError) -> T {
        let address = address
        let result: Result<T, RedisFault> = await Self.queue.run {
            do throws(RedisFault) {
                return .success(try body(try RedisConnection(address, Self.limits)))
            } catch {
                return .failure(error)
            }
        }
        return try result.mapError { fault in
            SharedStoreError("The shared cache \(address.name) cannot be used: \(fault).")
        }.get()
    }
}
