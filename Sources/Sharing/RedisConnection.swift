import CHiredis

/// A reply of a Redis server.
enum RedisReply: Sendable, Hashable {
    case bytes([UInt8])
    case list([RedisReply])
    case number(Int)
    case nothing
    /// `OK`, `QUEUED`.
    case status(String)
    case error(String)

    /// The bytes of a text.
    var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

    /// A text as UTF-8.
    var text: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

    /// The replies of a list.
    var list: [RedisReply]? { if case .list(let list) = self { list } else { nil } }

    var number: Int? { if case .number(let number) = self { number } else { nil } }

    /// The names and values of a list of pairs.
    var pairs: [(name: String, value: [UInt8])]? {
        guard let list, list.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: list.count, by: 2).compactMap { index in
            guard let name = list[index].text, let value = list[index + 1].bytes else { return nil }
            return (name, value)
        }
    }

    /// The reply, unless it is an error.
    ///
    /// - Throws: `RedisFault` for an error.
    func unlessError() throws(RedisFault) -> RedisReply {
        if case .error(let text) = self { throw RedisFault(serverError: text) }
        return self
    }
}

/// A command, with its arguments as bytes.
struct RedisCommand: Sendable, Hashable {
    let arguments: [[UInt8]]

    init(_ words: String...) { arguments = words.map { Array($0.utf8) } }

    init(arguments: [[UInt8]]) { self.arguments = arguments }

    /// The command with one more argument.
    func adding(_ bytes: [UInt8]) -> RedisCommand { RedisCommand(arguments: arguments + [bytes]) }
}

/// Time limits of a connection.
struct RedisLimits: Sendable, Hashable {
    var connect: Duration = .seconds(1)
    /// How long a reply is waited for.
    var reply: Duration = .seconds(1)
}

/// A connection to a Redis server, for one thread at a time; all its calls block.
final class RedisConnection {
    private let handle: OpaquePointer

    /// Connects, logs in and selects the database.
    ///
    /// - Throws: `RedisFault`.
    init(_ address: RedisAddress, _ limits: RedisLimits) throws(RedisFault) {
        handle = try Self.connect(address, limits)
        var commands: [RedisCommand] = []
        if let password = address.password {
            let user = address.user.map { [$0] } ?? []
            let words = ["AUTH"] + user + [password]
            commands.append(RedisCommand(arguments: words.map { Array($0.utf8) }))
        }
        if address.database != 0 { commands.append(RedisCommand("SELECT", "\(address.database)")) }
        for reply in try send(commands) { _ = try reply.unlessError() }
    }

    deinit { chiredis_close(handle) }

    private static func connect(
        _ address: RedisAddress,
        _ limits: RedisLimits
    ) throws(RedisFault) -> OpaquePointer {
        let (path, host, port): (String?, String?, Int) =
            switch address.place {
            case .socket(let path): (path, nil, 0)
            case .host(let host, let port): (nil, host, port)
            }
        var handle: OpaquePointer?
        let (result, reason) = withReason { reason, size in
            withOptionalCString(path) { path in
                withOptionalCString(host) { host in
                    var place = chiredis_address(
                        path: path,
                        host: host,
                        port: Int32(port),
                        uses_tls: address.usesTLS ? 1 : 0,
                        connect_limit: limits.connect.milliseconds,
                        reply_limit: limits.reply.milliseconds
                    )
                    return chiredis_connect(&place, &handle, reason, size)
                }
            }
        }
        if let handle { return handle }
        throw fault(result, reason, isConnecting: true)
    }

    /// Sends commands at once, and returns their replies, which may be errors.
    ///
    /// - Throws: `RedisFault` if the connection failed; it cannot be used any more.
    func send(_ commands: [RedisCommand]) throws(RedisFault) -> [RedisReply] {
        for command in commands { try add(command) }
        var replies: [RedisReply] = []
        for _ in commands { replies.append(try receive()) }
        return replies
    }

    /// Changes how long a reply is waited for.
    func wait(atMost limit: Duration) { _ = chiredis_set_limit(handle, limit.milliseconds) }

    private func add(_ command: RedisCommand) throws(RedisFault) {
        // One piece of memory for all arguments, so that none needs a closure of its own.
        let bytes = Array(command.arguments.joined())
        let lengths = command.arguments.map(\.count)
        let isAdded = bytes.withUnsafeBytes { bytes in
            // An array without bytes may have no address, and the library copies from it.
            let start = bytes.bindMemory(to: CChar.self).baseAddress
            var offset = 0
            let starts: [UnsafePointer<CChar>?] = lengths.map { count in
                defer { offset += count }
                return start.map { $0 + offset }
            }
            return chiredis_add(handle, Int32(lengths.count), starts, lengths) != 0
        }
        guard isAdded else { throw RedisFault(.server("the command could not be made")) }
    }

    private func receive() throws(RedisFault) -> RedisReply {
        var found: OpaquePointer?
        let (result, reason) = Self.withReason { chiredis_receive(handle, &found, $0, $1) }
        guard let found else { throw Self.fault(result, reason, isConnecting: false) }
        defer { chiredis_free(found) }
        return Self.reply(found)
    }

    private static func reply(_ reply: OpaquePointer) -> RedisReply {
        switch Int(chiredis_kind(reply)) {
        case CHIREDIS_TEXT: return .bytes(bytes(of: reply))
        case CHIREDIS_INTEGER: return .number(Int(chiredis_integer(reply)))
        case CHIREDIS_STATUS: return .status(String(decoding: bytes(of: reply), as: UTF8.self))
        case CHIREDIS_ERROR: return .error(String(decoding: bytes(of: reply), as: UTF8.self))
        case CHIREDIS_ARRAY:
            return .list(
                (0..<chiredis_count(reply)).map { index in
                    chiredis_element(reply, index).map(self.reply) ?? .nothing
                }
            )
        default: return .nothing
        }
    }

    private static func bytes(of reply: OpaquePointer) -> [UInt8] {
        var count = 0
        guard let start = chiredis_bytes(reply, &count) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    private static func fault(_ result: Int32, _ reason: String, isConnecting: Bool) -> RedisFault {
        switch Int(result) {
        case CHIREDIS_MISSING: RedisFault(.libraryMissing(reason))
        case CHIREDIS_NO_TLS: RedisFault(.noTLS)
        case CHIREDIS_TIMEOUT: RedisFault(.timeout)
        case CHIREDIS_CLOSED: RedisFault(.closed)
        default: RedisFault(isConnecting ? .connect(reason) : .server(reason))
        }
    }

    /// Calls a function that may write a reason.
    private static func withReason(
        _ body: (UnsafeMutablePointer<CChar>, Int) -> Int32
    ) -> (Int32, String) {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress else { return (Int32(CHIREDIS_FAILED), "") }
            start.initialize(repeating: 0, count: buffer.count)
            let result = body(start, buffer.count)
            return (result, String(cString: start))
        }
    }
}

private func withOptionalCString<R>(_ text: String?, _ body: (UnsafePointer<CChar>?) -> R) -> R {
    guard let text else { return body(nil) }
    return text.withCString { body($0) }
}

extension Duration {
    /// In whole milliseconds, at least 1, because 0 would be no limit.
    fileprivate var milliseconds: Int32 {
        let (seconds, attoseconds) = components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        return Int32(clamping: max(1, milliseconds))
    }
}
