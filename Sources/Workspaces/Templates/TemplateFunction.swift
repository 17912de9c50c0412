import Apus
import Documents
import FoundationEssentials
import Glibc

/// A function of templates: `{{ uuid }}`, `{{ name | base64 }}`, `{{ now("+1 day") }}`.
///
/// What is before a `|` is the first argument of the function after it.
package struct TemplateFunction: Sendable {
    /// Why a function gives no value, in words that follow its name.
    struct Fault: Error {
        let words: String

        init(_ words: String) { self.words = words }
    }

    /// What it does with its arguments.
    enum Work: Sendable {
        /// Makes a value of them.
        case value(@Sendable (_ arguments: [Value]) throws(Fault) -> Value)
        /// Reads an environment variable, which is a secret.
        case environmentVariable
        /// Reads a text file, from the folder of the workspace file.
        case file
        /// Takes its second argument where the first has no value.
        case fallback
    }

    /// Its name.
    package let name: String
    /// What its arguments are, in words; the last `optional` of them may be left out.
    package let parameters: [String]
    /// How many of the last arguments may be left out.
    package let optional: Int
    /// What it gives, in a sentence.
    package let summary: String
    /// A use of it, without the braces.
    package let example: String
    /// Whether it may give another value each time.
    let isVarying: Bool
    let work: Work

    private init(
        _ name: String,
        _ parameters: [String] = [],
        optional: Int = 0,
        isVarying: Bool = false,
        _ summary: String,
        example: String,
        _ work: Work
    ) {
        self.name = name
        self.parameters = parameters
        self.optional = optional
        self.isVarying = isVarying
        self.summary = summary
        self.example = example
        self.work = work
    }

    /// A use of it after `|`, where what stands before is its first value; nil if it is not used so.
    package var pipedExample: String? {
        example.firstRange(of: "| ").map { String(example[$0.upperBound...]) }
    }

    /// How many arguments it takes.
    var counts: ClosedRange<Int> { parameters.count - optional...parameters.count }

    /// The function with a name; nil if there is none.
    static func named(_ name: String) -> TemplateFunction? { table[name] }

    private static let table = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// All functions, in the order in which the reference has them.
    package static let all = [
        TemplateFunction(
            "uuid",
            isVarying: true,
            "A random UUID (RFC 9562, version 4).",
            example: "uuid",
            .value { _ in .string(UUID().uuidString.lowercased()) }
        ),
        TemplateFunction(
            "now",
            ["an offset", "a format"],
            optional: 2,
            isVarying: true,
            """
            The time, in UTC; an offset is added (`+1 day`, `-5 min`). A format is `iso` (as without one), `unix`, `unixms`, \
            `http`, or one of strftime, such as `%Y-%m-%d`.
            """,
            example: "now('+1 day', '%Y-%m-%d')",
            .value { arguments throws(Fault) in try now(arguments, at: Date()) }
        ),
        TemplateFunction(
            "random",
            ["the least", "the greatest"],
            optional: 2,
            isVarying: true,
            "A random whole number: from 0 to 999999, or from the least to the greatest.",
            example: "random(1, 6)",
            .value(random)
        ),
        TemplateFunction(
            "env",
            ["a name"],
            "The environment variable of that name, as a secret.",
            example: "env('HOME')",
            .environmentVariable
        ),
        TemplateFunction(
            "file",
            ["a path"],
            "The text of a file, from the workspace file's folder; at most 1 MiB. It is shown; a secret is a variable.",
            example: "file('query.graphql')",
            .file
        ),
        TemplateFunction(
            "default",
            ["a value", "another"],
            "The value, or the other where it has none or is empty.",
            example: "user | default('ada')",
            .fallback
        ),
        TemplateFunction(
            "base64",
            ["a text"],
            "The text in Base64 (RFC 4648, section 4).",
            example: "user | base64",
            .value { arguments throws(Fault) in
                .string(Data(try text(arguments).utf8).base64EncodedString())
            }
        ),
        TemplateFunction(
            "hex",
            ["a text"],
            "The bytes of the text in hexadecimal digits.",
            example: "user | hex",
            .value { arguments throws(Fault) in .string(hex(Array(try text(arguments).utf8))) }
        ),
        TemplateFunction(
            "url",
            ["a text"],
            "The text percent-encoded (RFC 3986), also where it would be sent as it is.",
            example: "user | url",
            .value { arguments throws(Fault) in
                .string(PercentEncoding.component(try text(arguments)))
            }
        ),
        TemplateFunction(
            "sha256",
            ["a text"],
            "The SHA-256 digest of the text in hexadecimal digits.",
            example: "user | sha256",
            .value { arguments throws(Fault) in .string(ContentDigest.hex(of: try text(arguments)))
            }
        ),
        TemplateFunction(
            "hmac",
            ["a text", "a key", "a notation"],
            optional: 1,
            "The keyed digest of the text (HMAC with SHA-256, RFC 2104) in hexadecimal digits, or in `base64`.",
            example: "user | hmac(key)",
            .value(hmac)
        ),
        TemplateFunction(
            "json",
            ["a value"],
            "The value as JSON: a text in quotes, with escapes.",
            example: "user | json",
            .value { .string($0[0].json) }
        ),
        TemplateFunction(
            "lower",
            ["a text"],
            "The text in small letters.",
            example: "user | lower",
            .value { arguments throws(Fault) in .string(try text(arguments).lowercased()) }
        ),
        TemplateFunction(
            "upper",
            ["a text"],
            "The text in capital letters.",
            example: "user | upper",
            .value { arguments throws(Fault) in .string(try text(arguments).uppercased()) }
        ),
    ]

    // MARK: What they do

    /// An argument as a text.
    private static func text(_ arguments: [Value], at index: Int = 0) throws(Fault) -> String {
        guard let text = arguments[index].scalarText else {
            throw Fault("takes a text, not \(arguments[index].kindName)")
        }
        return text
    }

    private static func now(_ arguments: [Value], at now: Date) throws(Fault) -> Value {
        var time = now
        if !arguments.isEmpty { time += try offset(try text(arguments)) }
        let format = arguments.count > 1 ? try text(arguments, at: 1) : "iso"
        let seconds = time.timeIntervalSince1970
        guard abs(seconds) < 1e14 else { throw Fault("is out of range") }
        switch format {
        case "iso": return .string(try formatted(seconds, "%Y-%m-%dT%H:%M:%SZ"))
        case "unix": return .number("\(Int(seconds.rounded(.down)))")
        case "unixms": return .number("\(Int((seconds * 1000).rounded(.down)))")
        case "http": return .string(try formatted(seconds, "%a, %d %b %Y %H:%M:%S GMT"))
        case _ where format.contains("%"): return .string(try formatted(seconds, format))
        default:
            let known = ["iso", "unix", "unixms", "http"]
            let meant = Suggestion.nearest(to: format, among: known)
            throw Fault(
                "knows no format `\(format)`"
                    + (meant.map { "; did you mean `\($0)`?" } ?? "; one is `%Y-%m-%d`")
            )
        }
    }

    /// `+1 day`, `-5 min` in seconds.
    private static func offset(_ text: String) throws(Fault) -> Double {
        let isNegative = text.hasPrefix("-")
        let rest = isNegative || text.hasPrefix("+") ? text.dropFirst() : text[...]
        guard let duration = Quantity.duration(String(rest.drop { $0 == " " })) else {
            throw Fault("cannot add `\(text)`; an offset is one like `+1 day` or `-5 min`")
        }
        return (duration / .seconds(1)) * (isNegative ? -1 : 1)
    }

    private static func formatted(_ seconds: Double, _ format: String) throws(Fault) -> String {
        var time = time_t(seconds.rounded(.down))
        var parts = tm()
        gmtime_r(&time, &parts)
        // A text of no length and one that is too long look alike.
        let bytes = [UInt8](unsafeUninitializedCapacity: 512) { buffer, count in
            count = buffer.withMemoryRebound(to: CChar.self) {
                strftime($0.baseAddress, $0.count, format, &parts)
            }
        }
        guard !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self) else {
            throw Fault("cannot write the time as `\(format)`")
        }
        return text
    }

    private static func random(_ arguments: [Value]) throws(Fault) -> Value {
        var bounds: [Int] = []
        for index in arguments.indices {
            let text = try text(arguments, at: index)
            guard let number = Int(text) else { throw Fault("takes whole numbers, not `\(text)`") }
            bounds.append(number)
        }
        guard bounds.count != 1 else { throw Fault("takes both the least and the greatest number") }
        let (least, greatest) = bounds.isEmpty ? (0, 999_999) : (bounds[0], bounds[1])
        guard least <= greatest else { throw Fault("finds nothing from \(least) to \(greatest)") }
        return .number("\(Int.random(in: least...greatest))")
    }

    private static func hmac(_ arguments: [Value]) throws(Fault) -> Value {
        let key = Array(try text(arguments, at: 1).utf8)
        let code = ContentDigest.authenticationCode(of: try text(arguments), key: key)
        let notation = arguments.count > 2 ? try text(arguments, at: 2) : "hex"
        switch notation {
        case "hex": return .string(hex(code))
        case "base64": return .string(Data(code).base64EncodedString())
        default: throw Fault("knows no notation `\(notation)`; one of `hex`, `base64`")
        }
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.reduce(into: "") { text, byte in
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}

/// What stands in `{{ … }}`.
indirect enum TemplateExpression: Sendable {
    case variable(String)
    case text(Value)
    case call(TemplateFunction, [TemplateExpression])

    /// The names of the variables in it.
    var names: [String] {
        switch self {
        case .variable(let name): [name]
        case .text: []
        case .call(_, let arguments): arguments.flatMap(\.names)
        }
    }

    /// Whether it is escaped for a URL already.
    var isEscaped: Bool {
        if case .call(let function, _) = self { function.name == "url" } else { false }
    }
}

/// Parses what stands between the braces of a template.
///
///     expression = source *( "|" call )
///     source     = call / text / number
///     call       = name [ "(" [ argument *( "," argument ) ] ")" ]
///     argument   = source
struct TemplateExpressionParser {
    /// What is wrong, in words for people.
    struct Fault: Error {
        let message: String
        var expected: String?
        var hint: String?
    }

    /// The expression, and whether it ends with `| raw`.
    struct Result {
        let expression: TemplateExpression
        let isRaw: Bool
    }

    private static let maximumDepth = 32
    private static let nameWords = "a name of letters, digits, `_` and `-`"
    private var rest: Substring

    private init(_ text: String) { rest = text[...] }

    static func parse(_ text: String) throws(Fault) -> Result {
        var parser = TemplateExpressionParser(text)
        return try parser.expression()
    }

    private mutating func expression() throws(Fault) -> Result {
        let whole = rest
        var value = try source(depth: 0)
        var isRaw = false
        var count = 0
        skipBlanks()
        if case .variable = value, !rest.isEmpty, rest.first != "|" {
            let words = TemplateParser.trimmed(whole.prefix { $0 != "|" })
            throw Fault(message: "`\(words)` is not a name", expected: Self.nameWords)
        }
        while rest.first == "|" {
            rest.removeFirst()
            skipBlanks()
            count += 1
            guard count <= Self.maximumDepth else {
                throw Fault(message: "more than \(Self.maximumDepth) functions in one `{{ }}`")
            }
            let name = self.name()
            if name == "raw" {
                isRaw = true
            } else {
                value = try call(name, on: value, depth: 0)
            }
            skipBlanks()
        }
        guard rest.isEmpty else {
            throw Fault(
                message: "`\(rest)` is not understood",
                expected: "`|` and a function, or the end `}}`"
            )
        }
        return Result(expression: value, isRaw: isRaw)
    }

    private mutating func source(depth: Int) throws(Fault) -> TemplateExpression {
        skipBlanks()
        guard depth < Self.maximumDepth else {
            throw Fault(message: "more than \(Self.maximumDepth) functions within one another")
        }
        guard let first = rest.first else {
            throw Fault(message: "`{{ }}` without a name", expected: Self.nameWords)
        }
        if first == "'" || first == "\"" { return .text(.string(try quoted(first))) }
        if first.isNumber || first == "-" || first == "+" {
            let number = String(rest.prefix { $0.isNumber || ".-+".contains($0) })
            guard Value.isNumber(number) else {
                throw Fault(message: "`\(number)` is not a number")
            }
            rest = rest.dropFirst(number.count)
            return .text(.number(number))
        }
        let name = self.name()
        guard TemplateParser.isName(name) else {
            let words = name.isEmpty ? rest : name + rest.prefix { $0 != " " && $0 != "|" }
            // `$uuid`, as other programs write it.
            let meant = TemplateFunction.named(String(words.drop { $0 == "$" }))
            throw Fault(
                message: "`\(words)` is not a name",
                expected: Self.nameWords,
                hint: meant.map { "did you mean `\($0.name)`?" }
            )
        }
        skipBlanks()
        return rest.first == "(" ? try call(name, on: nil, depth: depth) : .variable(name)
    }

    /// A call of a function; `value` is its first argument.
    private mutating func call(
        _ name: String,
        on value: TemplateExpression?,
        depth: Int
    ) throws(Fault) -> TemplateExpression {
        guard let function = TemplateFunction.named(name) else {
            let names = TemplateFunction.all.map(\.name) + ["raw"]
            throw Fault(
                message: name.isEmpty ? "a function is missing" : "`\(name)` is not a function",
                expected: Fields.list(names),
                hint: Suggestion.hint(for: name, among: names)
            )
        }
        var arguments = value.map { [$0] } ?? []
        skipBlanks()
        if rest.first == "(" {
            rest.removeFirst()
            skipBlanks()
            while rest.first != ")" {
                arguments.append(try source(depth: depth + 1))
                skipBlanks()
                if rest.first == "," {
                    rest.removeFirst()
                } else if rest.first != ")" {
                    throw Fault(message: "`\(name)(` has no `)`", expected: "`,` or `)`")
                }
                skipBlanks()
            }
            rest.removeFirst()
        }
        guard function.counts.contains(arguments.count) else {
            throw Fault(
                message: "`\(name)` is given \(arguments.count) values",
                expected: function.parameters.isEmpty
                    ? "none" : function.parameters.joined(separator: ", "),
                hint: "for example `{{ \(function.example) }}`"
            )
        }
        return .call(function, arguments)
    }

    private mutating func quoted(_ quote: Character) throws(Fault) -> String {
        let text = rest.dropFirst()
        guard let end = text.firstIndex(of: quote) else {
            throw Fault(message: "a text has no `\(quote)` at its end")
        }
        rest = text[text.index(after: end)...]
        return String(text[..<end])
    }

    private mutating func name() -> String {
        let name = rest.prefix { !" |(),'\"".contains($0) }
        rest = rest[name.endIndex...]
        return String(name)
    }

    private mutating func skipBlanks() { rest = rest.drop { $0 == " " } }
}
