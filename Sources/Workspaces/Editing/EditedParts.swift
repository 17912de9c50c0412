import Documents

/// Names the part of an edited target that each fault is in.
///
/// Lines and columns would be those of a text that no file has yet, and whoever types in a form thinks of its fields:
/// `a.apus.yaml:15:25: unknown variable` becomes "the field `X-B`: unknown variable".
struct EditedParts {
    private let source: SourceText
    private let target: [YAMLStep]

    /// `target` is the path of the target in the text.
    init(of source: SourceText, target: [YAMLStep]) {
        self.source = source
        self.target = target
    }

    /// The faults, each with the name of its part, unless it already names it.
    func naming(_ error: WorkspaceError) -> WorkspaceError {
        // A text that is not YAML has no parts.
        guard let root = try? YAMLValue.parse(source.text) else { return error }
        return WorkspaceError(
            error.problems.map { problem in
                guard problem.location.file == source.name,
                    let part = part(of: Self.keys(at: problem.location, in: root))
                else { return problem }
                var named = problem
                let name = part.split(separator: "`").dropFirst().first.map { "`\($0)`" } ?? part
                if !problem.message.contains(name) { named.message = "\(part): \(problem.message)" }
                return named
            }
        )
    }

    /// The keys around a position, outermost first.
    private static func keys(at place: SourceLocation, in root: YAMLValue) -> [String] {
        var keys: [String] = []
        var value = root
        while case .mapping(let members) = value.content {
            let inner = members.last { member in
                let start = member.key.place
                return (start.line, start.column) <= (place.line, place.column)
            }
            guard let inner else { break }
            keys.append(inner.key.text ?? "")
            // What an alias stands for is written elsewhere.
            guard inner.value.alias == nil else { break }
            value = inner.value
        }
        return keys
    }

    private func part(of keys: [String]) -> String? {
        guard keys.count >= target.count, zip(keys, target).allSatisfy({ .key($0) == $1 }) else {
            return nil
        }
        let rest = keys.dropFirst(target.count)
        let name = rest.dropFirst().first ?? ""
        switch rest.first {
        case nil, "request": return "the request line"
        case "headers": return "the field `\(name)`"
        case "query": return "the parameter `\(name)`"
        case "form", "multipart": return "the form's `\(name)`"
        case "auth": return "the credentials"
        case "json", "body", "graphql", "upload": return "the body"
        case let option?: return "`\(option)`"
        }
    }
}
