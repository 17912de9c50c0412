package import Apus
import Secrets

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

    private func exportResolver(in environment: String) -> TargetResolver {
        TargetResolver(
            workspace: self,
            environment: self.environment(environment),
            purpose: .sending,
            log: ProblemLog()
        )
    }
}
