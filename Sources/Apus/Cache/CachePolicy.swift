import Documents
public import FoundationEssentials
public import HTTPTypes

/// Whether answers are kept, where, for how long, and under which key.
///
/// ```swift
/// CachePolicy.none
/// CachePolicy.keep(for: .days(1), in: .memory, key: .full(ignoring: ["tracking"]))
/// CachePolicy.http(in: .disk)
/// ```
public struct CachePolicy: Sendable {
    /// Where an answer is kept.
    public enum Storage: String, Sendable, Hashable, CaseIterable, Codable {
        /// In this process's memory.
        case memory
        /// On disk.
        case disk
        /// In both.
        case memoryAndDisk
    }

    /// How long an answer is served.
    public enum Expiry: Sendable, Hashable {
        /// For ever.
        case never
        /// This long.
        case seconds(Double)
        /// This many days of 86,400 seconds.
        case days(Double)
        /// Until this moment.
        case date(Date)
        /// Not at all: it is not stored.
        case expired
    }

    /// What being read does to an entry's end.
    public enum Extension: Sendable, Hashable {
        /// Nothing. The default.
        case none
        /// It gets its first lifetime again.
        case cacheTime
        /// It gets this lifetime from now.
        case fixed(Duration)
    }

    /// What tells requests apart.
    public enum KeyStrategy: Sendable, Hashable {
        /// Method, URL with query, body, and fields.
        ///
        /// - Parameters:
        ///   - ignoring: query and form parameters that do not count, unless a known secret is in
        ///     their value.
        ///   - fields: header fields that count; their credentials only as digests.
        case full(
            ignoring: Set<String> = [],
            fields: [HTTPField.Name] = [.accept, .acceptLanguage, .authorization]
        )
        /// Method and URL without query.
        case base
        /// This text, with the method and the URL without query.
        case custom(String)
    }

    /// Whose answers are kept from whom.
    public enum AccountSeparation: String, Sendable, Hashable, CaseIterable,
        ExpressibleByBooleanLiteral
    {
        /// Those to every account from every other: credentials, cookies, and what interceptors say
        /// of theirs (``Interceptor/account(in:)``). The default.
        case all
        /// The same, but cookies do not count: for a store of one user, whose cookies change.
        case exceptCookies
        /// Nobody's: the answers are the same for everybody.
        case none

        /// `true` is `all`, `false` is `none`.
        public init(booleanLiteral value: Bool) { self = value ? .all : .none }
    }

    /// Whose rules decide what is stored and when it may be served.
    package enum Semantics: Sendable, Hashable {
        /// This policy's: its expiry, its key, its predicate.
        case own
        /// Those of an HTTP cache.
        case http
    }

    /// Whose rules decide.
    package private(set) var semantics = Semantics.own
    /// Where answers are kept; nil for nowhere.
    public private(set) var storage: Storage?
    /// How long they are served.
    package private(set) var expiry = Expiry.never
    /// How long they are served from memory, if that is said by itself.
    package private(set) var memoryExpiry: Expiry?
    /// What being read does to their end.
    package private(set) var expiryExtension = Extension.none
    /// The longest life of an entry, however often it is read; nil for no limit.
    package private(set) var maximumLifetime: Duration?
    /// What tells requests apart.
    package private(set) var key = KeyStrategy.full()
    /// More text for the key.
    package private(set) var extraKey: String?
    /// Whose answers are kept from whom.
    package private(set) var accounts = AccountSeparation.all
    /// What an HTTP cache does beyond its defaults.
    package private(set) var httpOptions: HTTPCacheOptions = []
    /// Whether an answer may be stored, beside what the rules say.
    package private(set) var shouldStore: (@Sendable (Response) -> Bool)?

    private init() {}

    /// Keeps nothing.
    public static let none = CachePolicy()

    /// Keeps each success (200 to 299) under a key of its request, for a time.
    ///
    /// - Parameters:
    ///   - expiry: how long an answer is served; 5 minutes unless said otherwise.
    ///   - storage: where it is kept.
    ///   - extending: what being read does to its end.
    ///   - maximumLifetime: its longest life, however often it is read; nil for no limit.
    ///   - key: what tells requests apart.
    ///   - extraKey: more text for the key, such as a version.
    ///   - separatesAccounts: whose answers are kept from whom; `false` is for answers that are
    ///     the same for everybody.
    ///   - shouldStore: says which answers are stored, in place of every success, or for a call that
    ///     asks for a value in place of every success in which that can be read.
    /// - Returns: the policy.
    public static func keep(
        for expiry: Expiry = .seconds(300),
        in storage: Storage = .memoryAndDisk,
        extending: Extension = .none,
        maximumLifetime: Duration? = nil,
        key: KeyStrategy = .full(),
        extraKey: String? = nil,
        separatesAccounts: AccountSeparation = .all,
        shouldStore: (@Sendable (Response) -> Bool)? = nil
    ) -> CachePolicy {
        var policy = CachePolicy()
        policy.storage = storage
        policy.expiry = expiry
        policy.expiryExtension = extending
        policy.maximumLifetime = maximumLifetime
        policy.key = key
        policy.extraKey = extraKey
        policy.accounts = separatesAccounts
        policy.shouldStore = shouldStore
        return policy
    }

