import Yams

/// Turns a file's text into nodes with places, with every problem positioned.
///
/// Yams copies an alias's node at every use and compares whole nodes to find
/// equal keys, which a small file can make exponential. So its aliases are
/// hidden from it: each `*` becomes a private character of the same width, and
/// `YAMLTreeBuilder` resolves them within a budget. Yams also stops at the first
/// pair of equal keys: the later key is masked, and it reads again.
struct YAMLReader {
    /// Stands for `*`; a private character means nothing in a text.
    static let hiddenStar: Unicode.Scalar = "\u{10FE00}"
    /// Stands for each character of a key that was there before, one for each such key.
    ///
    /// After so many it is enough: each is one more reading of the file.
    static let maskedKeys: ClosedRange<Unicode.Scalar> = "\u{10FF00}"..."\u{10FF13}"
    private static let maximumSize = 4 << 20

    let source: SourceText
    let log: ProblemLog

    /// The root; nil if the file is empty or cannot be read as YAML.
    func read() -> YAMLNode? {
        guard source.text.utf8.count <= Self.maximumSize else {
            log.add(Problem(file: source.name, "the file is larger than 4 MiB"))
            return nil
        }
        if let line = source.lines.firstIndex(where: {
            $0.unicodeScalars.contains { $0 >= Self.hiddenStar }
        }) {
            log.add(
                Span(source, line: line + 1, column: 1),
                "private characters from U+10FE00 on are not allowed"
            )
            return nil
        }
        var text = KeyMask.replacing("*", with: Self.hiddenStar, in: source.text)
        for mask in Unicode.Scalar.all(in: Self.maskedKeys) {
            switch compose(text) {
            case .read(let node): return node
            case .failed: return nil
            case .repeated(let key, let line, let column):
                guard let masked = reportRepeated(key, line, column, in: text, mask: mask) else {
                    return nil
                }
                text = masked
            }
        }
        return nil
    }

    private enum Outcome {
        case read(YAMLNode?)
        case failed
        case repeated(String, line: Int, column: Int)
    }

    private func compose(_ text: String) -> Outcome {
        do {
            // `.basic`, because the default resolver matches every key with regular expressions.
            let parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
            // Nodes refer weakly to their anchors, which the parser owns.
            return try withExtendedLifetime(parser) {
                guard let root = try parser.singleRoot() else { return .read(nil) }
                var builder = YAMLTreeBuilder(source: source, log: log)
                return .read(builder.build(root))
            }
        } catch let YamlError.duplicatedKeysInMapping(duplicates, context) {
            return .repeated(
                duplicates.first ?? "",
                line: context.mark.line,
                column: context.mark.column
            )
        } catch {
            log.add(YAMLSyntaxProblem.problem(error, source))
            return .failed
        }
    }

    /// Reports the second key and masks it; nil if it cannot be found.
    private func reportRepeated(
        _ key: String,
        _ line: Int,
        _ column: Int,
        in text: String,
        mask: Unicode.Scalar
    ) -> String? {
        let shown = KeyMask.replacing(Self.hiddenStar, with: "*", in: key)
        var finder = RepeatedKeyFinder(text: text, key: key)
        guard let found = finder.find(afterLine: line, column: column) else {
            log.add(
                Span(source, line: line, column: column, length: shown.unicodeScalars.count),
                "the key `\(shown)` is there twice"
            )
            return nil
        }
        log.add(
            Span(source, line: found.line, column: found.column, length: found.length),
            "the key `\(shown)` is there twice",
            hint: "the first one is in line \(line)"
        )
        return finder.masking(found, with: mask)
    }
}

extension Unicode.Scalar {
    static func all(in range: ClosedRange<Unicode.Scalar>) -> [Unicode.Scalar] {
        (range.lowerBound.value...range.upperBound.value).compactMap(Unicode.Scalar.init)
    }
}

/// Yams' errors as problems of ours.
enum YAMLSyntaxProblem {
    static func problem(_ error: any Error, _ source: SourceText) -> Problem {
        switch error as? YamlError {
        case .scanner(let context, let problem, let mark, _),
            .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            syntax(problem, context: context?.text, at: mark, source)
        case .reader(let problem, let offset, let value, _):
            reading(problem, offset: offset, value: value, source)
        case .memory:
            Problem(file: source.name, "not valid YAML: it is nested too deeply")
        default:
            Problem(file: source.name, "not valid YAML: \(error)")
        }
    }

    private static func syntax(
        _ problem: String,
        context: String?,
        at mark: Mark,
        _ source: SourceText
    ) -> Problem {
        let span = Span(source, line: mark.line, column: mark.column)
        let scalars = Array((source.line(mark.line) ?? "").unicodeScalars)
        let isTab = scalars.indices.contains(mark.column - 1) && scalars[mark.column - 1] == "\t"
        let indent = scalars.prefix { $0 == " " || $0 == "\t" }
        let detail =
            switch problem {
            case _ where problem.hasPrefix("but found another"): "a second document"
            case _ where problem.hasPrefix("Maximum nesting"): "nested too deeply"
            default: context.map { "\(problem) \($0)" } ?? problem
            }
        return Problem(
            span,
            "not valid YAML: \(detail)",
            hint: isTab || indent.contains("\t")
                ? "YAML is indented with spaces, never with tabs" : hint(for: problem)
        )
    }

    private static func hint(for problem: String) -> String? {
        switch problem {
        case "mapping values are not allowed in this context":
            "is it indented as its neighbours are? a text with `: ` in it needs quotes"
        case "found character that cannot start any token":
            "a text that begins with this character needs quotes"
        case "found unknown escape character":
            "in double quotes `\\` begins an escape: write `\\\\`, or take single quotes"
        case "but found another document": "one file holds one workspace"
        default: nil
        }
    }

    private static func reading(
        _ problem: String,
        offset: Int?,
        value: Int32,
        _ source: SourceText
    ) -> Problem {
        let before = source.text.prefix(max(0, offset ?? 0))
        let line = before.count(where: \.isNewline) + 1
        let start = before.lastIndex(where: \.isNewline).map(before.index(after:))
        let column = before[(start ?? before.startIndex)...].unicodeScalars.count + 1
        let code = value >= 0 ? " (U+\(String(value, radix: 16, uppercase: true)))" : ""
        return Problem(
            Span(source, line: line, column: column),
            "not valid YAML: \(problem)\(code)"
        )
    }
}
