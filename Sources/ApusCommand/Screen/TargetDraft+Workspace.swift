import Apus
import Explorer
import Synchronization
import Workspaces

/// What is kept until the program ends: values entered for variables without one, and cookies.
final class SessionValues: Sendable {
    private let values = Mutex<[String: String]>([:])
    /// A jar for each environment, in memory.
    let cookies = CookieJars.ofSession()

    var all: [String: String] { values.withLock { $0 } }

    func supply(_ value: String, for name: String) { values.withLock { $0[name] = value } }
}

/// A workspace in the explorer, as its files have it or as edited.
struct OpenWorkspace: Sendable {
    /// The workspace as it was read or edited.
    let workspace: Workspace
    let values: SessionValues

    /// The workspace with the values and cookies that were added since.
    var current: Workspace {
        workspace.supplying(values.all).keeping(cookiesIn: values.cookies)
    }

    func environment(_ index: Int) -> String {
        let environments = workspace.environments
        return environments.indices.contains(index) ? environments[index].name : ""
    }
}

extension CatalogEdit {
    /// An edited target.
    init(
        _ draft: TargetDraft,
        of id: TargetID,
        at place: FilePlace?,
        in open: OpenWorkspace
    ) throws(CatalogProblem) {
        let edited = try orProblem { () throws(WorkspaceError) in
            try open.current.editing(id, to: EditableTarget(draft))
        }
        try self.init(id, at: place, in: OpenWorkspace(workspace: edited, values: open.values))
    }

    /// A new target.
    init(
        _ draft: TargetDraft,
        named name: String,
        in open: OpenWorkspace
    ) throws(CatalogProblem) {
        let name = name.split(separator: "/").joined(separator: " ")
        let (added, id) = try orProblem(isWritten: false) { () throws(WorkspaceError) in
            try open.current.adding(EditableTarget(draft), named: name)
        }
        // No file has it yet.
        try self.init(id, at: nil, in: OpenWorkspace(workspace: added, values: open.values))
    }

    private init(
        _ id: TargetID,
        at place: FilePlace?,
        in open: OpenWorkspace
    ) throws(CatalogProblem) {
        let edited = open.workspace
        guard let definition = edited.definition(id) else {
            throw CatalogProblem("there is no target `\(id)` any more")
        }
        self.init(target: CatalogTarget(definition, at: place, of: open))
        guard edited.isSavable else { return }
        save = { destination throws(CatalogProblem) in
            try orProblem { () throws(WorkspaceError) in
                switch destination {
                case .inPlace: try edited.save()
                case .beside(let name): try edited.copying(id, to: name).0.save()
                }
            }
        }
    }
}

extension TargetDraft {
    init(_ target: EditableTarget) {
        self.init(
            method: target.method,
            url: target.url,
            headers: target.headers.map { Row($0) },
            query: target.query.map { Row($0) },
            authorization: {
                switch target.authorization {
                case .inherited: .inherited
                case .none: .none
                case .bearer(let token): .bearer(token)
                case .basic(let user, let password): .basic(user: user, password: password)
                case .digest(let user, let password): .digest(user: user, password: password)
                }
            }(),
            body: {
                switch target.body {
                case .none: .none
                case .text(let text): .text(text)
                case .json(let text): .json(text)
                case .form(let rows): .form(rows.map { Row($0) })
                case .multipart(let rows): .multipart(rows.map { Row($0) })
                case .graphQL(let query, let variables, let operation):
                    .graphQL(query: query, variables: variables, operation: operation)
                case .file(let path): .file(path)
                }
            }(),
            options: target.options.map { Row($0) }
        )
    }
}

extension TargetDraft.Row {
    fileprivate init(_ row: EditableTarget.Row) {
        self.init(row.name, row.value, inheritedFrom: row.inheritedFrom)
    }
}

extension EditableTarget {
    init(_ draft: TargetDraft) {
        self.init(
            method: draft.method,
            url: draft.url,
            headers: draft.headers.map { Row($0) },
            query: draft.query.map { Row($0) },
            authorization: {
                switch draft.authorization {
                case .inherited: .inherited
                case .none: .none
                case .bearer(let token): .bearer(token)
                case .basic(let user, let password): .basic(user: user, password: password)
                case .digest(let user, let password): .digest(user: user, password: password)
                }
            }(),
            body: {
                switch draft.body {
                case .none: .none
                case .text(let text): .text(text)
                case .json(let text): .json(text)
                case .form(let rows): .form(rows.map { Row($0) })
                case .multipart(let rows): .multipart(rows.map { Row($0) })
                case .graphQL(let query, let variables, let operation):
                    .graphQL(query: query, variables: variables, operation: operation)
                case .file(let path): .file(path)
                }
            }(),
            options: draft.options.map { Row($0) }
        )
    }
}

extension EditableTarget.Row {
    fileprivate init(_ row: TargetDraft.Row) {
        self.init(row.name, row.value, inheritedFrom: row.inheritedFrom)
    }
}
