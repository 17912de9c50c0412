import Apus
import Workspaces

/// Writes a Postman collection (v2.1), and a file for each environment.
package enum PostmanExporter: Exporter {
    package static let name = "postman"
    package static let abstract = "a Postman collection (v2.1) with its environments"
    package static let fileExtension = "postman_collection.json"
    package static let keepsVariables = true

    package static func export(_ workspace: ExportedWorkspace) -> ExportOutput {
        let writer = PostmanWriter(workspace)
        let collection = writer.collection
        var output = ExportOutput(text: collection.prettyJSON + "\n", losses: writer.losses)
        output.files = writer.environments
        return output
    }

    static let schema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
}

/// Writes the parts of a collection.
final class PostmanWriter {
    private let workspace: ExportedWorkspace
    var losses: [(target: String, loss: ImportLoss)]
    /// The variables that are set by responses: the target's id and what its script captures.
    private var captures: [String: [PostmanTests.Captured]] = [:]
    private var captured: Set<String> = []
    /// The variables that stand in the collection and that no environment has, such as those for what Postman has no
    /// function for.
    private var used: [ExportVariable] = []
    private var declared: Set<ExportVariable>
    /// The name of the variable that stands for `{{`, once it is needed.
    private var braces: String?

    init(_ workspace: ExportedWorkspace) {
        self.workspace = workspace
        declared = Set(workspace.environments.flatMap(\.values).map(\.variable))
        losses = workspace.losses + workspace.lostFlows("a collection", hasChains: true)
        for (_, request) in workspace.requests { findCaptures(in: request) }
        for chain in workspace.chains {
            losses += chain.losses.map { (chain.name, $0) }
            for step in chain.steps {
                findCaptures(in: step)
                captured.formUnion(step.captures.map(\.name))
            }
        }
    }

    /// Finds the variables that come from responses, which their targets capture.
    private func findCaptures(in request: ExportedRequest) {
        for variable in request.variables {
            let source = variable.workspaceName.flatMap {
                request.reader.workspace.source(of: $0, in: workspace.environment)
            }
            guard case .response(let target, let path)? = source,
                captured.insert(variable.name).inserted
            else { continue }
            captures[target.rawValue, default: []].append((variable.name, path))
        }
    }

    // MARK: The collection

    var collection: Value {
        var items = workspace.items.map { item($0) }
        if !workspace.chains.isEmpty {
            items.append(
                .object([
                    Value.Member("name", .string("Chains")),
                    Value.Member("item", .array(workspace.chains.map { chain($0) })),
                ])
            )
        }
        var info = [Value.Member("name", .string(workspace.name))]
        if let note = workspace.note { info.append(Value.Member("description", .string(note))) }
        info.append(Value.Member("schema", .string(PostmanExporter.schema)))
        var members = [
            Value.Member("info", .object(info)), Value.Member("item", .array(items)),
        ]
        // After the items, which may need variables of their own.
        let variables = variables(
            of: workspace.environments.first { $0.name == workspace.environment }
        )
        if !variables.isEmpty { members.append(Value.Member("variable", .array(variables))) }
        return .object(members)
    }

    private func chain(_ chain: ExportedWorkspace.Chain) -> Value {
        var members = [Value.Member("name", .string(chain.name))]
        if let summary = chain.summary {
            members.append(Value.Member("description", .string(summary)))
        }
        members.append(
            Value.Member(
                "item",
                .array(
                    chain.steps.map { item($0, captures: $0.captures.map { ($0.name, $0.path) }) }
                )
            )
        )
        return .object(members)
    }

    private func item(_ item: ExportedWorkspace.Item) -> Value {
        switch item {
        case .request(let request):
            return self.item(request, captures: captures[request.id] ?? [])
        case .group(let group):
            var members = [Value.Member("name", .string(group.name))]
            if let note = group.note { members.append(Value.Member("description", .string(note))) }
            members.append(Value.Member("item", .array(group.items.map { self.item($0) })))
            return .object(members)
        }
    }

    private func item(_ request: ExportedRequest, captures: [PostmanTests.Captured]) -> Value {
        var members = [Value.Member("name", .string(request.name))]
        let lines = PostmanTests(self, request).lines(capturing: captures)
        if !lines.isEmpty {
            let script: Value = .object([
                Value.Member("type", .string("text/javascript")),
                Value.Member("exec", .array(lines.map { .string($0) })),
            ])
            members.append(
                Value.Member(
                    "event",
                    .array([
                        .object([
                            Value.Member("listen", .string("test")),
                            Value.Member("script", script),
                        ])
                    ])
                )
            )
        }
        let behavior = behavior(of: request)
        if !behavior.isEmpty {
            members.append(Value.Member("protocolProfileBehavior", .object(behavior)))
        }
        members.append(Value.Member("request", .object(self.request(request))))
        members.append(Value.Member("response", .array([])))
        return .object(members)
    }

