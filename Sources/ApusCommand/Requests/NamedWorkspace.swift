import Workspaces

/// A workspace in one of its environments, asked for things by their names.
struct NamedWorkspace: Sendable {
    /// The workspace.
    let workspace: Workspace
    /// The environment's name.
    let environment: String

    /// A target with everything filled in.
    ///
    /// - Parameters:
    ///   - name: Its groups and its name (`Users/Show user`), or its name alone if no other has it.
    ///   - values: Values over the workspace's variables.
    /// - Returns: The target.
    /// - Throws: `WorkspaceFault` if there is none of the name, or something in it has no value.
    func target(
        named name: String,
        values: [String: Value] = [:]
    ) throws(WorkspaceFault) -> WorkspaceTarget {
        let found = try definition(named: name)
        do throws(WorkspaceError) {
            return try workspace.resolve(found, in: environment, captured: values)
        } catch {
            throw WorkspaceFault(error)
        }
    }

    /// Whether `target(named:values:)` would find one, or more than one.
    func hasTarget(named name: String) -> Bool {
        workspace.targets.contains { $0.name == name || $0.id.rawValue == name }
    }

    private func definition(named name: String) throws(WorkspaceFault) -> TargetDefinition {
        if let definition = workspace.definition(TargetID(name)) { return definition }
        let named = workspace.targets.filter { $0.name == name }
        switch named.count {
        case 1: return named[0]
        case 0:
            throw WorkspaceFault(
                named: name,
                kind: "target",
                among: workspace.targets.map(\.id.rawValue)
            )
        default:
            let ids = named.map { "“\($0.id)”" }.joined(separator: ", ")
            throw WorkspaceFault("there is more than one target “\(name)”: \(ids)")
        }
    }
}

extension WorkspaceFault {
    init(_ text: String) { self.init(description: text, line: text) }

    init(_ error: WorkspaceError) {
        self.init(
            description: error.description,
            line: error.problems.map(\.summary).joined(separator: "; ")
        )
    }

    /// There is none of that name; says which there are.
    init(named name: String, kind: String, among names: [String]) {
        let few = names.prefix(8).map { "“\($0)”" }.joined(separator: ", ")
        let rest = names.count > 8 ? " and \(names.count - 8) more" : ""
        self.init(
            names.isEmpty
                ? "the workspace has no \(kind)"
                : "there is no \(kind) “\(name)”; there are \(few)\(rest)"
        )
    }
}
