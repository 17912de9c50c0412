import Apus

extension FormatSection {
    private static let modes = BatchDefinition.Mode.allCases.map(\.rawValue)
    private static let source = FormatKey(
        "source",
        .word(SourceName.allCases.map(\.rawValue)),
        standard: "each target's own",
        "Where the responses come from.",
        example: "source: server"
    )

    /// Batches and chains.
    static let flowSections = [
        FormatSection(
            .batch,
            "a batch",
            on: .batches,
            [
                FormatKey(
                    "description",
                    .text,
                    "What the list says under its name.",
                    example: "description: the pages that must always work"
                ),
                FormatKey(
                    "targets",
                    .list(.either([.text, .section(.batchTarget), .section(.target)])),
                    isRequired: true,
                    """
                    What is sent: targets by their names (`Group/Target`), requests (`GET /health`), or mappings of one \
                    with `repeat` and `set`. At most 100,000 requests.
                    """,
                    example: "targets: [Home, GET /health, { target: Users/Show, repeat: 10 }]"
                ),
                FormatKey(
                    "rows",
                    .either([.path, .list(.names(.value))]),
                    """
                    Values of variables: the targets are sent once for each row. A list of mappings, or a table in a file \
                    (CSV, JSON, lines of JSON), whose columns are the variables.
                    """,
                    example: "rows: [{ user: 1 }, { user: 2 }]"
                ),
                FormatKey(
                    "matrix",
                    .names(.list(.value)),
                    "Values of variables: the targets are sent once for each combination.",
                    example: "matrix: { page: [1, 2], lang: [en, de] }"
                ),
                FormatKey(
                    "concurrency",
                    .integer(1...1000),
                    standard: "8",
                    "How many are under way at a time.",
                    example: "concurrency: 50"
                ),
                FormatKey(
                    "rate",
                    .form("a rate", pattern: #"^ *[0-9.]+ */ *(s|min|h) +for +.+$"#),
                    "How many are started in a time, whatever becomes of them, and for how long: the targets take turns.",
                    example: "rate: 50/s for 30 s"
                ),
                FormatKey(
                    "mode",
                    .word(modes),
                    standard: "settled",
                    """
                    What a failure does to the others: nothing (`settled`), cancels them (`all`), or lets those end that \
                    were sent (`allFinishing`).
                    """,
                    example: "mode: all"
                ),
                source,
                FormatKey(
                    "expect",
                    .section(.batchExpect),
                    "What must hold of the batch as a whole, besides what its targets expect; `apus run` checks it.",
                    example: "expect: { failed: 0, p95: < 300 ms }"
                ),
            ]
        ),
        FormatSection(
            .batchTarget,
            "a batch's target",
            on: .batches,
            [
                FormatKey(
                    "target",
                    .either([.text, .section(.target)]),
                    isRequired: true,
                    "The target's name, or a request.",
                    example: "target: Users/Show"
                ),
                FormatKey(
                    "repeat",
                    .integer(1...100_000),
                    standard: "1",
                    "How many times it is sent.",
                    example: "repeat: 100"
                ),
                FormatKey(
                    "set",
                    .names(.value),
                    "Values of variables in its requests; `{{ index }}` counts them from 1.",
                    example: "set: { user: \"{{ index }}\" }"
                ),
            ]
        ),
        FormatSection(
            .chain,
            "a chain",
            on: .chains,
            [
                FormatKey(
                    "description",
                    .text,
                    "What the list says under its name.",
                    example: "description: signs in and orders"
                ),
                FormatKey(
                    "steps",
                    .list(.either([.text, .section(.step)])),
                    isRequired: true,
                    "The steps: targets by their names, or mappings.",
                    example: "steps: [Home, { step: me, target: Users/Show }]"
                ),
                source,
            ]
        ),
        FormatSection(
            .step,
            "a step",
            on: .chains,
            [
                FormatKey(
                    "step",
                    .text,
                    isRequired: true,
                    "The step's name, by which others need it.",
                    example: "step: order"
                ),
                FormatKey(
                    "target",
                    .either([.text, .section(.target)]),
                    isRequired: true,
                    "The target's name, or a request.",
                    example: "target: Users/Create"
                ),
                FormatKey(
                    "needs",
                    .either([.text, .list(.text)]),
                    standard: "the step before it",
                    "The steps that must have ended; `[]` starts at once.",
                    example: "needs: [create, rates]"
                ),
                FormatKey(
                    "join",
                    .word(ChainPlan.Join.allCases.map(\.rawValue)),
                    standard: "all",
                    """
                    What those that it needs must have done: `all`; `noneFailed`, though some may have been skipped; \
                    `any` of them; or only `ended`, to clean up.
                    """,
                    example: "join: ended"
                ),
                FormatKey(
                    "when",
                    .text,
                    """
                    A condition; if it does not hold, the step is skipped. `$` has the captured values, and \
                    `$.steps.NAME.status` how a needed step ended.
                    """,
                    example: "when: $.role == 'admin'"
                ),
                FormatKey(
                    "forEach",
                    .either([.text, .section(.forEach)]),
                    "A captured list: the step is sent for each element, which is `{{ item }}`.",
                    example: "forEach: users"
                ),
                FormatKey(
                    "set",
                    .names(.value),
                    "Values of variables in its request; with `forEach`, `{{ index }}` counts the elements from 1.",
                    example: "set: { user: 1 }"
                ),
                FormatKey(
                    "expect",
                    .section(.expect),
                    """
                    What the response must be for the chain to go on, besides what the target expects: else the step fails, \
                    as it does without a value to capture.
                    """,
                    example: "expect: { status: 201, json: { $.id: { exists: true } } }"
                ),
                FormatKey(
                    "capture",
                    .names(.text),
                    """
                    Values of the response that later steps use as `{{ name }}`: a JSONPath into the body, \
                    `header:NAME`, or `status`.
                    """,
                    example: "capture: { token: $.access_token, next: \"header:Location\" }"
                ),
            ]
        ),
        FormatSection(
            .forEach,
            "`forEach`",
            on: .chains,
            [
                FormatKey(
                    "in",
                    .text,
                    isRequired: true,
                    "The name of the captured list.",
                    example: "in: users"
                ),
                FormatKey(
                    "as",
                    .text,
                    standard: "item",
                    "The name of an element.",
                    example: "as: user"
                ),
                FormatKey(
                    "concurrency",
                    .integer(1...1000),
                    standard: "8",
                    "How many are under way at a time.",
                    example: "concurrency: 4"
                ),
                FormatKey(
                    "mode",
                    .word(modes),
                    standard: "all",
                    "What a failure does to the other elements, as in a batch.",
                    example: "mode: settled"
                ),
                FormatKey(
                    "limit",
                    .integer(1...10_000_000),
                    standard: "10000",
                    "A longer list is a failure.",
                    example: "limit: 500"
                ),
            ]
        ),
    ]
}
