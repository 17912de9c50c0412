import Documents
import Secrets

/// Reads `variables` and `set`, and checks the names of variables.
struct VariableDecoder {
    let log: ProblemLog
    let secrets: SecretReader
    /// The targets that variables name.
    let targets = ReferredTargets()
    private var read: NodeReader { NodeReader(log: log) }

    init(log: ProblemLog, secrets: SecretReader) {
        self.log = log
        self.secrets = secrets
    }

    func variables(_ node: YAMLNode?) -> [Variable] {
        read.entries(node, "`variables`").compactMap { entry in
            guard isName(entry) else { return nil }
            // Defined even if its value cannot be read, so that its uses are not reported too.
            let content =
                content(entry) ?? .secret(Secret(origin: "", value: nil, fault: nil))
            return Variable(name: entry.key, span: entry.keySpan, content: content)
        }
    }

    /// Reads `set`: values for the requests of a batch entry or a step.
    func assignments(_ node: YAMLNode?) -> [Assignment] {
        AssignmentDecoder(log: log).assignments(node, "`set`")
    }

    func isName(_ entry: YAMLNode.Entry) -> Bool { AssignmentDecoder(log: log).isName(entry) }

    private func content(_ entry: YAMLNode.Entry) -> Variable.Content? {
        switch entry.value.content {
        case .scalar: return .value(TemplateValue(entry.value, log))
        case .sequence:
            log.add(
                entry.value.span,
                "the variable `\(entry.key)` cannot be a list",
                expected: "a string, a number, true or false, or a secret (`{ env: NAME }`)"
            )
            return nil
        case .mapping(let entries):
            switch Self.section(of: entries) {
            case .question: return question(entry)
            case .response: return response(entry)
            default: return secret(entry)
            }
        }
    }

    /// What a mapping is, by most of its keys.
    private static func section(of entries: [YAMLNode.Entry]) -> FormatSection.ID {
        let counts = [FormatSection.ID.secret, .question, .response].map { id in
            let names = FormatSection[id].names
            return (id: id, count: entries.count { names.contains($0.key) })
        }
        let most = counts.map(\.count).max()
        return counts.first { $0.count == most }?.id ?? .secret
    }

    private func secret(_ entry: YAMLNode.Entry) -> Variable.Content? {
        let fields = Fields(
            entry.value,
            of: .secret,
            "the secret `\(entry.key)`",
            log: log
        )
        guard let fields else { return nil }
        let limit = read.timeLimit(fields["timeout"], "`timeout`")
        switch (fields["env"], fields["file"], fields["command"]) {
        case (let name?, nil, nil):
            return read.text(name, "`env`")
                .map { .secret(secrets.secret(environmentVariable: $0)) }
        case (nil, let path?, nil):
            return read.text(path, "`file`").map {
                let path = TextFile.resolve($0, besideFile: path.span.source.name)
                return .secret(secrets.secret(file: path))
            }
        case (nil, nil, let command?):
            return read.text(command, "`command`").map { text in
                let folder = TextFile.folder(of: command.span.source.name)
                let limit = limit?.duration ?? Self.commandLimit
                return .supplied(.command(ShellCommand(text, in: folder), limit: limit))
            }
        default:
            guard fields.misspelt.isEmpty else { return nil }
            log.add(
                entry.value.span,
                "the secret `\(entry.key)` needs one origin",
                expected: "`{ env: NAME }`, `{ file: path }` or `{ command: \"…\" }`"
            )
            return nil
        }
    }

    /// How long a command may run: time enough to unlock a store of passwords.
    private static let commandLimit = Duration.seconds(60)

    private func question(_ entry: YAMLNode.Entry) -> Variable.Content? {
        let what = "the question `\(entry.key)`"
        guard let fields = Fields(entry.value, of: .question, what, log: log) else { return nil }
        let choices = read.list(fields["choices"], "`choices`")?.compactMap { node in
            read.text(node, "a choice")
        }
        let isSecret = read.boolean(fields["secret"], "`secret`")
        let standard = read.text(fields["default"], "`default`")
        guard let ask = fields["ask"] else {
            guard fields.misspelt.isEmpty else { return nil }
            log.add(entry.value.span, "\(what) has no `ask`", expected: "what is asked for")
            return nil
        }
        guard let text = read.text(ask, "`ask`") else { return nil }
        if let choices, choices.isEmpty, let node = fields["choices"] {
            log.add(node.span, "`choices` cannot be empty", expected: "the values to choose from")
        }
        if let choices, let standard, !choices.contains(standard), let node = fields["default"] {
            log.add(
                node.span,
                "`default` cannot be `\(standard)`",
                expected: Fields.list(choices),
                hint: Suggestion.hint(for: standard, among: choices)
            )
        }
        let question = Question(
            name: entry.key,
            text: text,
            isSecret: isSecret ?? CredentialMask.isSecret(parameter: entry.key),
            choices: choices ?? [],
            standard: standard
        )
        return .supplied(.question(question))
    }

    private func response(_ entry: YAMLNode.Entry) -> Variable.Content? {
        let what = "the variable `\(entry.key)`"
        guard let fields = Fields(entry.value, of: .response, what, log: log) else { return nil }
        let lifetime = read.timeLimit(fields["expires"], "`expires`")
        let path = read.capturePath(fields["capture"], "`capture`")
        for name in ["from", "capture"]
        where fields[name] == nil && !fields.misspelt.contains(name) {
            log.add(
                entry.value.span,
                "\(what) has no `\(name)`",
                expected: "`{ from: Login, capture: $.token }`"
            )
        }
        guard let from = fields["from"], let target = read.text(from, "`from`"), let path else {
            return nil
        }
        targets.add(target, from.span)
        let origin = ResponseOrigin(
            target: TargetID(target),
            capture: path,
            lifetime: lifetime?.duration
        )
        return .supplied(.response(origin))
    }
}

/// The names of targets that variables have their values from, with their places, to be looked up at the end.
final class ReferredTargets {
    private(set) var all: [(name: String, span: Span)] = []

    func add(_ name: String, _ span: Span) { all.append((name, span)) }
}

/// Reads values for some requests alone: `set`, and rows of tables.
struct AssignmentDecoder {
    let log: ProblemLog

    /// Reads a mapping of variables and values, which messages call `what`.
    func assignments(_ node: YAMLNode?, _ what: String) -> [Assignment] {
        NodeReader(log: log).entries(node, what).compactMap { entry in
            guard isName(entry) else { return nil }
            return Assignment(
                name: entry.key,
                span: entry.keySpan,
                value: TemplateValue(entry.value, log)
            )
        }
    }

    /// Whether the key is a variable's name; if not, it is logged.
    func isName(_ entry: YAMLNode.Entry) -> Bool {
        guard !TemplateParser.isName(entry.key) else { return true }
        log.add(
            entry.keySpan,
            "`\(entry.key)` is not a name",
            expected: "a name of letters, digits, `_` and `-`"
        )
        return false
    }
}
