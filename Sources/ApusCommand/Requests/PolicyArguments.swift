import Apus
import ArgumentParser

/// What `apus send` does with the cache.
enum SendCacheMode: String, CaseIterable, ExpressibleByArgument {
    case none, `default`, http, shared

    /// The engine's policy for it.
    var policy: CachePolicy {
        switch self {
        case .none: .none
        case .default: .keep()
        case .http: .http
        case .shared: .http(options: .shared)
        }
    }

    /// The source, unless `--source` sets one.
    var source: DataSource {
        switch self {
        case .none: .server
        case .default, .http, .shared: .cacheIfPossible
        }
    }
}

/// The options of a cache policy other than its kind.
struct PolicyArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Which accounts have separate cached responses; exceptCookies is for one user whose \
            cookies change. Default: all; for a target, its own setting.
            """,
            valueName: "accounts"
        )
    )
    var accounts: AccountsOption?

    @Flag(
        help: """
            Return 504 instead of a connection error if a response cached by HTTP's rules must be \
            validated and the server cannot be reached (RFC 9111, 5.2.2.2).
            """
    )
    var gatewayTimeout = false

    /// A policy with these options applied.
    func applied(to policy: CachePolicy) -> CachePolicy {
        policy.with(accounts: accounts?.separation, adding: gatewayTimeout ? .gatewayTimeout : [])
    }
}

/// The values of `--accounts`.
enum AccountsOption: String, CaseIterable, ExpressibleByArgument {
    case all, exceptCookies, none

    /// The engine's value for it.
    var separation: CachePolicy.AccountSeparation {
        switch self {
        case .all: .all
        case .exceptCookies: .exceptCookies
        case .none: .none
        }
    }
}
