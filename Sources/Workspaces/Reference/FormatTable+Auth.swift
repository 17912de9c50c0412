extension FormatSection {
    /// How a request says who sends it.
    static let authSections = [
        FormatSection(
            .auth,
            "`auth`",
            on: .auth,
            [
                FormatKey(
                    "bearer",
                    .template,
                    "A token, sent as `Authorization: Bearer …` (RFC 6750).",
                    example: "bearer: \"{{ token }}\""
                ),
                FormatKey(
                    "basic",
                    .section(.credentials),
                    "A user and a password, sent with each request (RFC 7617).",
                    example: "basic: { user: ada, password: \"{{ password }}\" }"
                ),
                FormatKey(
                    "digest",
                    .section(.credentials),
                    "A user and a password that answer the server's challenge (RFC 7616).",
                    example: "digest: { user: ada, password: \"{{ password }}\" }"
                ),
                FormatKey(
                    "apiKey",
                    .section(.apiKey),
                    "A key in a header field, a parameter or a cookie.",
                    example: "apiKey: { name: X-API-Key, value: \"{{ token }}\" }"
                ),
                FormatKey(
                    "ntlm",
                    .section(.credentials),
                    "A user and a password for Microsoft's NTLM.",
                    example: "ntlm: { user: ada, password: \"{{ password }}\" }"
                ),
                FormatKey(
                    "negotiate",
                    .word(["true"]),
                    "Kerberos (RFC 4559), with the ticket that `kinit` has got.",
                    example: "negotiate: true"
                ),
                FormatKey(
                    "netrc",
                    .either([.word(["true"]), .path]),
                    "The user and the password that a netrc file has for the host: `~/.netrc`, or another file.",
                    example: "netrc: true"
                ),
                FormatKey(
                    "oauth2",
                    .section(.oauth2),
                    "A token of OAuth 2 (RFC 6749), obtained when it is first needed and kept for later runs.",
                    example:
                        "oauth2: { grant: clientCredentials, tokenURL: \"https://login.example/token\", clientID: me, "
                        + "clientSecret: { env: SECRET } }"
                ),
                FormatKey(
                    "aws",
                    .section(.aws),
                    "A signature of AWS (Signature Version 4).",
                    example: "aws: { service: s3, region: eu-central-1, profile: work }"
                ),
                FormatKey(
                    "custom",
                    .section(.custom),
                    "What a command of yours prints.",
                    example: "custom: { command: ./token.sh }"
                ),
            ]
        ),
        FormatSection(
            .credentials,
            "credentials",
            on: .auth,
            [
                FormatKey(
                    "user",
                    .template,
                    isRequired: true,
                    "The user's name.",
                    example: "user: ada"
                ),
                FormatKey(
                    "password",
                    .template,
                    isRequired: true,
                    "The password; a variable, so that it does not stand in the file.",
                    example: "password: \"{{ password }}\""
                ),
            ]
        ),
        FormatSection(
            .apiKey,
            "`apiKey`",
            on: .auth,
            [
                FormatKey(
                    "in",
                    .word(RequestSettings.APIKey.Place.allCases.map(\.rawValue)),
                    standard: "header",
                    "Where it stands.",
                    example: "in: query"
                ),
                FormatKey(
                    "name",
                    .text,
                    isRequired: true,
                    "The name of the field, the parameter or the cookie.",
                    example: "name: api_key"
                ),
                FormatKey(
                    "value",
                    .template,
                    isRequired: true,
                    "The key; a variable, so that it does not stand in the file.",
                    example: "value: \"{{ token }}\""
                ),
            ]
        ),
        FormatSection(
            .clientCertificate,
            "`clientCertificate`",
            on: .auth,
            [
                FormatKey(
                    "file",
                    .path,
                    isRequired: true,
                    "The certificate (PEM), with its key if `key` names none.",
                    example: "file: me.pem"
                ),
                FormatKey("key", .path, "The private key (PEM).", example: "key: me.key"),
                FormatKey(
                    "password",
                    .template,
                    "The private key's password.",
                    example: "password: \"{{ password }}\""
                ),
            ]
        ),
    ]
}
