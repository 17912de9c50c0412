package import Apus
package import Secrets

/// Where the value of a variable comes from, for programs that have variables of their own.
package enum VariableSource: Sendable, Hashable {
    /// The file says it.
    case value
    /// A secret of an environment variable.
    case environmentVariable(String)
    /// A secret from elsewhere: "the file secrets/token".
    case secret(String)
    /// The output of a command.
    case command(String)
    /// A person is asked.
    case question(Question)
    /// The response of another target.
    case response(target: TargetID, capture: CapturePath)
}

extension Workspace {
    /// The names of the variables of an environment, the workspace's first, in the order of the files.
    package func definedVariables(in environment: String) -> [String] {
        var seen: Set<String> = []
        return (variables + self.environment(environment).variables).map(\.name)
            .filter { seen.insert($0).inserted }
    }

    /// Where the value of a variable comes from in an environment; nil if it defines none of this name.
    package func source(of name: String, in environment: String) -> VariableSource? {
        let all = self.environment(environment).variables + variables
        switch all.first(where: { $0.name == name })?.content {
        case nil: return nil
        case .value: return .value
        case .secret(let secret):
            return secret.environmentVariable.map { .environmentVariable($0) }
                ?? .secret(secret.origin)
        case .supplied(.command(let command, _)): return .command(command.text)
        case .supplied(.question(let question)): return .question(question)
        case .supplied(.response(let origin)):
            return .response(target: origin.target, capture: origin.capture)
        }
    }

    /// The value of a variable in an environment, in which there may be marks of others; nil if it has none, or is
    /// a secret that is not to be shown.
    package func value(ofVariable name: String, in environment: String) -> Value? {
        if let override = overrides[name] { return override }
        let resolver = exportResolver(in: environment)
        guard case .variable(let variable) = resolver.scope[name] else { return nil }
        var evaluation = resolver.evaluation(in: resolver.scope)
        switch variable.content {
        case .value(let template): return evaluation.value(template)?.value
        case .secret(let secret):
            return marks?.hidesSecrets == true ? nil : secret.value.map { .string($0) }
        case .supplied: return nil
        }
    }

    /// What paths are added to in an environment, in which there may be marks; nil if it says nothing.
    package func baseURL(in environment: String) -> String? {
        let resolver = exportResolver(in: environment)
        var evaluation = resolver.evaluation(in: resolver.scope)
        return resolver.shared.baseURL.flatMap { evaluation.text($0)?.text }
    }

    /// How a target proves who sends it; nil if something has no value.
    package func authorization(
        of target: TargetDefinition,
        in environment: String
    ) -> ExportedAuthorization? {
        let resolver = exportResolver(in: environment)
        let settings = layers(of: target, in: resolver.environment).map(\.settings)
        // `defaults: none` leaves the credentials of all others.
        let used = target.takesDefaults ? settings : [target.ownSettings]
        let setting = used.reduce(RequestSettings()) { $0.overridden(by: $1) }.authorization
        var export = AuthorizationExport(
            evaluation: resolver.evaluation(in: resolver.scope),
            reader: secrets
        )
        return export.export(setting)
    }

    /// The settings of a target that say how it is sent and what becomes of its response, by the keys of the files; the
    /// text of one that is more than a word is empty.
    package func writtenSettings(
        of target: TargetDefinition,
        in environment: String
    ) -> [(key: String, text: String)] {
        let layers = layers(of: target, in: self.environment(environment)).map(\.settings)
        let used = target.takesDefaults ? layers : [target.ownSettings]
        let written = used.reduce(RequestSettings()) { $0.overridden(by: $1) }.written
        var settings = written.filter { !["baseURL", "defaults"].contains($0.key) }.map { entry in
            if case .scalar(let text, _) = entry.value.content {
                (entry.key, text)
            } else {
                (entry.key, "")
            }
        }
        if target.usedSample != nil { settings.append(("sample", "")) }
        if !target.sentRows.isEmpty { settings.append(("rows", "\(target.sentRows.count) rows")) }
        return settings
    }

