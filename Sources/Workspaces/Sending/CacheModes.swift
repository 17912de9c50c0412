package import Apus

/// What a single request does with the cache (`apus send --cache`).
package enum SendCacheMode: String, CaseIterable, Sendable {
    case none, `default`, http, shared

    /// The engine's policy for it.
    package var policy: CachePolicy {
        switch self {
        case .none: .none
        case .default: .keep()
        case .http: .http
        case .shared: .http(options: .shared)
        }
    }

    /// Where the response comes from, unless the user names a source.
    var source: DataSource {
        switch self {
        case .none: .server
        case .default, .http, .shared: .cacheIfPossible
        }
    }
}

/// Where the requests of a pipe store responses (`apus pipe --cache`).
package enum PipeCacheMode: String, CaseIterable, Sendable {
    case none, http, shared, memory, disk, memoryAndDisk

    /// The engine's policy for it; `http` and `shared` use memory alone if the cache has no folder.
    func policy(hasFolder: Bool) -> CachePolicy {
        switch self {
        case .none: .none
        case .http: .http(in: hasFolder ? .memoryAndDisk : .memory)
        case .shared: .http(in: hasFolder ? .memoryAndDisk : .memory, options: .shared)
        case .memory: .keep(in: .memory)
        case .disk: .keep(in: .disk)
        case .memoryAndDisk: .keep(in: .memoryAndDisk)
        }
    }

    /// Where responses come from unless a request says otherwise.
    var source: SourceName {
        switch self {
        case .none: .server
        case .http, .shared, .memory, .disk, .memoryAndDisk: .cacheIfPossible
        }
    }

    /// Whether responses are kept on disk.
    package var needsFolder: Bool {
        switch self {
        case .none, .http, .shared, .memory: false
        case .disk, .memoryAndDisk: true
        }
    }
}

/// What a user changes of every cache policy.
package struct PolicyOverrides: Sendable {
    /// Which accounts have separate cached responses; nil for what each policy says.
    package var accounts: CachePolicy.AccountSeparation?
    /// Whether a response that must be validated by a server that cannot be reached is a 504 (RFC 9111, 5.2.2.2).
    package var hasGatewayTimeout: Bool

    /// Makes overrides; without arguments, nothing is changed.
    package init(accounts: CachePolicy.AccountSeparation? = nil, hasGatewayTimeout: Bool = false) {
        (self.accounts, self.hasGatewayTimeout) = (accounts, hasGatewayTimeout)
    }

    /// A policy with these changes.
    package func applied(to policy: CachePolicy) -> CachePolicy {
        policy.with(accounts: accounts, adding: hasGatewayTimeout ? .gatewayTimeout : [])
    }
}
