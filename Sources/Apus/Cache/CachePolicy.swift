import Documents
public import FoundationEssentials
public import HTTPTypes

/// Whether responses are stored, where, for how long, and under which key.
///
/// ```swift
/// CachePolicy.none
/// CachePolicy.keep(for: .days(1), in: .memory, key: .full(ignoring: ["tracking"]))
/// CachePolicy.http(in: .disk)
/// ```
/// Two policies are equal if all of it is. What `shouldStore` does cannot be compared: a policy with one is equal
/// only to its copies.
public struct CachePolicy: Sendable, Hashable {
    /// Where responses are stored.
    public enum Storage: String, Sendable, Hashable, CaseIterable, Codable {
        /// In this process's memory.
        case memory
        /// On disk.
        case disk
        /// In both.
        case memoryAndDisk

        var usesMemory: Bool { self != .disk }
        var usesDisk: Bool { self != .memory }
    }

    /// How long a response is served.
    public enum Expiry: Sendable, Hashable {
        /// Without limit.
        case forever
        /// For this many seconds.
        case seconds(Double)
        /// For this many days of 86,400 seconds.
        case days(Double)
        /// Until this date.
        case date(Date)
        /// Not at all: the response is not stored.
        case expired
    }

    /// How a hit changes an entry's expiry date.
    public enum Extension: Sendable, Hashable {
        /// Not at all; the default.
        case none
        /// The initial lifetime starts again, if that makes the expiry date later.
        case cacheTime
        /// The entry lives at least this long after the hit.
        case fixed(Duration)
    }

    /// What a cache key is made of: two requests with equal keys share one entry.
    public enum KeyStrategy: Sendable, Hashable {
        /// Method, URL with query, body, and header fields.
        ///
        /// The bytes of a stream are not known in advance, so only the same ``BodyStream`` is equal to it.
        ///
        /// - Parameters:
        ///   - ignoring: query and form parameters to leave out, unless their value contains a known secret.
        ///   - fields: header fields to include; their credentials only as digests.
        case full(
            ignoring: Set<String> = [],
            fields: [HTTPField.Name] = [.accept, .acceptLanguage, .authorization]
        )
        /// Method and URL without query.
        case base
        /// This text, and the method and URL without query.
        case custom(String)
    }

    /// How responses of different accounts are kept apart.
    public enum AccountSeparation: String, Sendable, Hashable, CaseIterable,
        ExpressibleByBooleanLiteral
    {
        /// Every account has its own responses.
        ///
        /// Credentials, cookies, and what interceptors report as the account (``Interceptor/account(in:)``)
        /// tell accounts apart. The default.
        case all
        /// As `all`, but cookies do not count; for a store with one user whose cookies change.
        case exceptCookies
        /// All accounts share responses, because they are the same for everybody.
        case none

        /// Makes `all` from `true`, and `none` from `false`.
        public init(booleanLiteral value: Bool) { self = value ? .all : .none }
    }

    /// Whose rules decide what is stored, and when it may be served.
    package enum Semantics: Sendable, Hashable {
        /// The policy's own: expiry, key and predicate.
        case own
        /// Those of an HTTP cache (RFC 9111).
        case http
    }

    /// Whose rules decide what is stored and served.
    package private(set) var semantics = Semantics.own
    /// Where responses are stored; nil if they are not.
    public private(set) var storage: Storage?
    /// How long responses are served.
    package private(set) var expiry = Expiry.forever
    /// How long responses are served from memory; nil to use `expiry`.
    package private(set) var memoryExpiry: Expiry?
    /// How a hit changes an entry's expiry date.
    package private(set) var expiryExtension = Extension.none
    /// The longest lifetime of an entry, however often it is read; nil for no limit.
    package private(set) var maximumLifetime: Duration?
    /// What the policy makes its cache keys of.
    package private(set) var key = KeyStrategy.full()
    /// Additional text for the key.
    package private(set) var extraKey: String?
    /// How responses of different accounts are kept apart.
    package private(set) var accounts = AccountSeparation.all
    /// Options of an HTTP cache.
    package private(set) var httpOptions: HTTPCacheOptions = []
    /// An additional condition for storing a response; nil if there is none.
    package var shouldStore: (@Sendable (Response) -> Bool)? { storeRule?.accepts }
    private var storeRule: StoreRule?

    private init() {}

    /// Stores nothing.
    public static let none = CachePolicy()

