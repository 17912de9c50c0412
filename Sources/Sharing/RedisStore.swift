public import Apus
import FoundationEssentials
import Synchronization

/// Responses that a team shares on a Redis or Valkey server.
///
/// ```
/// a group:  apus:1:TEAM:c:KEY  ─ hash ─▶ member: signed value, …      expires with its last entry
/// ```
/// Reads have a time limit, 50 ms by default, and writes have nobody who waits for them. A server that does
/// not work is reported once and left alone for a second, then two, four, at most a minute. Every value is
/// signed with the team's key; one that is not is refused, and counts as none.
public final class RedisStore: SharedStore {
    let address: RedisAddress
    private let names: SharedNames
    private let values: SignedValue
    private let reader: RedisReader
    private let writer: RedisLane
    private let health: ServerHealth
    /// What only writing depends on, such as the server's memory.
    private let writing: ServerHealth
    private let notice = NoticeBoard()

    /// Makes a store; nothing is connected yet.
    ///
    /// - Parameters:
    ///   - address: where the server is.
    ///   - key: the team's key.
    ///   - budget: the longest that a request waits for the server.
    public convenience init(
        _ address: RedisAddress,
        key: TeamKey,
        budget: Duration = RedisStore.standardBudget
    ) {
        self.init(address, key: key, budget: budget, limits: RedisLimits(), pause: .seconds(1))
    }

    init(
        _ address: RedisAddress,
        key: TeamKey,
        budget: Duration,
        limits: RedisLimits,
        pause: Duration,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.address = address
        names = SharedNames(team: key.team)
        values = SignedValue(key: key)
        health = ServerHealth(firstPause: pause, now: now)
        writing = ServerHealth(firstPause: pause, now: now)
        var limits = limits
        limits.reply = max(limits.reply, budget)
        reader = RedisReader(
            RedisLane(address, limits, label: "apus.redis.reads"),
            budget: budget,
            health: health,
            notice
        )
        // A large response takes its time; nobody waits for it.
        limits.reply = max(limits.reply, .seconds(5))
        writer = RedisLane(address, limits, label: "apus.redis.writes")
    }

    /// The longest that a request waits for the server unless it is said: 50 ms.
    public static let standardBudget = Duration.milliseconds(50)

    /// The server's address, without credentials.
    public var name: String { address.name }

    /// Whether the server works, as far as is known.
    public var status: SharedStoreStatus {
        switch health.result {
        case nil: .unused
        case .success?: .available
        case .failure(let fault)?: .unavailable("\(fault)")
        }
    }

    /// Takes the function that notices go to.
    public func report(to notice: @escaping @Sendable (SharedStoreNotice) -> Void) {
        self.notice.set(notice)
    }

    /// The members of a group that the team has signed; returns within the budget.
    public func read(_ group: String) async -> SharedReading {
        let name = names.key(ofGroup: group)
        switch await reader.read(RedisCommand("HGETALL", name)) {
        case .failure(let fault): return .unavailable("\(fault)")
        case .success(let reply):
            guard let pairs = reply.pairs else {
                notice.refuse(.unreadable, name)
                return .members([:])
            }
            let (members, refusal) = opened(pairs, name)
            return refusal.map { .refused($0.text, others: members) } ?? .members(members)
        }
    }

    /// Signs and writes a member, unless the server is left alone for now.
    public func write(
        _ value: [UInt8],
        as member: String,
        of group: String,
        for lifetime: Duration
    ) {
        let name = names.key(ofGroup: group)
        let sealed = values.sealed(value, [name, member])
        let milliseconds = Int((lifetime / .milliseconds(1)).rounded(.up))
        change([
            RedisCommand("MULTI"),
            RedisCommand("HSET", name, member).adding(sealed),
            RedisCommand("PEXPIRE", name, "\(milliseconds)"),
            RedisCommand("EXEC"),
        ])
    }

    /// Removes groups, unless the server is left alone for now.
    public func remove(_ groups: [String]) {
        guard !groups.isEmpty else { return }
        let keys = groups.map { Array(names.key(ofGroup: $0).utf8) }
        change([RedisCommand(arguments: [Array("DEL".utf8)] + keys)])
    }

