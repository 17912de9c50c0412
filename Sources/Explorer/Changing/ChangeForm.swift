import Documents
import Terminal
import TreeView
import Workspaces

/// A change of the files that is typed in the input line.
enum ChangeForm {
    /// The path of a new group.
    case group
    /// The new path of a group or a target.
    case move(ChangedItem)
    /// The path of a copy of a group or a target.
    case copy(ChangedItem)
    /// The name of a new environment and, after a blank, its base URL; on top of another one.
    case environment(extending: String?)
    case renameEnvironment(String)
    case copyEnvironment(String)
    /// A setting of an environment, or of the defaults.
    case setting(String, environment: String?)
    /// `name=value` of a new variable; of an environment, or of the workspace.
    case variable(environment: String?)
    case renameVariable(String)
    case value(Workspace.Definition, environment: String?)
    /// What is expected of a part of a target's responses.
    case expectation(Expectation.Subject, target: String)
}

/// A group or a target of the list, by its path.
struct ChangedItem: Hashable {
    var path: String
    var isGroup: Bool

    /// Its name without the groups around it.
    var name: String { SavePath(path).name }
    /// What it is, in words: "the group Users".
    var words: String { isGroup ? "the group \(path)" : path }
}

extension ChangeForm {
    /// The label before the input.
    var label: String {
        switch self {
        case .group: "New group:"
        case .move(let item): "Rename or move \(item.name):"
        case .copy(let item): "Copy \(item.name) to:"
        case .environment: "New environment (name, or name and URL):"
        case .renameEnvironment(let name): "Rename \(name):"
        case .copyEnvironment(let name): "Copy \(name) as:"
        case .setting(let key, let environment): "\(key) of \(environment ?? "the defaults"):"
        case .variable(let environment):
            "New variable \(environment.map { "of \($0)" } ?? "of every environment"):"
        case .renameVariable(let name): "Rename \(name):"
        case .value(let variable, let environment):
            environment == variable.environment
                ? "\(variable.name)=" : "\(variable.name) for \(environment ?? "all"):"
        case .expectation(let subject, _):
            "Expect \(TextWidth.cut(subject.description, to: 40, .start)):"
        }
    }

    /// What enter does, for the footer.
    func accepting(_ text: String, known groups: [String]) -> String {
        switch self {
        case .group: "make it"
        case .move(let item):
            Self.group(of: Self.target(text, item)) == Self.group(of: item.path)
                ? "rename it" : Self.words("move it", Self.target(text, item), groups)
        case .copy(let item): Self.words("copy it", Self.target(text, item), groups)
        case .environment(let base): base.map { "make it, on top of \($0)" } ?? "make it"
        case .renameEnvironment, .renameVariable: "rename it wherever it is named"
        case .copyEnvironment: "copy it"
        case .setting, .value: "keep the value"
        case .variable: "add it"
        case .expectation(_, let target):
            "write it to \(ChangedItem(path: target, isGroup: false).name)"
        }
    }

    /// Whether tab goes through the groups.
    var takesGroup: Bool {
        switch self {
        case .group, .move, .copy: true
        default: false
        }
    }

    /// Whether the input is a secret.
    var isSecret: Bool {
        guard case .value(let variable, _) = self else { return false }
        // `{ env: NAME }` only says where the secret is.
        return variable.isSecret && !variable.written.hasPrefix("{")
    }

    /// The change that a text means; nil if nothing changes.
    ///
    /// - Throws: What is wrong with the text, in words.
    func change(_ typed: String) throws(CatalogError) -> WorkspaceChange? {
        let text = typed.trimmed
        switch self {
        case .group:
            guard !text.isEmpty else { throw CatalogError("a group needs a name") }
            return .makeGroup(text)
        case .move(let item):
            let path = Self.target(text, item)
            try Self.check(path)
            return path == item.path ? nil : .move(item.path, to: path)
        case .copy(let item):
            let path = Self.target(text, item)
            try Self.check(path)
            return .copy(item.path, to: path)
        case .environment(let base):
            guard !text.isEmpty else { throw CatalogError("an environment needs a name") }
            guard let blank = text.lastIndex(of: " "), text[blank...].contains("/") else {
                return .makeEnvironment(text, baseURL: "", extending: base)
            }
            let url = String(text[blank...]).trimmed
            return .makeEnvironment(String(text[..<blank]).trimmed, baseURL: url, extending: base)
        case .renameEnvironment(let old):
            return text == old ? nil : .renameEnvironment(old, to: text)
        case .copyEnvironment(let name): return .copyEnvironment(name, to: text)
        case .setting(let key, let environment):
            return .setSetting(key, text, environment: environment)
        case .variable(let environment):
            guard let sign = text.firstIndex(of: "="), sign > text.startIndex else {
                throw CatalogError("type a name and a value, as in user=7")
            }
            let name = String(text[..<sign]).trimmed
            let value = String(text[text.index(after: sign)...]).trimmed
            return .setVariable(name, value, environment: environment)
        case .renameVariable(let old): return text == old ? nil : .renameVariable(old, to: text)
        case .value(let variable, let environment):
            return typed == variable.written && variable.environment == environment
                ? nil : .setVariable(variable.name, typed, environment: environment)
        case .expectation(let subject, let target):
            guard !text.isEmpty else { throw CatalogError("type what is expected, or press esc") }
            return .expect(text, of: subject, target: target)
        }
    }

    private static func check(_ path: String) throws(CatalogError) {
        guard !path.isEmpty, !path.hasSuffix("/") else {
            throw CatalogError("type a name after the group, as in Users/List")
        }
    }

    /// The path that is meant: a name alone stays in its group, and `/name` is outside of the groups.
    private static func target(_ text: String, _ item: ChangedItem) -> String {
        SavePath(text).target(beside: CatalogID(item.path)).description
    }

    private static func group(of path: String) -> String { SavePath(path).group ?? "" }

    private static func words(_ verb: String, _ path: String, _ groups: [String]) -> String {
        let group = group(of: path)
        if group.isEmpty { return "\(verb) outside of the groups" }
        return groups.contains(group) ? "\(verb) to \(group)" : "\(verb) to the new group \(group)"
    }
}

/// A question before something is deleted.
struct ChangeQuestion {
    enum Answer {
        case change(WorkspaceChange)
        /// Drop a request that is in no file.
        case drop(CatalogID)
    }

    /// What is asked: "Delete Users/List?".
    let text: String
    /// What `y` does.
    let answer: Answer

    static let hints: [FooterHints.Hint] = [.init("y", "delete"), .init("esc", "keep it")]
}