    /// Stores each success (200 to 299) under a key of its request, for a time.
    ///
    /// - Parameters:
    ///   - expiry: how long a response is served; 5 minutes by default.
    ///   - storage: where it is stored.
    ///   - extending: how a hit changes the expiry date.
    ///   - maximumLifetime: the longest lifetime, however often it is read; nil for no limit.
    ///   - key: what distinguishes requests.
    ///   - extraKey: additional text for the key, such as a version.
    ///   - separatesAccounts: how responses of different accounts are kept apart; `false` to share them.
    ///   - shouldStore: decides which responses are stored. It replaces the default: every success, or for a
    ///     call that asks for a value every success from which the value can be read.
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
        policy.storeRule = shouldStore.map(StoreRule.init)
        return policy
    }

    /// As `keep(for:in:)`, but with separate lifetimes, for example a minute in memory and a week on disk.
    ///
    /// An entry that has left memory is read from disk and put back in memory, for no longer than it stays on
    /// disk. A hit extends the lifetime only where the entry was found.
    ///
    /// - Parameters:
    ///   - memory: how long a response is served from memory.
    ///   - disk: how long a response is served from disk.
    ///   - extending: how a hit changes the expiry date where the entry was found.
    ///   - maximumLifetime: the longest lifetime, however often it is read; nil for no limit.
    ///   - key: what distinguishes requests.
    ///   - extraKey: additional text for the key, such as a version.
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

    /// Stores what HTTP allows a private cache to store (a shared one with ``HTTPCacheOptions/shared``), and
    /// serves it by RFC 9111, RFC 5861 and RFC 8246.
    ///
    /// The responses say how long they are fresh. Redirects are followed hop by hop, each through the cache.
    ///
    /// - Parameters:
    ///   - storage: where responses are stored.
    ///   - maximumLifetime: the longest that a response is stored, validated or not; nil for no limit.
    ///   - ignoring: query parameters to leave out of the key, although known secrets in them still tell
    ///     accounts apart.
    ///   - extraKey: additional text for the key, such as a version.
    ///   - separatesAccounts: as for ``keep(for:in:extending:maximumLifetime:key:extraKey:separatesAccounts:shouldStore:)``.
    ///   - options: options of the HTTP cache.
    ///   - shouldStore: an additional condition for storing what HTTP allows. By default there is none,
    ///     except that for a call that asks for a value it must be readable from the response.
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
            for: .forever,
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

    /// `http(in:)` with all defaults: in memory and on disk.
    public static let http = http()

    /// A copy of the policy with `accounts`, unless nil, and additional options.
    package func with(
        accounts: AccountSeparation?,
        adding options: HTTPCacheOptions
    ) -> CachePolicy {
        var policy = self
        policy.accounts = accounts ?? self.accounts
        policy.httpOptions.formUnion(options)
        return policy
    }

    /// A copy of the policy that stores in memory alone, or nothing.
    func stored(in storage: Storage?) -> CachePolicy {
        guard self.storage != nil else { return self }
        var policy = self
        policy.storage = storage
        return policy
    }

    /// The parameters that are left out of the key.
    var ignoredParameters: Set<String> {
        if case .full(let ignored, _) = key { ignored } else { [] }
    }
}

/// A closure that is equal only to itself.
private final class StoreRule: Sendable, Hashable {
    let accepts: @Sendable (Response) -> Bool

    init(_ accepts: @escaping @Sendable (Response) -> Bool) { self.accepts = accepts }

    static func == (a: StoreRule, b: StoreRule) -> Bool { a === b }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// Options of the cache of
/// ``CachePolicy/http(in:maximumLifetime:ignoring:extraKey:separatesAccounts:options:shouldStore:)``.
public struct HTTPCacheOptions: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: Int

    /// Makes options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Answers 504 if a stored response must be validated and the server cannot be reached.
    ///
    /// This applies to `must-revalidate` and `no-cache` (RFC 9111, 5.2.2.2), also if the connection is cut.
    /// Without this option the failure is thrown; with it, it is the response's `serverFailure`.
    public static let gatewayTimeout = HTTPCacheOptions(rawValue: 1)

    /// Uses the rules of a shared cache, such as a proxy's.
    ///
    /// `s-maxage` and `proxy-revalidate` apply. A `private` response is not stored, and a response to a
    /// request with credentials only if it says `public`, `s-maxage` or `must-revalidate` (RFC 9111, 3.5).
    ///
    /// Accounts still do not share responses; `separatesAccounts: false` lets them share what the server
    /// allows. Entries that a private cache stored in the same folder are not used.
    public static let shared = HTTPCacheOptions(rawValue: 2)
}

extension CachePolicy {
    /// A description for people: "cached 5 min in memory and on disk".
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
        case .forever: "forever"
        case .seconds(let seconds): Self.span(seconds)
        case .days(let days): Self.span(days * 86_400)
        case .date(let date): "until \(date.formatted(.iso8601))"
        case .expired: "nothing"
        }
    }

    /// A number of seconds; one that no `Duration` can hold is as good as without limit.
    private static func span(_ seconds: Double) -> String {
        guard seconds < 1e15 else { return "forever" }
        return Readable.span(.seconds(seconds > 0 ? seconds : 0))
    }
}
