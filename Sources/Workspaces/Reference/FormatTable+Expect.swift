import Apus

extension FormatSection {
    /// What a response must be.
    static let expectSections = [
        FormatSection(
            .expect,
            "`expect`",
            on: .expectations,
            [
                FormatKey(
                    "status",
                    .either([status, .list(status)]),
                    "The status: one, a class, a range, or a list of these.",
                    example: "status: [200, 3xx]"
                ),
                FormatKey(
                    "time",
                    .form("a comparison with a time", pattern: comparison + time),
                    "How long the response took, as a whole. A time alone is the most.",
                    example: "time: < 2 s"
                ),
                FormatKey(
                    "size",
                    .form(
                        "a comparison with a size",
                        pattern: comparison + #"[0-9.]+ *([bB]|[bB]ytes?|[kKmMgG][iI]?[bB])$"#
                    ),
                    "The size of the body, decoded. A size alone is the most.",
                    example: "size: < 10 kB"
                ),
                FormatKey(
                    "fields",
                    .names(compared),
                    "Header fields by their names: a value, or a mapping of comparisons.",
                    example: "fields: { Content-Type: { matches: json }, ETag: { exists: true } }"
                ),
                FormatKey(
                    "json",
                    .names(compared),
                    """
                    Values of a JSON body by their paths (RFC 9535, or short): a value, or a mapping of comparisons. A path that \
                    can match several values stands for the list of them.
                    """,
                    example:
                        #"json: { $.name: Ada, "$.price": { "<": 2 }, "$.tags": { count: 2 } }"#
                ),
                FormatKey(
                    "body",
                    .value,
                    "The whole body as JSON. `~ignore` in it stands for any value.",
                    example: "body: { name: Ada, id: ~ignore }"
                ),
                FormatKey(
                    "text",
                    compared,
                    "The whole body as text: the text, or a mapping of comparisons.",
                    example: "text: { contains: Hello }"
                ),
                FormatKey(
                    "redirects",
                    .either([
                        .integer(0...1000),
                        .form("a comparison with a number", pattern: comparison + "[0-9]+$"),
                    ]),
                    "How many redirects were followed.",
                    example: "redirects: 0"
                ),
                FormatKey(
                    "certificateDays",
                    .integer(0...100_000),
                    "How many days the server's certificate must still be valid.",
                    example: "certificateDays: 14"
                ),
                FormatKey(
                    "fromCache",
                    .boolean,
                    "Whether the response must come from the cache.",
                    example: "fromCache: true"
                ),
            ]
        ),
        FormatSection(
            .comparison,
            "a comparison",
            on: .expectations,
            [
                FormatKey("is", .value, "The same value.", example: "is: Ada"),
                FormatKey("not", .value, "Another value.", example: "not: Ada"),
                FormatKey(
                    "<",
                    .template,
                    "A smaller number, or a text that is before it.",
                    example: "\"<\": 2"
                ),
                FormatKey("<=", .template, "A number that is not larger.", example: "\"<=\": 2"),
                FormatKey(
                    ">",
                    .template,
                    "A larger number, or a text that is after it.",
                    example: "\">\": 2"
                ),
                FormatKey(">=", .template, "A number that is not smaller.", example: "\">=\": 2"),
                FormatKey("in", .list(.value), "One of these.", example: "in: [new, paid]"),
                FormatKey(
                    "contains",
                    .value,
                    "A text with this text in it, a list with this element, an object with this member.",
                    example: "contains: Ada"
                ),
                FormatKey(
                    "matches",
                    .template,
                    "A text in which a regular expression matches (PCRE2).",
                    example: #"matches: "^[A-Z]{3}$""#
                ),
                FormatKey(
                    "exists",
                    .boolean,
                    "Whether there is such a value; null is one.",
                    example: "exists: false"
                ),
                FormatKey(
                    "count",
                    .either([
                        .integer(0...1_000_000_000),
                        .form("a comparison with a number", pattern: comparison + "[0-9]+$"),
                    ]),
                    "How many elements, members or characters it has.",
                    example: "count: 2"
                ),
                FormatKey(
                    "type",
                    .either([.word(Expectation.Operator.typeNames), .null]),
                    "The type of a JSON value.",
                    example: "type: number"
                ),
            ]
        ),
        FormatSection(
            .batchExpect,
            "a batch's `expect`",
            on: .expectations,
            [
                FormatKey(
                    "failed",
                    .either([
                        .integer(0...1_000_000),
                        .form("a comparison with a number", pattern: comparison + "[0-9]+$"),
                    ]),
                    "How many requests have no response, or one that is not as expected.",
                    example: "failed: 0"
                )
            ]
                + Expectation.Subject.percentiles.map { percent, words in
                    FormatKey(
                        Expectation.Subject.percentile(percent).description,
                        .form("a comparison with a time", pattern: comparison + time),
                        "The time within which \(words) of the responses came. A time alone is the most.",
                        example: "\(Expectation.Subject.percentile(percent)): < 300 ms"
                    )
                }
        ),
    ]

    private static let comparison = "^(<=?|>=?)? *"
    private static let time = #"[0-9.]+ *(ms|s|sec|seconds?|m|min|minutes?|h|hours?|d|days?)$"#
    private static let status = FormatKind.either([
        .integer(100...999),
        .form(
            "a class or a range of statuses",
            pattern: "^([1-9]xx|[1-9][0-9]{2}-[1-9][0-9]{2}|[1-9][0-9]{2})$"
        ),
    ])
    private static let compared = FormatKind.either([
        .template, .null, .list(.value), .section(.comparison),
    ])
}
