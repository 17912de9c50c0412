import Apus

extension FormatSection {
    /// What is cached, and for whom.
    static let cacheSections = [
        FormatSection(
            .cache,
            "`cache`",
            on: .cache,
            [
                FormatKey(
                    "rules",
                    .word(CacheSettings.Rules.allCases.map(\.rawValue)),
                    standard: "own",
                    """
                    What decides: `own`, the keys here; `http`, what the server says, for one user (RFC 9111); `shared`, \
                    the same for many.
                    """,
                    example: "rules: http"
                ),
                FormatKey(
                    "storage",
                    .word(["none", "memory", "disk", "memoryAndDisk"]),
                    standard: "memoryAndDisk",
                    "Where responses are kept; memory ends with apus.",
                    example: "storage: memory"
                ),
                FormatKey(
                    "expires",
                    .either([
                        .time, .word(["never", "expired"]),
                        .form(
                            "a date",
                            pattern: #"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(Z|[+-]\d{2}:?\d{2})$"#
                        ),
                    ]),
                    standard: "5 min",
                    "How long a response is fresh, or until when; `expired` keeps it only to be compared.",
                    example: "expires: 1 h"
                ),
                FormatKey(
                    "extend",
                    .either([.word(["none", "again"]), .time]),
                    standard: "none",
                    "By how much a use makes it last longer; `again` is its first lifetime.",
                    example: "extend: 5 min"
                ),
                FormatKey(
                    "maximum",
                    .either([.time, .word(["never"])]),
                    standard: "never",
                    "How long a response lasts at most, with all extensions.",
                    example: "maximum: 1 day"
                ),
                FormatKey(
                    "key",
                    .either([.word(["full", "base"]), .section(.cacheKey)]),
                    standard: "full",
                    """
                    Which requests share a response: those with the same method, URL, body and account; `base` \
                    leaves out the parameters and the body.
                    """,
                    example: "key: base"
                ),
                FormatKey(
                    "extraKey",
                    .template,
                    "A text that is part of the key, too.",
                    example: "extraKey: \"{{ tenant }}\""
                ),
                FormatKey(
                    "ignore",
                    .list(.text),
                    "Parameters that are left out of the key.",
                    example: "ignore: [timestamp, nonce]"
                ),
                FormatKey(
                    "vary",
                    .list(.text),
                    "Header fields whose values are part of the key.",
                    example: "vary: [Accept-Language]"
                ),
                FormatKey(
                    "accounts",
                    .word(CachePolicy.AccountSeparation.allCases.map(\.rawValue)),
                    standard: "all",
                    """
                    What tells accounts apart, which never share a response: credentials and cookies, credentials \
                    alone, or nothing.
                    """,
                    example: "accounts: exceptCookies"
                ),
                FormatKey(
                    "gatewayTimeout",
                    .boolean,
                    standard: "false",
                    """
                    Whether a request that may only be answered from the cache gets a status 504 rather than an error \
                    (with `rules: http` or `shared`).
                    """,
                    example: "gatewayTimeout: true"
                ),
            ]
        ),
        FormatSection(
            .sharedCache,
            "`cache` of a workspace",
            on: .cache,
            [
                FormatKey(
                    "shared",
                    .form(
                        "the address of a Redis or Valkey server",
                        pattern: "^(rediss?|unix)://"
                    ),
                    isRequired: true,
                    """
                    The server that a team shares responses through: `redis://user:password@host:6379/0`, \
                    `rediss://…` with TLS, or `unix:///path/of/socket`.
                    """,
                    example: "shared: \"redis://cache.internal/0\""
                ),
                FormatKey(
                    "key",
                    .section(.sharedSecret),
                    isRequired: true,
                    """
                    The team's secret, of at least 16 characters (`openssl rand -hex 32`). What it has not signed \
                    is refused; without it nothing is shared.
                    """,
                    example: "key: { env: TEAM_KEY }"
                ),
                FormatKey(
                    "password",
                    .section(.sharedSecret),
                    "The server's password, so that it need not stand in the address.",
                    example: "password: { env: REDIS_PASSWORD }"
                ),
                FormatKey(
                    "budget",
                    .time,
                    standard: "50 ms",
                    "How long a request waits for the server; after that it is sent without it.",
                    example: "budget: 100 ms"
                ),
            ]
        ),
        FormatSection(
            .sharedSecret,
            "a secret of the shared cache",
            on: .cache,
            [
                FormatKey(
                    "env",
                    .text,
                    "The environment variable that has the value.",
                    example: "env: TEAM_KEY"
                ),
                FormatKey(
                    "file",
                    .path,
                    "The file that has the value, without the line's end; at most 64 KiB.",
                    example: "file: secrets/team-key"
                ),
            ]
        ),
        FormatSection(
            .cacheKey,
            "`key`",
            on: .cache,
            [
                FormatKey(
                    "custom",
                    .template,
                    isRequired: true,
                    "The key's text, in place of the method and the URL.",
                    example: "custom: \"user-{{ user }}\""
                )
            ]
        ),
    ]
}
