/// A change of what a workspace's files have besides single requests: groups, targets, environments, variables.
///
/// A group or a target is named by its path, `Users/List`.
package enum WorkspaceChange: Sendable, Hashable {
    /// Make an empty group, and the groups around it that are missing.
    case makeGroup(String)
    /// Give a group or a target another name, other groups, or both.
    case move(String, to: String)
    /// Copy a group or a target.
    case copy(String, to: String)
    /// Delete a group with all that is in it, or a target.
    case delete(String)
    /// Put a group or a target before the one above it, or after the one below it.
    case shift(String, isDown: Bool)
    /// Expect something of a target's responses, as it is typed.
    case expect(String, of: Expectation.Subject, target: String)
    /// Remove what a target itself expects; of several comparisons of a value, one.
    case removeExpectation(Expectation.Subject, Expectation.Operator?, target: String)
    /// Make an environment, on top of another one or of none; an empty base URL is left out.
    case makeEnvironment(String, baseURL: String, extending: String?)
    /// Rename an environment.
    case renameEnvironment(String, to: String)
    /// Copy an environment.
    case copyEnvironment(String, to: String)
    /// Delete an environment.
    case deleteEnvironment(String)
    /// Set `baseURL`, `extends` or another setting of an environment, or of the defaults; an empty text removes it.
    case setSetting(String, String, environment: String?)
    /// Set a variable of an environment, or of the workspace; text in brackets is YAML.
    case setVariable(String, String, environment: String?)
    /// Rename a variable wherever it is defined and used.
    case renameVariable(String, to: String)
    /// Delete a variable of an environment, or of the workspace.
    case deleteVariable(String, environment: String?)

    /// What it has done, in words that follow "undone: ".
    package var done: String {
        switch self {
        case .makeGroup(let path): "made the group \(path)"
        case .move(let old, let new):
            Self.group(of: old) == Self.group(of: new)
                ? "renamed \(old) to \(Self.name(of: new))" : "moved \(old) to \(new)"
        case .copy(let old, let new): "copied \(old) to \(new)"
        case .delete(let path): "deleted \(path)"
        case .shift(let path, let isDown): "moved \(path) \(isDown ? "down" : "up")"
        case .expect(_, let subject, let target):
            "wrote what is expected of \(subject) in \(target)"
        case .removeExpectation(let subject, _, let target):
            "removed what is expected of \(subject) in \(target)"
        case .makeEnvironment(let name, _, let base):
            "made the environment \(name)\(base.map { " on top of \($0)" } ?? "")"
        case .renameEnvironment(let old, let new): "renamed the environment \(old) to \(new)"
        case .copyEnvironment(let old, let new): "copied the environment \(old) to \(new)"
        case .deleteEnvironment(let name): "deleted the environment \(name)"
        case .setSetting(let key, let value, let environment):
            "\(value.isEmpty ? "removed" : "set") \(key) of \(environment ?? "the defaults")"
        case .setVariable(let name, _, let environment):
            "set \(name) \(environment.map { "in \($0)" } ?? "for every environment")"
        case .renameVariable(let old, let new): "renamed the variable \(old) to \(new)"
        case .deleteVariable(let name, let environment):
            "deleted \(name) \(environment.map { "of \($0)" } ?? "of every environment")"
        }
    }

    private static func name(of path: String) -> Substring {
        path.split(separator: "/").last ?? path[...]
    }

    private static func group(of path: String) -> [Substring] {
        path.split(separator: "/").dropLast()
    }
}
