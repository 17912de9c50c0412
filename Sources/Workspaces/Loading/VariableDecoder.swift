/// Reads `variables` and `set`, and checks the names of variables.
struct VariableDecoder {
    let log: ProblemLog
    let secrets: SecretReader
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
        read.entries(node, "`set`").compactMap { entry in
            guard isName(entry) else { return nil }
            return Assignment(
                name: entry.key,
                span: entry.keySpan,
                value: TemplateValue(entry.value, log)
            )
        }
    }

    func isName(_ entry: YAMLNode.Entry) -> Bool {
        guard !TemplateParser.isName(entry.key) else { return true }
        log.add(
            entry.keySpan,
            "`\(entry.key)` is not a name",
            expected: "a name of letters, digits, `_` and `-`"
        )
        return false
    }

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
        case .mapping: return secret(entry)
        }
    }

    private func secret(_ entry: YAMLNode.Entry) -> Variable.Content? {
        let fields = Fields(
            entry.value,
            of: .secret,
            "the secret `\(entry.key)`",
            log: log
        )
        guard let fields else { return nil }
        switch (fields["env"], fields["file"]) {
        case (let name?, nil):
            return read.text(name, "`env`")
                .map { .secret(secrets.secret(environmentVariable: $0)) }
        case (nil, let path?):
            return read.text(path, "`file`").map {
                let path = TextFile.resolve($0, besideFile: path.span.source.name)
                return .secret(secrets.secret(file: path))
            }
        default:
            guard fields.misspelt.isEmpty else { return nil }
            log.add(
                entry.value.span,
                "the secret `\(entry.key)` needs one origin",
                expected: "`{ env: NAME }` or `{ file: path }`"
            )
            return nil
        }
    }
}
