import Secrets

/// What can be seen and changed of a workspace's environments and variables.
extension Workspace {
    /// A variable as it is defined for an environment, or another setting of it.
    package struct Definition: Sendable, Hashable {
        /// Its name.
        package let name: String
        /// What the file has: a text, or YAML in brackets; empty if no file that can be changed here has it.
        package let written: String
        /// Its value with secrets masked; empty if it has none yet.
        package let shown: String
        /// Whether its value must not be shown.
        package let isSecret: Bool
        /// The environment that defines it; nil for the workspace.
        package let environment: String?
        /// Where it is defined; nil if it is in no file.
        package let location: SourceLocation?
        /// Whether it can be changed here.
        package let isEditable: Bool
        /// What sets it in place of a file, in words; nil if nothing does.
        package var note: String?
    }

    /// The variables that hold in an environment, sorted by name; of nil, only the workspace's own.
    package func definitions(in name: String?) -> [Definition] {
        var editors: [String: YAMLEditor] = [:]
        for source in sources { editors[source.name] = YAMLEditor(source.text) }
        var shown: [String: String] = [:]
        for variable in variables(in: name ?? "") { shown[variable.name] = variable.text }
        let environment = name.map { self.environment($0) }
        let own = environment?.variables ?? []
        let names = Set(own.map(\.name))
        let all = own + variables.filter { !names.contains($0.name) }
        let definitions = all.map { variable -> Definition in
            let origin = environment.flatMap { self.origin(of: variable, in: $0) }
            var path: [YAMLStep] = []
            if let origin { path = [.key("environments"), .key(origin)] }
            path += [.key("variables"), .key(variable.name)]
            let value = editors[variable.span.source.name]?.value(at: path)
            let isSecret = isSecret(variable.name, in: name ?? "")
            return Definition(
                name: variable.name,
                written: value.map { $0.scalarText ?? YAMLWriter().flow($0) } ?? "",
                shown: isSecret ? CredentialMask.mask : shown[variable.name] ?? "",
                isSecret: isSecret,
                environment: origin,
                location: variable.span.location,
                isEditable: value != nil,
                note: note(on: variable.name)
            )
        }
        return definitions.sorted { $0.name < $1.name }
    }

    private func note(on name: String) -> String? {
        if overrides[name] != nil { return "set by the command" }
        return session[name] == nil ? nil : "entered here, until apus ends"
    }

    /// The settings of an environment that are shown beside its variables; of nil, those of the defaults.
    package func settings(of name: String?) -> [Definition] {
        let names = name == nil ? ["baseURL"] : ["baseURL", "extends", "danger"]
        let edit = WorkspaceEdit(self)
        return names.map { key -> Definition in
            var prefix: [YAMLStep] = [.key("defaults")]
            if let name { prefix = [.key("environments"), .key(name)] }
            let own = edit.value(at: prefix + [.key(key)])
            let inherited = own == nil && key == "baseURL" ? inheritedBaseURL(of: name) : nil
            let text = own.map { $0.scalarText ?? YAMLWriter().flow($0) } ?? ""
            return Definition(
                name: key,
                written: text,
                shown: CredentialMask().masking(url: own == nil ? inherited?.text ?? "" : text),
                isSecret: false,
                environment: own == nil ? inherited?.origin : name,
                location: nil,
                isEditable: name == nil || edit.value(at: prefix) != nil
            )
        }
    }

    /// The base URL that an environment has from those that it extends, or else from the defaults.
    private func inheritedBaseURL(of name: String?) -> (text: String, origin: String?)? {
        guard let name else { return nil }
        var current = environment(name)
        while let parent = current.parent?.name,
            let next = environments.first(where: { $0.name == parent })
        {
            let edit = WorkspaceEdit(self)
            if edit.value(at: [.key("environments"), .key(parent), .key("baseURL")]) != nil {
                return (next.settings.baseURL?.text ?? "", parent)
            }
            current = next
        }
        return defaults.baseURL.map { ($0.text, nil) }
    }

    /// The environment that defines a variable of another one, which may extend it.
    private func origin(of variable: Variable, in environment: Environment) -> String? {
        guard environment.variables.contains(where: { $0.span.location == variable.span.location })
        else { return nil }
        var current = environment
        while let parent = current.parent?.name,
            let next = environments.first(where: { $0.name == parent }),
            next.variables.contains(where: { $0.span.location == variable.span.location })
        {
            current = next
        }
        return current.name
    }

    /// What an environment extends; nil if it extends none.
    package func base(ofEnvironment name: String) -> String? { environment(name).parent?.name }

    /// The base URL of an environment as it is written, also if it has it from another; nil if it has none.
    package func baseURL(ofEnvironment name: String) -> String? {
        (environment(name).settings.baseURL ?? defaults.baseURL).map {
            CredentialMask().masking(url: $0.text)
        }
    }
}
