import Apus
import Documents
import Recordings
import Terminal
import Workspaces

/// A line of input above the footer.
struct LinePrompt {
    enum Purpose {
        /// A note about an exchange.
        case note(RecordedExchange.ID)
        /// The name of a session.
        case session
        /// The server that a session is shared on.
        case share(session: String)
        /// The server whose sessions are listed.
        case server
        /// How often a target is sent, and until when.
        case watch
        /// The file that a body goes to.
        case save(ResponseBody)
        /// Whether to replace an existing file.
        case replace(ResponseBody, path: String)
        /// A search in a tab of a response.
        case find
        /// The name of a new target for an edited one.
        case saveAs(CatalogID)
        /// The name of the file that saving makes.
        case newFile(FileUse)
        /// A request as text.
        case request
        /// A file of another program that is put into the workspace.
        case importFile
        /// The server by which workers get a batch.
        case workers
        /// The method and the URL of a new request.
        case newRequest
        /// A value that a request lacks.
        case missing(MissingValue)
        /// A new value of a cookie.
        case cookie(Cookie)
        /// The command that a body is sent through.
        case filter(FilterSource)
        /// A change of the workspace's files.
        case change(ChangeForm)
    }

    /// What a file is made for.
    enum FileUse: Sendable {
        /// To save an edit.
        case save(CatalogTarget, SaveDestination)
        /// To open what the catalog has in an editor.
        case edit
        /// To keep what the catalog has, as another program's file that is opened.
        case keep
        /// To put what was read from another program's file there.
        case importing(ReadImport)
        /// To make another change in it.
        case change(WorkspaceChange)
    }

    let purpose: Purpose
    var field: TextField
    /// Earlier input, the newest last.
    var entries: [String] = []
    /// The groups that tab puts before the name of a target.
    var groups: [String] = []
    /// The texts that tab goes through in place of what was typed.
    var choices: [String] = []
    /// The index of the recalled entry, and what was typed before it was recalled.
    private var recalled: (index: Int, typed: String)?
    /// The groups that tab goes through, the index of the inserted one, and the name after it.
    private var completing: (groups: [String], index: Int, name: String)?

    init(purpose: Purpose, field: TextField, entries: [String] = []) {
        self.purpose = purpose
        self.field = field
        self.entries = entries
    }

    /// Handles a key that writes or moves; returns whether it did.
    mutating func handle(_ key: Key) -> Bool {
        guard field.handle(key) else { return false }
        completing = nil
        // Other paths begin like what is typed now.
        if case .importFile = purpose { choices = [] }
        return true
    }

    /// Puts the next group before the name: one that begins like what was typed, or else any other.
    mutating func completeGroup() {
        let next = completing.map { ($0.groups, ($0.index + 1) % $0.groups.count, $0.name) }
        let found =
            next
            ?? { () -> ([String], Int, String) in
                let path = SavePath(field.text)
                let typed = (path.group ?? path.name).lowercased()
                let begun =
                    typed.isEmpty
                    ? []
                    : groups.filter {
                        $0.lowercased().hasPrefix(typed) && $0.lowercased() != typed
                    }
                let isName = path.group == nil && begun.isEmpty
                let others = groups.filter { $0 != path.group }
                return (
                    begun.isEmpty ? others : begun, 0, path.group == nil && !isName ? "" : path.name
                )
            }()
        guard found.0.indices.contains(found.1) else { return }
        completing = (found.0, found.1, found.2)
        field.text = "\(found.0[found.1])/\(found.2)"
    }

    /// Puts the next of the choices in place of what was typed.
    mutating func completeChoice() {
        guard !choices.isEmpty else { return }
        let index = choices.firstIndex(of: field.text).map { ($0 + 1) % choices.count }
        field.text = choices[index ?? 0]
    }

    /// Recalls an older or newer entry; after the newest comes what was typed before recalling.
    mutating func recall(older: Bool) {
        let start = recalled ?? (index: entries.count, typed: field.text)
        let index = start.index + (older ? -1 : 1)
        guard (0...entries.count).contains(index) else { return }
        field.text = index == entries.count ? start.typed : entries[index]
        recalled = (index, start.typed)
    }

