package import Workspaces

/// What an importer read from a file of another program: targets and what they need, as a workspace says it.
///
/// Values stand for what is written in a workspace file: keys of the format (`apus help workspace`), and texts that are
/// templates. What a file says literally goes through `ImportNames.literal(_:)` first.
package struct ImportedWorkspace: Sendable {
    /// The format, with its version if the file says one: "OpenAPI 3.0", "Postman 2.1".
    package var format: String
    /// The name of the whole; nil for that of the file.
    package var name: String?
    /// What the file says about the whole, in Markdown.
    package var note: String?
    /// The names of its variables.
    ///
    /// Those that are used and have no value anywhere are asked for when they are needed.
    package var names = ImportNames()
    /// Variables, by their names in templates.
    package var variables: [Value.Member] = []
    /// Environments, each a mapping; the first is the one that is used without `-e`.
    package var environments: [Value.Member] = []
    /// The settings of all targets.
    package var defaults: [Value.Member] = []
    /// Groups and targets in the order of the file.
    package var items: [ImportedItem] = []
    /// Batches and chains as a workspace has them.
    package var batches: [Value.Member] = []
    package var chains: [Value.Member] = []
    /// What is not carried over and belongs to no target.
    package var losses: [ImportLoss] = []

    /// Makes a workspace without targets.
    package init(format: String) {
        self.format = format
    }
}

/// A group or a target.
package enum ImportedItem: Sendable {
    case group(ImportedGroup)
    case target(ImportedTarget)
}

/// A group of targets.
package struct ImportedGroup: Sendable {
    /// The name as the file has it; what a workspace does not allow is changed when it is written.
    package var name: String
    /// What the file says about it, in Markdown.
    package var note: String?
    /// The settings of all its targets.
    package var defaults: [Value.Member] = []
    /// Its groups and targets in the order of the file.
    package var items: [ImportedItem] = []
    /// What is not carried over of the group itself.
    package var losses: [ImportLoss] = []

    /// Makes an empty group.
    package init(name: String) {
        self.name = name
    }
}

/// A target: the keys that a workspace file has under its name.
package struct ImportedTarget: Sendable {
    /// The name as the file has it; what a workspace does not allow is changed when it is written.
    package var name: String
    /// The request line, such as `GET {{ baseUrl }}/users/{{ id }}?page=2`.
    package var request: String
    /// What the file says about it, in Markdown.
    package var note: String?
    /// All keys of the target but `request` and `note`, such as `headers`, `json`, `auth` and `expect`.
    package private(set) var members: [Value.Member] = []
    /// What is not carried over.
    package var losses: [ImportLoss] = []

    /// Makes a target.
    package init(name: String, request: String) {
        self.name = name
        self.request = request
    }

    /// The value of a key; setting nil removes it.
    package subscript(key: String) -> Value? {
        get { members.first { $0.name == key }?.value }
        set { members[key] = newValue }
    }
}

/// Something of the source that has no place in a workspace.
///
/// It is kept in the note of its target or group, and listed by `apus import`.
package struct ImportLoss: Sendable, Hashable {
    /// What kind of thing it is, in a few words by which losses are grouped: "a script", "a WebSocket request".
    package var kind: String
    /// Why it has no place, or what stands for it, as a sentence without its period.
    package var reason: String
    /// The text of it, to be kept; empty if there is none.
    package var text: String
    /// Its line in the source, from 1; nil if there is none.
    package var line: Int?

    /// Makes a loss.
    package init(_ kind: String, _ reason: String, text: String = "", line: Int? = nil) {
        self.kind = kind
        self.reason = reason
        self.text = text
        self.line = line
    }
}

extension ImportLoss {
    /// A line where a header field should stand.
    static func noField(_ text: String, line: Int?) -> ImportLoss {
        ImportLoss("a line", "it is no header field", text: text, line: line)
    }
}

extension [Value.Member] {
    /// The value of a name, of which there is one at most; setting nil removes it.
    package subscript(name: String) -> Value? {
        get { first { $0.name == name }?.value }
        set {
            let index = firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): self[index] = Value.Member(name, value)
            case (let index?, nil): remove(at: index)
            case (nil, let value?): append(Value.Member(name, value))
            case (nil, nil): break
            }
        }
    }

    /// Adds a value for a name that may have several: a second one makes a list, as `query` and `headers` allow it.
    package mutating func append(_ value: Value, for name: String) {
        switch self[name] {
        case nil: self[name] = value
        case .array(let values)?: self[name] = .array(values + [value])
        case let first?: self[name] = .array([first, value])
        }
    }
}