    /// As `keep(for:in:)`, in memory and on disk, each for a time of its own: in memory for a minute
    /// and on disk for a week, say.
    ///
    /// What memory has let go of is read from disk, and is in memory again then, though not longer
    /// than it is on disk. Being read extends an answer's time only where it was read from.
    ///
    /// - Parameters:
    ///   - memory: how long an answer is served from memory.
    ///   - disk: how long it is served from disk.
    ///   - extending: what being read does to its end there.
    ///   - maximumLifetime: its longest life, however often it is read; nil for no limit.
    ///   - key: what tells requests apart.
    ///   - extraKey: more text for the key, such as a version.
    ///   - separatesAccounts: as for ``keep(for:in:extending:maximumLifetime:key:extraKey:separatesAccounts:shouldStore:)``.
    ///   - shouldStore: as for the same.
    /// - Returns: the policy.
    public static func keep(
        inMemory memory: Expiry,
        onDisk disk: Expiry,
        extending: Extension = .none,
        maximumLifetime: Duration? = nil,
        key: KeyStrategy = .full(),
        extraKey: String? = nil,
        separatesAccounts: AccountSeparation = .all,
        shouldStore: (@Sendable (Response) -> Bool)? = nil
    ) -> CachePolicy {
        var policy = keep(
            for: disk == .expired ? memory : disk,
            in: disk == .expired ? .memory : memory == .expired ? .disk : .memoryAndDisk,
            extending: extending,
            maximumLifetime: maximumLifetime,
            key: key,
            extraKey: extraKey,
            separatesAccounts: separatesAccounts,
            shouldStore: shouldStore
        )
        if policy.storage == .memoryAndDisk { policy.memoryExpiry = memory }
        return policy
    }

    /// Keeps what HTTP lets a private cache keep, or with ``HTTPCacheOptions/shared`` a shared one,
    /// and serves it as RFC 9111 says, with RFC 5861 and RFC 8246: the answers say how long they are
    /// fresh.
    ///
    /// Redirects are followed hop by hop then, each through the cache.
    ///
    /// - Parameters:
    ///   - storage: where answers are kept.
    ///   - maximumLifetime: the longest that one is kept, validated or not; nil for no limit.
    ///   - ignoring: query parameters that do not tell URLs apart; a known secret in their value
    ///     tells accounts apart.
    ///   - extraKey: more text for the key, such as a version.
    ///   - separatesAccounts: as for ``keep(for:in:extending:maximumLifetime:key:extraKey:separatesAccounts:shouldStore:)``.
    ///   - options: what it does beyond its defaults.
    ///   - shouldStore: whether an answer that HTTP lets be stored is; without it a call that asks
    ///     for a value stores those in which that can be read.
    /// - Returns: the policy.
    public static func http(
        in storage: Storage = .memoryAndDisk,
        maximumLifetime: Duration? = nil,
        ignoring: Set<String> = [],
        extraKey: String? = nil,
        separatesAccounts: AccountSeparation = .all,
        options: HTTPCacheOptions = [],
        shouldStore: (@Sendable (Response) -> Bool)? = nil
    ) -> CachePolicy {
        var policy = keep(
            for: .never,
            in: storage,
            maximumLifetime: maximumLifetime,
            key: .full(ignoring: ignoring),
            extraKey: extraKey,
            separatesAccounts: separatesAccounts,
            shouldStore: shouldStore
        )
        policy.semantics = .http
        policy.httpOptions = options
        return policy
    }

    /// As `http(in:)` with nothing said otherwise: in memory and on disk.
    public static let http = http()

    /// The same with other accounts kept apart, if any are named, and with more options.
    package func with(
        accounts: AccountSeparation?,
        adding options: HTTPCacheOptions
    ) -> CachePolicy {
        var policy = self
        policy.accounts = accounts ?? self.accounts
        policy.httpOptions.formUnion(options)
        return policy
    }

    /// The parameters that do not count for the key.
    var ignoredParameters: Set<String> {
        if case .full(let ignored, _) = key { ignored } else { [] }
    }
}

/// What the cache of ``CachePolicy/http(in:maximumLifetime:ignoring:extraKey:separatesAccounts:options:shouldStore:)``
/// does beyond its defaults.
public struct HTTPCacheOptions: OptionSet, Sendable, Hashable {
    /// The bits.
    public let rawValue: Int

    /// Makes options of bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Answers 504 where a stored answer must be validated and the server cannot be reached.
    ///
    /// That is `must-revalidate` and `no-cache` (RFC 9111, 5.2.2.2); a connection that is cut counts
    /// too. The failure, which is thrown without this option, is the answer's `serverFailure`.
    public static let gatewayTimeout = HTTPCacheOptions(rawValue: 1)

    /// The rules of a cache that many users share, as one behind a proxy.
    ///
    /// `s-maxage` and `proxy-revalidate` count, `private` is not stored, and an answer to credentials
    /// only if it says `public`, `s-maxage` or `must-revalidate` (RFC 9111, 3.5).
    ///
    /// Accounts are kept apart all the same; `separatesAccounts: false` gives what a server lets
    /// everybody have to everybody. What a private cache keeps in the same place is not seen.
    public static let shared = HTTPCacheOptions(rawValue: 2)
}

extension CachePolicy {
    /// Where answers are kept, in words: "cached 5 min in memory and on disk".
    package var words: String {
        if expiry == .expired { return "not cached" }
        let rules = httpOptions.contains(.shared) ? "by shared HTTP rules" : "by HTTP rules"
        let time = semantics == .http ? rules : expiry.words
        switch storage {
        case nil: return "not cached"
        case .memory: return "cached \(time) in memory"
        case .disk: return "cached \(time) on disk"
        case .memoryAndDisk: return "cached \(time) in memory and on disk"
        }
    }
}

extension CachePolicy.Expiry {
    fileprivate var words: String {
        switch self {
        case .never: "forever"
        case .seconds(let seconds): Readable.span(.seconds(seconds))
        case .days(let days): Readable.span(.seconds(days * 86_400))
        case .date(let date): "until \(date.formatted(.iso8601))"
        case .expired: "nothing"
        }
    }
}