    /// Whether the input is a secret.
    var isSecret: Bool {
        switch purpose {
        case .cookie: true
        case .missing(let missing): missing.isSecret
        case .change(let form): form.isSecret
        default: false
        }
    }

    /// The label before the input.
    var label: String {
        switch purpose {
        case .note: "Note:"
        case .session: "Session:"
        case .share: "Share on:"
        case .server: "Server:"
        case .watch: "Every:"
        case .find: "/"
        case .save: "Save the body as:"
        case .replace(_, let path): "\(path) already exists. Overwrite?"
        case .saveAs: "Save as:"
        case .newFile: "Workspace file:"
        case .request: "Request:"
        case .importFile: "Import:"
        case .workers: "Workers at:"
        case .newRequest: "New request:"
        case .missing(let missing): "\(missing.name):"
        case .cookie(let cookie): "\(cookie.name)="
        case .filter(let source): "\(source.name) |"
        case .change(let form): form.label
        }
    }

    /// Examples of other input, and their meaning.
    var examples: [(typed: String, meaning: String)] {
        if case .filter(let source) = purpose {
            let other = source.other.map { [("tab", $0.name)] } ?? []
            return other + (entries.isEmpty ? [] : [("up", "earlier input")])
        }
        if isSecret, field.isMasked { return [("alt+s", "show")] }
        if case .newRequest = purpose { return [("tab", "add it, and edit it first")] }
        if !choices.isEmpty { return [("tab", choices.prefix(4).joined(separator: ", "))] }
        if case .importFile = purpose { return [("tab", "complete the path")] }
        if case .session = purpose { return [("tab", "record and share it")] }
        if takesGroup {
            guard !groups.isEmpty else { return [] }
            let first = groups.prefix(4).joined(separator: ", ")
            return [("tab", groups.count > 4 ? "group: \(first), …" : "group: \(first)")]
        }
        guard case .watch = purpose else { return [] }
        return [
            ("5s until status:200", "a status"),
            ("1 min until $.state == \"done\"", "a value"),
        ]
    }

    /// What enter does, for the footer.
    var accepting: String {
        switch purpose {
        case .note: "keep the note"
        case .session: "record"
        case .share(let name): "record \(name), and share it"
        case .server: "list what is shared there"
        case .watch: "watch"
        case .find: "keep"
        case .save: "save"
        case .replace: "overwrite it if you typed y"
        case .saveAs(let id): SavePath(field.text).words(beside: id, known: groups)
        case .newFile(.save): "make it and save"
        case .newFile(.edit): "make it and open it"
        case .newFile(.change): "make it"
        case .newFile(.importing): "make it and import"
        case .newFile(.keep): "save everything there"
        case .request: "add it as a new request"
        case .importFile: "import it"
        case .workers: "have them send the batch"
        case .newRequest: "send it"
        case .missing: "send"
        case .cookie: "keep the value"
        case .filter: "run it"
        case .change(let form): form.accepting(field.text, known: groups)
        }
    }

    /// Whether tab puts groups before the name.
    var takesGroup: Bool {
        switch purpose {
        case .saveAs: true
        case .change(let form): form.takesGroup
        default: false
        }
    }
}

/// The name of a target as it is typed to save it: `Users/List`, or `List` for the group that it is in.
struct SavePath: Equatable {
    /// The group; nil if none is named, empty for a target outside of the groups.
    var group: String?
    var name: String

    init(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            .map { String($0).trimmed }
        name = parts.last ?? ""
        group = parts.count > 1 ? parts.dropLast().joined(separator: "/") : nil
    }

    /// The identity of the saved target; `id` is that of the one that is saved.
    func target(beside id: CatalogID) -> CatalogID {
        let own = SavePath(id.description).group ?? ""
        let path = group.map { $0.hasPrefix("/") ? String($0.dropFirst()) : $0 } ?? own
        return CatalogID(path.isEmpty ? name : "\(path)/\(name)")
    }

    /// What saving it does.
    func words(beside id: CatalogID, known groups: [String]) -> String {
        let group = SavePath(target(beside: id).description).group ?? ""
        if group.isEmpty { return "save it outside of the groups" }
        return groups.contains(group) ? "save it in \(group)" : "save it in the new group \(group)"
    }
}
