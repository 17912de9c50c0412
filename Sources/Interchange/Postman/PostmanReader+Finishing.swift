import Secrets
import Workspaces

/// A variable that a script before a request sets to a value that a template can say.
struct PostmanPreset {
    /// The variable's name in the file.
    let name: String
    let template: String
    /// The statement.
    let text: String
    /// The index of the request; nil for that of a folder.
    var target: Int?
}

extension PostmanReader {
    /// The workspace, with variables and environments.
    func finished() -> ImportedWorkspace {
        variables.aliases = [:]
        for (name, value) in pathValues.sorted(by: { $0.key < $1.key })
        where !variables.isKnown(name) {
            shared.append((name, value, false))
        }
        for (name, value, isSecret) in shared {
            variables.aliases = scopes[name] ?? [:]
            workspace.variables.append(member(name, value, isSecret))
        }
        variables.aliases = [:]
        for (name, values) in environments {
            var inner: [Value.Member] = []
            for (name, value, isSecret) in values {
                let member = member(name, value, isSecret)
                inner[member.name] = member.value
            }
            let settings: Value = .object(
                inner.isEmpty ? [] : [Value.Member("variables", .object(inner))]
            )
            workspace.environments[newName(name)] = settings
        }
        setPresets()
        workspace.breakCircles()
        let supplied = PostmanCaptures(captures, in: workspace, variables).supplied(&workspace)
        removeValues(of: supplied)
        for name in variables.unset where !supplied.contains(name) {
            workspace.variables[variables.names.name(of: name)] = .string("https://unset.invalid")
            workspace.losses.append(
                ImportLoss(
                    "a variable of a URL of OAuth 2",
                    "it has no value: give it one",
                    text: name
                )
            )
        }
        setDynamicValues()
        for table in tables { table.addBatch(to: &workspace, variables.names) }
        workspace.names = variables.names
        return workspace
    }

    /// A name for an environment that no other has.
    private func newName(_ name: String) -> String {
        let trimmed = name.inOneLine.trimmingBlanks
        let base = trimmed.isEmpty ? "environment" : trimmed
        var unique = base
        var number = 2
        while workspace.environments[unique] != nil {
            unique = "\(base) (\(number))"
            number += 1
        }
        return unique
    }

    private func setDynamicValues() {
        for (name, value) in variables.fixed where !variables.isKnown(name) {
            let own = variables.names.name(of: name)
            if workspace.variables[own] == nil { workspace.variables[own] = .string(value) }
            workspace.losses.append(
                ImportLoss(
                    "a dynamic variable",
                    "no function makes such values, so the same one stands for all",
                    text: "$\(name): \(value)"
                )
            )
        }
        for name in variables.unknown {
            workspace.losses.append(
                ImportLoss(
                    "a dynamic variable",
                    "no function makes such values, so it is asked for",
                    text: name
                )
            )
        }
    }

    /// Gives variables the values that scripts before requests set, if all of them say the same.
    private func setPresets() {
        let captured = Set(captures.map(\.name))
        var templates: [String: Set<String>] = [:]
        for preset in presets { templates[preset.name, default: []].insert(preset.template) }
        var losses: [Int: [ImportLoss]] = [:]
        var set: Set<String> = []
        for preset in presets {
            let reason: String
            if captured.contains(preset.name) {
                reason = "the variable is set from a response, too"
            } else if templates[preset.name]?.count != 1 {
                reason = "scripts set the variable to several values"
            } else {
                guard set.insert(preset.name).inserted else { continue }
                removeValues(of: [preset.name], for: "a script sets it before requests")
                let own = variables.names.name(of: preset.name)
                workspace.variables.append(Value.Member(own, .string(preset.template)))
                continue
            }
            let loss = ImportLoss("a script before the request", reason, text: preset.text)
            if let target = preset.target {
                losses[target, default: []].append(loss)
            } else {
                workspace.losses.append(loss)
            }
        }
        var index = 0
        PostmanCaptures.append(losses, to: &workspace.items, &index)
    }

    /// Removes values in the place of which there are others; what they were is listed.
    private func removeValues(
        of names: Set<String>,
        for reason: String = "its value comes from a response"
    ) {
        guard !names.isEmpty else { return }
        let own = Set(names.map { variables.names.name(of: $0) })
        func remaining(_ members: [Value.Member]) -> [Value.Member] {
            members.filter { member in
                guard own.contains(member.name) else { return true }
                if case .object(let source) = member.value {
                    return source["from"] != nil
                }
                guard case .string(let text) = member.value, !text.isEmpty else { return false }
                let isSecret = CredentialMask.isSecret(parameter: member.name)
                workspace.losses.append(
                    ImportLoss(
                        "the value of a variable",
                        reason,
                        text: isSecret ? member.name : "\(member.name): \(text)"
                    )
                )
                return false
            }
        }
        workspace.variables = remaining(workspace.variables)
        for index in workspace.environments.indices {
            guard case .object(var settings) = workspace.environments[index].value,
                case .object(let values)? = settings["variables"]
            else { continue }
            let rest = remaining(values)
            settings["variables"] = rest.isEmpty ? nil : .object(rest)
            let name = workspace.environments[index].name
            workspace.environments[index] = Value.Member(name, .object(settings))
        }
    }
}
