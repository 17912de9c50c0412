import Apus
import Documents

/// Looks for variables that nothing uses, and for places of a path that nothing fills in.
struct UseReview {
    let workspace: Workspace
    let log: ProblemLog

    /// Logs what it finds.
    func review() {
        let used = workspace.usedNames
        var seen: Set<String> = []
        // A file of environment variables may be there for other programs too.
        let files = Set(workspace.files)
        for variable in workspace.environments.flatMap(\.variables) + workspace.variables
        where !used.contains(variable.name) && files.contains(variable.span.source.name)
            && seen.insert(variable.name).inserted
        {
            warn(
                variable.span,
                "nothing uses the variable `\(variable.name)`",
                hint: Suggestion.hint(for: variable.name, among: used.sorted())
            )
        }
        for file in workspace.missingFiles {
            warn(
                file.span,
                "`envFile`: \(file.path) does not exist, so that its values are asked for",
                hint: "a line in it is `NAME=value`"
            )
        }
        let known = used.union(workspace.definedNames)
        for target in workspace.targets { review(target.path, known) }
    }

    /// Reports `/users/{id}` and `/users/:id`, as other programs write what is filled in.
    private func review(_ path: Template, _ known: Set<String>) {
        for case .literal(let text) in path.segments {
            // A port, and whatever is before it, is no part of the path.
            let start = text.firstRange(of: "://").map { mark in
                text[mark.upperBound...].firstIndex(of: "/") ?? text.endIndex
            }
            for part in text[(start ?? text.startIndex)...].prefix(while: { $0 != "?" })
                .split(separator: "/")
            {
                guard let name = Self.name(in: part), TemplateParser.isName(name) else { continue }
                report(String(part), name, path.span, isKnown: known.contains(name))
            }
        }
    }

    private static func name(in part: Substring) -> String? {
        if part.hasPrefix(":") { return String(part.dropFirst()) }
        if part.hasPrefix("{"), part.hasSuffix("}") { return String(part.dropFirst().dropLast()) }
        return nil
    }

    private func report(_ part: String, _ name: String, _ span: Span, isKnown: Bool) {
        let line = span.source.line(span.line) ?? ""
        let place = line.firstRange(of: "/\(part)").map { found in
            line[..<found.lowerBound].unicodeScalars.count + 2
        }
        let target = span
        let span =
            place.map {
                Span(span.source, line: span.line, column: $0, length: part.unicodeScalars.count)
            } ?? span
        var problem = Problem(
            span,
            "`\(part)` is sent as it stands",
            hint: isKnown
                ? "`{{ \(name) }}` stands for the variable"
                : "`{{ \(name) }}` is filled in, from `variables: { \(name): … }`"
        )
        problem.severity = .warning
        if isKnown, place != nil, Self.mayHaveBraces(line, at: target) {
            problem.fix = Problem.Fix(old: part, text: "{{ \(name) }}")
        }
        log.add(problem)
    }

    /// Whether braces can stand in a value: in quotes, or where no flow mapping or list would take them for its own.
    private static func mayHaveBraces(_ line: String, at span: Span) -> Bool {
        let scalars = Array(line.unicodeScalars)
        guard scalars.indices.contains(span.column - 1) else { return false }
        return scalars[span.column - 1] == "\"" || scalars[span.column - 1] == "'"
            || !scalars[..<(span.column - 1)].contains { $0 == "{" || $0 == "[" }
    }

    private func warn(_ span: Span, _ message: String, hint: String? = nil) {
        var problem = Problem(span, message, hint: hint)
        problem.severity = .warning
        log.add(problem)
    }
}