    /// Lists what a request's file cannot say.
    func lose(_ kind: String, _ reason: String, _ text: String = "", of request: ExportedRequest) {
        losses.append((request.id, ImportLoss(kind, reason, text: text)))
    }

    /// A path as the collection names it.
    func path(_ path: String) -> String { workspace.path(path) }

    // MARK: Texts

    /// A text with variables as Postman writes them.
    func text(_ text: ExportText, of request: ExportedRequest) -> String {
        text.spelled(literal: self.literal) { piece in
            switch piece {
            case .text(let text): text
            case .variable(let variable): used(variable)
            case .call(let call): self.call(call, of: request)
            }
        }
    }

    /// A variable, which must be declared.
    private func used(_ variable: ExportVariable) -> String {
        if declared.insert(variable).inserted { used.append(variable) }
        return "{{\(variable.name)}}"
    }

    /// A text of which nothing is a variable: Postman cannot escape braces, so that a variable stands for them.
    func literal(_ text: String) -> String {
        let parts = text.utf8.split(separator: "{{".utf8, omittingEmptySubsequences: false)
        guard parts.count > 1 else { return text }
        let name = braces ?? freeName("openingBraces")
        braces = name
        return parts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "{{\(name)}}")
    }

    private func freeName(_ name: String) -> String {
        let taken = Set(workspace.environments.flatMap(\.values).map(\.variable.name))
        var free = name
        while taken.contains(free) { free += "_" }
        return free
    }

    private func call(_ call: ExportCall, of request: ExportedRequest) -> String {
        let arguments = call.arguments.map(\.literal)
        switch (call.function, arguments) {
        case ("uuid", []): return "{{$guid}}"
        case ("now", []), ("now", ["iso"]): return "{{$isoTimestamp}}"
        case ("now", ["unix"]): return "{{$timestamp}}"
        case ("random", ["0", "1000"]): return "{{$randomInt}}"
        default: break
        }
        if let value = call.value {
            lose(
                "a value that is made each time",
                "Postman has no such function, so it is always the same",
                call.function,
                of: request
            )
            return literal(value)
        }
        lose(
            "a value that is made of a secret",
            "Postman has no such function: set the variable \(call.variable.name)",
            call.function,
            of: request
        )
        return used(call.variable)
    }

    // MARK: Variables

    private func variables(of environment: ExportedWorkspace.Environment?) -> [Value] {
        var rows = values(of: environment)
        if let braces { rows.append(Self.row(braces, "{{", isSecret: false)) }
        for variable in used where !captured.contains(variable.name) {
            rows.append(Self.row(variable.name, "", isSecret: variable.isSecret))
        }
        return rows
    }

    private func values(of environment: ExportedWorkspace.Environment?) -> [Value] {
        (environment?.values ?? []).compactMap { variable, value in
            guard !captured.contains(variable.name) else { return nil }
            let text = value?.spelled(literal: self.literal) { piece in
                switch piece {
                case .text(let text): text
                case .variable(let other): "{{\(other.name)}}"
                case .call(let call): call.value ?? ""
                }
            }
            return Self.row(variable.name, text ?? "", isSecret: variable.isSecret)
        }
    }

    private static func row(_ name: String, _ value: String, isSecret: Bool) -> Value {
        .object([
            Value.Member("key", .string(name)), Value.Member("value", .string(value)),
            Value.Member("type", .string(isSecret ? "secret" : "default")),
        ])
    }

    /// The files of the environments, if there are more than the collection itself says.
    var environments: [(name: String, text: String)] {
        let named = workspace.environments.filter { !$0.values.isEmpty }
        guard workspace.environments.count > 1 else { return [] }
        var taken: Set<String> = []
        return named.map { environment in
            var file = environment.name.map { "/\\:\0".contains($0) ? "-" : String($0) }.joined()
            if file.hasPrefix(".") { file = "-" + file.dropFirst() }
            // Some file systems take small and capital letters for one.
            while !taken.insert(file.lowercased()).inserted { file += "-2" }
            let rows = values(of: environment).map { row -> Value in
                guard case .object(let members) = row else { return row }
                return .object(members + [Value.Member("enabled", .boolean(true))])
            }
            let value: Value = .object([
                Value.Member("name", .string(environment.name)),
                Value.Member("values", .array(rows)),
                Value.Member("_postman_variable_scope", .string("environment")),
            ])
            return ("\(file).postman_environment.json", value.prettyJSON + "\n")
        }
    }
}