    private func change(_ commands: [RedisCommand]) {
        guard case .success = health.mayTry(), case .success = writing.mayTry() else { return }
        switch writer.run({ [writer] in writer.send(commands) }) {
        case .failure(let fault): notice.post(health.fail(fault))
        case .success(let replies):
            let fault = replies.lazy.compactMap { reply -> RedisFault? in
                if case .error(let text) = reply { RedisFault(serverError: text) } else { nil }
            }.first
            if let fault {
                notice.post(ofWriting: writing.fail(fault))
            } else {
                notice.post(health.succeed())
                notice.post(ofWriting: writing.succeed())
            }
        }
    }

    /// Passes all groups of the team to `body`, on a connection of its own.
    public func scan(
        _ body: @escaping @Sendable (_ group: String, _ members: [String: [UInt8]]) -> Void
    ) async throws(SharedStoreError) {
        try await RedisScan(address, names).scan { [self] group, pairs in
            body(group, opened(pairs, names.key(ofGroup: group)).members)
        }
    }

    /// Removes groups, or all of the team's; returns how many members they had.
    public func clear(_ groups: [String]?) async throws(SharedStoreError) -> Int {
        try await RedisScan(address, names).remove(groups)
    }

    /// The contents of what is signed; the rest is refused, for the reason that was found last.
    private func opened(
        _ pairs: [(name: String, value: [UInt8])],
        _ key: String
    ) -> (members: [String: [UInt8]], refusal: SignedValue.Refusal?) {
        var members: [String: [UInt8]] = [:]
        var refusal: SignedValue.Refusal?
        for (member, value) in pairs {
            do throws(SignedValue.Refusal) {
                members[member] = try values.opened(value, [key, member])
            } catch {
                refusal = error
                notice.refuse(error, key)
            }
        }
        return (members, refusal)
    }
}

extension SharedStore where Self == RedisStore {
    /// A Redis or Valkey server, by its URL: `redis://user:password@host:port/db`.
    ///
    /// - Throws: `RedisFault` if the URL or the key cannot be used.
    public static func redis(
        _ url: String,
        key: String,
        budget: Duration = RedisStore.standardBudget
    ) throws(RedisFault) -> RedisStore {
        RedisStore(try RedisAddress(url), key: try TeamKey(key), budget: budget)
    }
}

/// The names of a team's keys on a server.
struct SharedNames: Sendable {
    private let prefix: String

    init(team: String) { prefix = "apus:1:\(team):c:" }

    /// What `SCAN` matches; the prefix has none of its special characters.
    var pattern: String { prefix + "*" }

    func key(ofGroup group: String) -> String { prefix + group }

    /// The group of a key; nil for another key.
    func group(ofKey key: String) -> String? {
        key.hasPrefix(prefix) ? String(key.dropFirst(prefix.count)) : nil
    }
}

/// Passes notices on, once there is someone for them.
final class NoticeBoard: Sendable {
    private struct State {
        var post: @Sendable (SharedStoreNotice) -> Void = { _ in }
        var lastRefusal: ContinuousClock.Instant?
    }

    /// Someone who fills a server with wrong values must not fill a screen, too.
    private static let refusalInterval = Duration.seconds(60)
    private let state = Mutex(State())

    func set(_ post: @escaping @Sendable (SharedStoreNotice) -> Void) {
        state.withLock { $0.post = post }
    }

    func post(_ change: ServerHealth.Change?) {
        switch change {
        case nil: break
        case .failed(let fault)?: post(.failed("\(fault)"))
        case .recovered?: post(.recovered)
        }
    }

    func post(ofWriting change: ServerHealth.Change?) {
        switch change {
        case nil: break
        case .failed(let fault)?: post(.writesFailed("\(fault)"))
        case .recovered?: post(.writesRecovered)
        }
    }

    /// Reports a value that was refused, at most once a minute.
    func refuse(_ refusal: SignedValue.Refusal, _ key: String) {
        let now = ContinuousClock.now
        let isDue = state.withLock { state in
            if let last = state.lastRefusal, now < last + Self.refusalInterval { return false }
            state.lastRefusal = now
            return true
        }
        if isDue { post(.refused("\(refusal.text): \(key)")) }
    }

    private func post(_ notice: SharedStoreNotice) { state.withLock { $0.post }(notice) }
}
