import Apus

extension FormatSection {
    /// Targets and their bodies.
    static let targetSections = [
        FormatSection(
            .group,
            "a group",
            on: .environments,
            [
                FormatKey(
                    "defaults",
                    .either([.section(.defaults), .null]),
                    "Settings of all targets in the group, and in the groups in it. They go before those of the environment.",
                    example: "defaults: { headers: { X-Tenant: one } }"
                ),
                FormatKey(
                    "note",
                    .text,
                    "What the help of the explorer says about the group and its targets (`?`), in Markdown.",
                    example: "note: These change what all users see."
                ),
            ]
        ),
        FormatSection(
            .target,
            "a target",
            on: .request,
            hasSettings: true,
            [
                FormatKey(
                    "request",
                    .either([.requestLine, .template]),
                    isRequired: true,
                    orElse: "like",
                    """
                    The method and the path, or a whole URL. A path is added to `baseURL`. With `method` it is the \
                    path alone.
                    """,
                    example: "request: \"GET /users/{{ user }}\""
                ),
                FormatKey(
                    "method",
                    .text,
                    "A method that the request line cannot have, because it is not all capitals, or nearly another.",
                    example: "method: Purge"
                ),
                FormatKey(
                    "like",
                    .text,
                    """
                    A target that this one is like, by its name: what is not said here is as there. Fields and parameters are \
                    joined by name.
                    """,
                    example: "like: Users/Show"
                ),
                FormatKey(
                    "description",
                    .text,
                    "What the explorer shows under the target's name.",
                    example: "description: the first page only"
                ),
                FormatKey(
                    "note",
                    .text,
                    """
                    What `?` in the explorer says about it, in Markdown; a `?` after its name shows that there is a note.
                    """,
                    example:
                        "note: \"Pages begin at 1, see [the manual](https://example.com/pages).\""
                ),
                FormatKey(
                    "rows",
                    .either([.path, .list(.names(.value))]),
                    """
                    Values of variables: `apus run` sends the target once for each row, and without `apus run` it has those of \
                    the first. A list of mappings, or a table in a file (CSV, JSON, lines of JSON), whose columns are the \
                    variables.
                    """,
                    example: "rows: [{ user: 1 }, { user: 2 }]"
                ),
                FormatKey(
                    "matrix",
                    .names(.list(.value)),
                    "Values of variables: as `rows`, one row for each combination.",
                    example: "matrix: { page: [1, 2], lang: [en, de] }"
                ),
                FormatKey(
                    "sample",
                    .section(.sample),
                    "A response to use without the server: with `--stubs` the target is answered by it.",
                    example: "sample: { status: 200, json: { id: 7, name: Ada } }"
                ),
                FormatKey(
                    "body",
                    .template,
                    "A body as text; `headers` says its `Content-Type`.",
                    example: "body: \"name={{ name }}\""
                ),
                FormatKey(
                    "json",
                    .value,
                    "A body as JSON; a string that is only `{{ name }}` becomes the variable's value, whatever its type.",
                    example: "json: { name: Ada, id: \"{{ user }}\" }"
                ),
                FormatKey(
                    "form",
                    .names(.value),
                    "A body as a web form sends it (`application/x-www-form-urlencoded`).",
                    example: "form: { name: Ada, tags: [a, b] }"
                ),
                FormatKey(
                    "multipart",
                    .names(
                        .either([
                            .template, .section(.part),
                            .list(.either([.template, .section(.part)])),
                        ])
                    ),
                    """
                    A form with files (`multipart/form-data`): a string is a field, `file` a file, a list several parts \
                    with one name.
                    """,
                    example:
                        "multipart: { title: Ada, picture: { file: ada.png, type: image/png } }"
                ),
                FormatKey(
                    "graphql",
                    .either([.template, .section(.graphql)]),
                    "A GraphQL request: the query, or a mapping of it and its variables.",
                    example: "graphql: \"{ viewer { login } }\""
                ),
                FormatKey(
                    "upload",
                    .either([.path, .section(.upload)]),
                    "A file as the body, sent as it is read.",
                    example: "upload: ada.png"
                ),
                FormatKey(
                    "download",
                    .either([.path, .section(.download)]),
                    "The file that the response is written to.",
                    example: "download: ada.png"
                ),
                FormatKey(
                    "defaults",
                    .word(["workspace", "none"]),
                    standard: "workspace",
                    """
                    Whether the fields, the query, the credentials and the cookies of `defaults` and of the \
                    environment are sent; `none` leaves of them only how the server is reached.
                    """,
                    example: "defaults: none"
                ),
            ]
        ),
        FormatSection(
            .sample,
            "a sample",
            on: .request,
            [
                FormatKey(
                    "status",
                    .integer(100...599),
                    standard: "200",
                    "The status of the sample.",
                    example: "status: 404"
                ),
                FormatKey(
                    "headers",
                    .names(.either([.template, .list(.template), .null])),
                    "The header fields of the sample.",
                    example: "headers: { ETag: '\"1\"' }"
                ),
                FormatKey(
                    "json",
                    .value,
                    "The sample's body as JSON.",
                    example: "json: { id: 7 }"
                ),
                FormatKey(
                    "body",
                    .template,
                    "The sample's body as text.",
                    example: "body: done"
                ),
                FormatKey(
                    "file",
                    .path,
                    "The file with the sample's body; it is read when the target is sent.",
                    example: "file: samples/user.json"
                ),
            ]
        ),
        FormatSection(
            .part,
            "a part",
            on: .bodies,
            [
                FormatKey("file", .path, isRequired: true, "The file.", example: "file: ada.png"),
                FormatKey(
                    "from",
                    .path,
                    "The folder that must have the file; then a captured value may name the file.",
                    example: "from: pictures"
                ),
                FormatKey(
                    "type",
                    .template,
                    standard: "by the file's name",
                    "Its `Content-Type`.",
                    example: "type: image/png"
                ),
            ]
        ),
        FormatSection(
            .upload,
            "`upload`",
            on: .bodies,
            [
                FormatKey(
                    "file",
                    .path,
                    isRequired: true,
                    "The file.",
                    example: "file: \"{{ name }}.png\""
                ),
                FormatKey(
                    "from",
                    .path,
                    isRequired: true,
                    "The folder that must have the file; a captured value may name a file in it.",
                    example: "from: pictures"
                ),
            ]
        ),
        FormatSection(
            .download,
            "`download`",
            on: .bodies,
            [
                FormatKey("to", .path, isRequired: true, "The file.", example: "to: ada.png"),
                FormatKey(
                    "replace",
                    .boolean,
                    standard: "false",
                    "Whether a file that is there is replaced.",
                    example: "replace: true"
                ),
            ]
        ),
        FormatSection(
            .graphql,
            "`graphql`",
            on: .bodies,
            [
                FormatKey(
                    "query",
                    .template,
                    isRequired: true,
                    "The text of the query, or of several operations.",
                    example: "query: \"query One($id: ID!) { user(id: $id) { name } }\""
                ),
                FormatKey(
                    "operation",
                    .template,
                    "Which operation of the text is run.",
                    example: "operation: One"
                ),
                FormatKey(
                    "variables",
                    .names(.value),
                    "Its variables.",
                    example: "variables: { id: 7 }"
                ),
            ]
        ),
    ]

