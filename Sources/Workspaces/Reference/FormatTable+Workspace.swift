extension FormatSection {
    /// A workspace as a whole, its environments, variables and secrets.
    static let workspaceSections = [
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
                    .names(.either([.text, .section(.secret)])),
                    "Values that `{{ name }}` stands for in every environment.",
                    example: "variables: { user: 7, token: { env: API_TOKEN } }"
                ),
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
                    .names(.either([.text, .section(.secret)])),
                    "Values that go before those of the workspace.",
                    example: "variables: { user: 1 }"
                ),
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
                    "The file that has the value, without the line's end; at most 64 KiB.",
                    example: "file: secrets/token"
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
}
