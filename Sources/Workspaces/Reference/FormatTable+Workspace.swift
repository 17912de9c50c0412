extension FormatSection {
    /// A workspace as a whole, its environments, variables and secrets.
    static let workspaceSections: [FormatSection] = [
        FormatSection(
            .workspace,
            "a workspace",
            on: .request,
            [
                FormatKey(
                    "name",
                    .text,
                    standard: "the file's name",
                    "What the title of the explorer says.",
                    example: "name: My API"
                ),
                FormatKey(
                    "note",
                    .text,
                    "What the help of the explorer says about it (`?`), in Markdown.",
                    example: "note: Ask Ada for a key."
                ),
                FormatKey(
                    "targets",
                    .targets,
                    """
                    What can be sent: targets by their names, in groups if you like. A group is a mapping of more \
                    names; a target is `METHOD path`, or a mapping with `request`.
                    """,
                    example:
                        "targets: { Users: { List: GET /users, Show: { request: \"GET /users/7\" } } }"
                ),
                FormatKey(
                    "variables",
                    .names(variable),
                    "Values that `{{ name }}` stands for in every environment.",
                    example: "variables: { user: 7, token: { env: API_TOKEN } }"
                ),
                environmentFiles,
                FormatKey(
                    "environments",
                    .names(.either([.section(.environment), .null])),
                    standard: "one without settings",
                    """
                    The places where the same targets are sent to. The explorer opens the first, or the one that \
                    it showed last.
                    """,
                    example: "environments: { local: { baseURL: \"http://localhost:8080\" } }"
                ),
                FormatKey(
                    "defaults",
                    .either([.section(.defaults), .null]),
                    "Settings of all targets; an environment goes before them, and a target before both.",
                    example: "defaults: { timeout: 10 s }"
                ),
                FormatKey(
                    "batches",
                    .names(
                        .either([
                            .section(.batch), .list(.either([.text, .section(.batchTarget)])),
                        ])
                    ),
                    "Targets that are sent side by side.",
                    example: "batches: { Smoke: [Home] }"
                ),
                FormatKey(
                    "chains",
                    .names(.either([.section(.chain), .list(.either([.text, .section(.step)]))])),
                    "Targets that are sent one after another, each with what those before it captured.",
                    example: "chains: { Sign in: [Home] }"
                ),
                FormatKey(
                    "mask",
                    .either([.section(.mask), .null]),
                    "What is secret beside what always is.",
                    example: "mask: { names: [pin] }"
                ),
                FormatKey(
                    "cache",
                    .either([.section(.sharedCache), .null]),
                    """
                    The server that a team shares cached responses through. What a target caches is said by its own \
                    `cache`, or that of `defaults`.
                    """,
                    example:
                        "cache: { shared: \"redis://cache.internal/0\", key: { env: TEAM_KEY } }"
                ),
            ]
        ),
        FormatSection(
            .environment,
            "an environment",
            on: .environments,
            hasSettings: true,
            [
                FormatKey(
                    "description",
                    .text,
                    "What the list of environments says beside the name.",
                    example: "description: the shared test server"
                ),
                FormatKey(
                    "extends",
                    .text,
                    "An environment that this one extends: what is not said here is as there.",
                    example: "extends: local"
                ),
                FormatKey(
                    "danger",
                    .boolean,
                    standard: "false",
                    """
                    Whether the explorer shows the name in red and asks before it sends what may change something. \
                    The commands do not ask.
                    """,
                    example: "danger: true"
                ),
                FormatKey(
                    "color",
                    .word(Environment.Color.allCases.map(\.rawValue)),
                    "The color of the name on the screen.",
                    example: "color: yellow"
                ),
                FormatKey(
                    "variables",
                    .names(variable),
                    "Values that go before those of the workspace.",
                    example: "variables: { user: 1 }"
                ),
                environmentFiles,
            ]
        ),
        FormatSection(.defaults, "`defaults`", on: .environments, hasSettings: true, []),
        FormatSection(
            .secret,
            "a secret",
            on: .secrets,
            [
                FormatKey(
                    "env",
                    .text,
                    "The environment variable that has the value.",
                    example: "env: API_TOKEN"
                ),
                FormatKey(
                    "file",
                    .path,
                    "The file that has the value, without the line's end; at most 1 MiB.",
                    example: "file: secrets/token"
                ),
                FormatKey(
                    "command",
                    .text,
                    """
                    The command that writes the value, without the line's end. `/bin/sh` runs it in the file's folder \
                    when a request first needs it, once until you are done, without a terminal. It runs only in a \
                    workspace that you trust: the explorer asks, and commands take `--trust`.
                    """,
                    example: "command: pass show api"
                ),
                FormatKey(
                    "timeout",
                    .time,
                    standard: "60 s",
                    "How long the command may take.",
                    example: "timeout: 10 s"
                ),
            ]
        ),
        FormatSection(
            .question,
            "a value that is asked for",
            on: .variables,
            [
                FormatKey(
                    "ask",
                    .text,
                    isRequired: true,
                    """
                    What is asked for when a request first needs the value, which is kept until you are done. \
                    `--set NAME=VALUE` responses it.
                    """,
                    example: "ask: One-time code"
                ),
                FormatKey(
                    "secret",
                    .boolean,
                    standard: "true for a name such as `password`, else false",
                    "Whether the value is hidden as it is typed, and masked.",
                    example: "secret: true"
                ),
                FormatKey(
                    "choices",
                    .list(.text),
                    "The values to choose from.",
                    example: "choices: [admin, guest]"
                ),
                FormatKey(
                    "default",
                    .text,
                    "The value that is offered, and the one where there is no terminal to ask on.",
                    example: "default: guest"
                ),
            ]
        ),
        FormatSection(
            .response,
            "a value from a response",
            on: .variables,
            [
                FormatKey(
                    "from",
                    .text,
                    isRequired: true,
                    """
                    The target whose response has the value. It is sent by itself when a request needs the value and \
                    there is none, it has expired, or the server has answered the request 401, which is then sent \
                    once more.
                    """,
                    example: "from: Login"
                ),
                FormatKey(
                    "capture",
                    .text,
                    isRequired: true,
                    "Where the value is: a JSONPath into the body, `header:NAME`, or `status`.",
                    example: "capture: $.token"
                ),
                FormatKey(
                    "expires",
                    .time,
                    "How long the value is used.",
                    example: "expires: 10 min"
                ),
            ]
        ),
        FormatSection(
            .mask,
            "`mask`",
            on: .secrets,
            [
                FormatKey(
                    "names",
                    .list(.text),
                    "Names of fields, parameters and members whose values are masked.",
                    example: "names: [X-Session, pin]"
                ),
                FormatKey(
                    "patterns",
                    .list(.text),
                    "Regular expressions (PCRE2); what one of them finds is masked.",
                    example: "patterns: ['\\b\\d{16}\\b']"
                ),
            ]
        ),
    ]

    /// What a variable may be.
    private static let variable = FormatKind.either([
        .text, .section(.secret), .section(.question), .section(.response),
    ])

    private static let environmentFiles = FormatKey(
        "envFile",
        .either([.path, .list(.path)]),
        """
        A file of `NAME=value` lines, or some of them, as other programs read it (dotenv). `variables` beside it go \
        before it, and of several files the last that has the name. Values under a credential's name are secrets. A \
        change of the file is read at once.
        """,
        example: "envFile: .env"
    )
}
