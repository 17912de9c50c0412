import Apus
import ArgumentParser
import Workspaces

extension SendCacheMode: ExpressibleByArgument {}

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

    /// What the options change of every policy.
    var overrides: PolicyOverrides {
        PolicyOverrides(accounts: accounts?.separation, hasGatewayTimeout: gatewayTimeout)
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