    /// The parts of a GraphQL body, in which there may be marks; nil for other bodies.
    package func graphQL(
        of target: TargetDefinition,
        in environment: String
    ) -> (query: String, operation: String?, variables: Value?)? {
        guard case .graphQL(let setting) = target.sentBody else { return nil }
        let resolver = exportResolver(in: environment)
        var evaluation = resolver.evaluation(in: resolver.scope)
        guard let query = evaluation.text(setting.query)?.text else { return nil }
        return (
            query, setting.operation.flatMap { evaluation.text($0)?.text },
            setting.variables.flatMap { evaluation.value($0)?.value }
        )
    }

    /// The names and values of a web form, in which there may be marks; nil for other bodies.
    package func form(of target: TargetDefinition, in environment: String) -> [Value.Member]? {
        guard case .form(let members) = target.sentBody else { return nil }
        let resolver = exportResolver(in: environment)
        var evaluation = resolver.evaluation(in: resolver.scope)
        return members.flatMap { member -> [Value.Member] in
            guard let value = evaluation.value(member.value)?.value else { return [] }
            if case .array(let values) = value {
                return values.map { Value.Member(member.name, $0) }
            }
            return [Value.Member(member.name, value)]
        }
    }

    /// Whether the body is written as JSON.
    package func hasJSONBody(_ target: TargetDefinition) -> Bool {
        if case .json = target.sentBody { true } else { false }
    }

    /// Whether a name is that of a variable that must not leave in clear, in any environment.
    package func isSecretAnywhere(_ name: String) -> Bool {
        rules.contains(name) || environments.contains { isSecret(name, in: $0.name) }
    }

    /// What a function makes of values, without marks; nil if it makes nothing of them.
    package static func value(ofFunction name: String, _ arguments: [Value]) -> Value? {
        guard let function = TemplateFunction.named(name), case .value(let work) = function.work
        else { return nil }
        return try? work(arguments)
    }

    /// The workspace with the values that commands, people and responses supplied so far; secret ones only if they are
    /// asked for.
    package func keepingSuppliedValues(in environment: String, withSecrets: Bool) -> Workspace {
        let supplied = supplier.values(in: environment, withSecrets: withSecrets)
        return setting(values: supplied.merging(overrides) { $1 })
    }

    // MARK: What must not leave

    /// The credentials that stand in its files, and what each is called there, in their order.
    package var literalCredentials: [(value: String, kind: String)] {
        sources.enumerated().flatMap { number, source in
            FoundCredential.all(in: source.text, number: number).map { ($0.value, $0.kind) }
        }
    }

    /// What its own rules say is secret, and these secrets and those that it reads, wherever they stand.
    package func mask(adding secrets: some Sequence<String>) -> CredentialMask {
        // A shorter one may be an ordinary word elsewhere.
        let known = knownSecrets.union(secrets)
            .filter { $0.utf8.count >= CredentialMask.shortestElsewhere }
        return CredentialMask(secrets: Array(known), rules: rules)
    }

    /// The environment variables that its files name: `{ env: NAME }`, `env('NAME')`.
    package var namedEnvironmentVariables: Set<String> {
        var names: Set<String> = []
        for source in sources {
            var rest = source.text.utf8[...]
            while let word = rest.firstRange(of: "env".utf8) {
                rest = rest[word.upperBound...]
                let name = rest.drop { " (:'\"".utf8.contains($0) }
                guard name.startIndex > rest.startIndex else { continue }
                let letters = name.prefix { byte in
                    (0x41...0x5A).contains(byte & 0xDF) || (0x30...0x39).contains(byte)
                        || byte == UInt8(ascii: "_")
                }
                names.insert(String(decoding: letters, as: UTF8.self))
            }
        }
        return names
    }

    /// The path of a file from the root, without symbolic links in the folders that are there.
    package static func absolutePath(_ path: String) -> String {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
        let folder = slash.map { String(path[..<$0]) } ?? "."
        let isRoot = path.utf8.first == UInt8(ascii: "/")
        if let real = TextFile.realPath(folder.isEmpty ? "/" : folder) {
            return real == "/" ? "/\(name)" : "\(real)/\(name)"
        }
        guard !isRoot, let here = TextFile.realPath(".") else { return path }
        return "\(here)/\(path)"
    }

    private func exportResolver(in environment: String) -> TargetResolver {
        TargetResolver(
            workspace: self,
            environment: self.environment(environment),
            purpose: .sending,
            log: ProblemLog()
        )
    }
}
