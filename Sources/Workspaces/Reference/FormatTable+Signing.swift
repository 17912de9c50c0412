extension FormatSection {
    /// How a request gets credentials that the program obtains or computes by itself.
    static let signingSections = [
        FormatSection(
            .oauth2,
            "`oauth2`",
            on: .auth,
            [
                FormatKey(
                    "grant",
                    .word(OAuth2Grant.allCases.map(\.rawValue)),
                    isRequired: true,
                    """
                    How the first token is obtained: for the client itself, for a user's password, by signing in with a \
                    browser (with PKCE), or with a code on another device. Tokens are refreshed by themselves.
                    """,
                    example: "grant: clientCredentials"
                ),
                FormatKey(
                    "tokenURL",
                    .template,
                    isRequired: true,
                    "The token endpoint.",
                    example: "tokenURL: https://login.example/token"
                ),
                FormatKey(
                    "clientID",
                    .template,
                    isRequired: true,
                    "The client's id.",
                    example: "clientID: my-app"
                ),
                FormatKey(
                    "clientSecret",
                    credential,
                    "The client's secret; `clientCredentials` needs it, a public client has none.",
                    example: "clientSecret: { env: CLIENT_SECRET }"
                ),
                FormatKey(
                    "scope",
                    .either([.template, .list(.template)]),
                    "What the token is for.",
                    example: "scope: [read, write]"
                ),
                FormatKey(
                    "authorizationURL",
                    .template,
                    "The page where a person signs in; `authorizationCode` needs it.",
                    example: "authorizationURL: https://login.example/authorize"
                ),
                FormatKey(
                    "redirect",
                    .form(
                        "a URL of this machine",
                        pattern: "^http://(127\\.0\\.0\\.1|localhost)(:[0-9]{1,5})?(/[^?# ]*)?$"
                    ),
                    standard: "http://127.0.0.1/callback",
                    """
                    Where the browser goes after signing in, as it is registered at the server; without a port, any free \
                    one.
                    """,
                    example: "redirect: http://localhost:8400/callback"
                ),
                FormatKey(
                    "deviceURL",
                    .template,
                    "The endpoint that gives out codes; `deviceCode` needs it.",
                    example: "deviceURL: https://login.example/device"
                ),
                FormatKey(
                    "username",
                    .template,
                    "The user's name; `password` needs it.",
                    example: "username: ada"
                ),
                FormatKey(
                    "password",
                    credential,
                    "The user's password; `password` needs it.",
                    example: "password: { file: secrets/password }"
                ),
                FormatKey(
                    "audience",
                    .template,
                    "Whom the token is for, which some servers want.",
                    example: "audience: https://api.example"
                ),
                FormatKey(
                    "parameters",
                    .names(.template),
                    "Further parameters of a request for a new token.",
                    example: "parameters: { resource: https://api.example }"
                ),
                FormatKey(
                    "clientAuthentication",
                    .word(["basic", "body"]),
                    standard: "basic",
                    "Where the client's secret is sent: in the field `Authorization`, or in the form.",
                    example: "clientAuthentication: body"
                ),
            ]
        ),
        FormatSection(
            .aws,
            "`aws`",
            on: .auth,
            [
                FormatKey(
                    "service",
                    .template,
                    isRequired: true,
                    "The service, as AWS names it in signatures.",
                    example: "service: execute-api"
                ),
                FormatKey(
                    "region",
                    .template,
                    "The region; else that of `AWS_REGION`, `AWS_DEFAULT_REGION` or the profile.",
                    example: "region: eu-central-1"
                ),
                FormatKey(
                    "profile",
                    .template,
                    """
                    A profile of `~/.aws/credentials` or `~/.aws/config`. Without it and without keys: `AWS_ACCESS_KEY_ID`, \
                    `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, then the profile `AWS_PROFILE`, then `default`.
                    """,
                    example: "profile: work"
                ),
                FormatKey(
                    "accessKey",
                    credential,
                    "The id of a key, in place of a profile.",
                    example: "accessKey: { env: MY_KEY_ID }"
                ),
                FormatKey(
                    "secretKey",
                    credential,
                    "Its secret.",
                    example: "secretKey: { env: MY_SECRET_KEY }"
                ),
                FormatKey(
                    "sessionToken",
                    credential,
                    "The token of temporary credentials.",
                    example: "sessionToken: { env: MY_SESSION_TOKEN }"
                ),
                FormatKey(
                    "payload",
                    .word(["signed", "unsigned"]),
                    standard: "signed",
                    "Whether the signature covers the body; a stream to S3 cannot be signed.",
                    example: "payload: unsigned"
                ),
            ]
        ),
        FormatSection(
            .custom,
            "`custom`",
            on: .auth,
            [
                FormatKey(
                    "command",
                    .text,
                    isRequired: true,
                    """
                    A command for `/bin/sh`, run in this file's folder when it is first needed, and once more after a 401. It \
                    prints the value of `Authorization`, or lines `Name: value`. It runs only if you trust the workspace.
                    """,
                    example: "command: ./token.sh"
                ),
                FormatKey(
                    "timeout",
                    .either([.time, .word(["never"])]),
                    standard: "30 s",
                    "How long it may run.",
                    example: "timeout: 5 s"
                ),
                FormatKey(
                    "expires",
                    .either([.time, .word(["never"])]),
                    standard: "never",
                    "How long its output is used.",
                    example: "expires: 10 min"
                ),
            ]
        ),
    ]

    /// A string with variables, or a secret from outside of the file.
    private static let credential = FormatKind.either([.template, .section(.secret)])
}