    /// What targets, environments and `defaults` have in common.
    static let settings = [
        FormatKey(
            "baseURL",
            .template,
            "What paths are added to.",
            example: "baseURL: https://api.example.com/v1"
        ),
        FormatKey(
            "headers",
            .names(.either([.template, .list(.template), .null])),
            "Header fields. A list sends a line for each element, and null leaves a field out that would be sent.",
            example: "headers: { Accept: application/json, X-Tag: [a, b] }"
        ),
        FormatKey(
            "query",
            .names(.either([.value, .null])),
            """
            Parameters of the URL. A list sends the parameter for each element, and null leaves one out that is \
            inherited.
            """,
            example: "query: { page: 1, sort: name }"
        ),
        FormatKey(
            "auth",
            .either([.section(.auth), .word(["none"])]),
            "How the request says who sends it; `none` sends nothing where something is inherited.",
            example: "auth: { bearer: \"{{ token }}\" }"
        ),
        FormatKey(
            "timeout",
            .either([.time, .word(["never"])]),
            standard: "60 s",
            "How long a request may take as a whole.",
            example: "timeout: 10 s"
        ),
        FormatKey(
            "connectTimeout",
            .either([.time, .word(["never"])]),
            standard: "15 s",
            "How long the connection may take.",
            example: "connectTimeout: 2 s"
        ),
        FormatKey(
            "redirects",
            .integer(0...1000),
            standard: "10",
            "How many redirects are followed.",
            example: "redirects: 0"
        ),
        FormatKey(
            "trustRedirects",
            .boolean,
            standard: "false",
            "Whether a redirect to another server takes body, fields and credentials along.",
            example: "trustRedirects: true"
        ),
        FormatKey(
            "verifyTLS",
            .boolean,
            standard: "true",
            "Whether the server's certificate must be valid.",
            example: "verifyTLS: false"
        ),
        FormatKey(
            "caFile",
            .path,
            standard: "the system's",
            "The certificates (PEM) that are trusted.",
            example: "caFile: ca.pem"
        ),
        FormatKey(
            "clientCertificate",
            .either([.path, .section(.clientCertificate)]),
            "The certificate that the client shows: a file, or a mapping of it, its key and its password.",
            example: "clientCertificate: me.pem"
        ),
        FormatKey(
            "unixSocket",
            .path,
            "The Unix domain socket that is connected to in place of the URL's host.",
            example: "unixSocket: /run/docker.sock"
        ),
        FormatKey(
            "httpVersion",
            .word(["automatic", "1.1", "2"]),
            standard: "automatic",
            "The version of HTTP that is asked for.",
            example: "httpVersion: \"2\""
        ),
        FormatKey(
            "proxy",
            .template,
            standard: "`http_proxy` and its like",
            "The proxy's URL; an empty one is none.",
            example: "proxy: http://localhost:3128"
        ),
        FormatKey(
            "decode",
            .boolean,
            standard: "true",
            "Whether gzip, deflate, br and zstd are asked for and decoded.",
            example: "decode: false"
        ),
        FormatKey(
            "maxBody",
            .size,
            standard: "4 GiB",
            "The largest body, decoded; a larger one ends the transfer.",
            example: "maxBody: 10 MB"
        ),
        FormatKey(
            "trace",
            .boolean,
            standard: "false",
            "Whether the lines of the connection are kept, for the tab *wire*.",
            example: "trace: true"
        ),
        FormatKey(
            "cookies",
            .word(["environment", "none"]),
            standard: "environment",
            "Whether cookies are sent and kept; each environment has its own, until apus ends.",
            example: "cookies: none"
        ),
        FormatKey(
            "validate",
            .either([.word(["none", "success", "redirects"]), .list(.integer(100...999))]),
            standard: "none",
            "Which statuses are no failure: all, 200 to 299, 200 to 399, or those of a list.",
            example: "validate: [200, 404]"
        ),
        FormatKey(
            "expect",
            .section(.expect),
            """
            What the response must be; `apus run` and the explorer check it. What a target expects stands in place of what is \
            inherited about the same thing.
            """,
            example: "expect: { status: 200, time: < 2 s, json: { $.name: Ada } }"
        ),
        FormatKey(
            "tags",
            .list(.text),
            "Words by which `apus run tag:WORD` finds targets, besides those of the groups around them.",
            example: "tags: [smoke, slow]"
        ),
        FormatKey(
            "source",
            .word(SourceName.allCases.map(\.rawValue)),
            standard: "cacheAndServer in the explorer, server elsewhere",
            "Where responses come from.",
            example: "source: cacheAndServer"
        ),
        FormatKey(
            "cache",
            .either([
                .section(.cache), .time,
                .word(["none", "memory", "disk", "memoryAndDisk", "http", "shared"]),
            ]),
            standard: "none",
            "Whether and how responses are cached: a time, where, `http` for what HTTP says, or a mapping.",
            example: "cache: 5 min"
        ),
    ]
}
