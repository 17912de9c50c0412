extension Workspace {
    /// The commands that its files have, which run only if the workspace is trusted, each once.
    package var commands: [ShellCommand] {
        var seen: Set<ShellCommand> = []
        let ofVariables = (variables + environments.flatMap(\.variables)).compactMap(\.command)
        return (ofVariables + signingCommands).filter { seen.insert($0).inserted }
    }

    /// Whether requests may need values that are asked for, run or sent for, or commands of the workspace.
    package var suppliesValues: Bool {
        !commands.isEmpty
            || (variables + environments.flatMap(\.variables)).contains { variable in
                if case .supplied = variable.content { true } else { false }
            }
    }

    /// The workspace with a supplier that keeps its values longer than it.
    package func keeping(valuesIn supplier: VariableSupplier) -> Workspace {
        var workspace = self
        workspace.supplier = supplier
        return workspace
    }
}

extension Variable {
    /// The command whose output it is; nil if it is none.
    fileprivate var command: ShellCommand? {
        guard case .supplied(.command(let command, _)) = content else { return nil }
        return command
    }
}
