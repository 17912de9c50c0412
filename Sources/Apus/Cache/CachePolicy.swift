public import FoundationEssentials
public import HTTPTypes

/// Where answers are kept, for how long, and under which key.
public struct CachePolicy: Sendable {
    /// Where an answer is kept.
    public enum Storage: String, Sendable, Hashable, CaseIterable, Codable {
        /// Nowhere.
        case none
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
        /// Method, URL with query, body and the key fields.
        case full
        /// Method and URL without query.
        case base
        /// This text, with the method and the URL without query.
        case custom(String)
    }

    /// Whose rules decide what is stored and when it may be served.
    public enum Semantics: Sendable, Hashable {
        /// This policy's: its expiry, its key, its predicate.
        case own
        /// Those of a private HTTP cache: RFC 9111, with RFC 5861 and RFC 8246.
        ///
        /// The answers say how long they are fresh; `expiry`, `expiryExtension`,
        /// `keyStrategy` and `keyFields` do not count, and `maximumLifetime` is
        /// the longest that an answer is kept, validated or not.
        case http
    }

    /// Whose rules decide.
    public var semantics: Semantics = .own
    /// Where answers are kept.
    public var storage: Storage
    /// How long they are served.
    public var expiry: Expiry
    /// What being read does to their end.
    public var expiryExtension: Extension
    /// The longest life of an entry, however often it is read; nil for no limit.
    public var maximumLifetime: Duration?
    /// What tells requests apart.
    public var keyStrategy: KeyStrategy
    /// More text for the key, such as an account's name.
    public var extraKey: String?
    /// Query and form parameters that do not count for the key.
    public var ignoredParameters: Set<String>
    /// Header fields that count for the key; their credentials only as digests.
    public var keyFields: [HTTPField.Name]
    /// Whether what is answered to one account's credentials is kept from others.
    ///
    /// Default yes: key fields, cookies and users of the transport count, and what interceptors
    /// say of theirs (`Interceptor.account`). No is for answers that are the same for everybody.
    public var separatesAccounts = true
    /// Whether an answer may be stored; nil stores every success (200 to 299).
    public var shouldStore: (@Sendable (Response) -> Bool)?

    /// Makes a policy; by default an answer lives 5 minutes in memory and on disk.
    public init(
        storage: Storage = .memoryAndDisk,
        expiry: Expiry = .seconds(300),
        expiryExtension: Extension = .none,
        maximumLifetime: Duration? = nil,
        keyStrategy: KeyStrategy = .full,
        extraKey: String? = nil,
        ignoredParameters: Set<String> = [],
        keyFields: [HTTPField.Name] = [.accept, .acceptLanguage, .authorization],
        shouldStore: (@Sendable (Response) -> Bool)? = nil
    ) {
        self.storage = storage
        self.expiry = expiry
        self.expiryExtension = expiryExtension
        self.maximumLifetime = maximumLifetime
        self.keyStrategy = keyStrategy
        self.extraKey = extraKey
        self.ignoredParameters = ignoredParameters
        self.keyFields = keyFields
        self.shouldStore = shouldStore
    }

    /// Whether a cache has anything to do; by HTTP's rules it follows redirects even if it
    /// stores nothing.
    var asksCache: Bool { storage != .none || semantics == .http }

    /// Keeps nothing.
    public static let none = CachePolicy(storage: .none)

    /// Keeps what HTTP lets a private cache keep, in memory and on disk, and
    /// serves it as RFC 9111 says.
    ///
    /// Redirects are followed hop by hop then, each through the cache.
    public static let http: CachePolicy = {
        var policy = CachePolicy(expiry: .never)
        policy.semantics = .http
        return policy
    }()
}
