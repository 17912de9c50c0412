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
    /// The file that the first save makes; nil if it is there.
    var file: NewWorkspaceFile?
    /// Whether it has edits that no file has, so that places in its text are none in a file.
    var isEdited = false

    /// The workspace with the values and cookies that were added since.
    var current: Workspace {
        workspace.supplying(values.all).keeping(cookiesIn: values.cookies)
    }

    /// Whether places in the text are places in a file.
    var hasPlaces: Bool { !isEdited && workspace.isSavable && !workspace.isNew }

    /// The same, with an edited workspace.
    func edited(_ workspace: Workspace) -> OpenWorkspace {
        OpenWorkspace(workspace: workspace, values: values, file: file, isEdited: true)
    }

    /// A place in a file; nil if there is no file that an editor could open.
    func place(_ location: SourceLocation) -> FilePlace? {
        hasPlaces ? FilePlace(location) : nil
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
        let edited = try orProblem(hasPlaces: false) { () throws(WorkspaceError) in
            try open.current.editing(id, to: EditableTarget(draft))
        }
        try self.init(id, at: place, in: open.edited(edited))
    }

    /// A new target.
    init(
        _ draft: TargetDraft,
        named name: String,
        in open: OpenWorkspace
    ) throws(CatalogProblem) {
        let name = name.split(separator: "/").joined(separator: " ")
        let (added, id) = try orProblem(hasPlaces: false) { () throws(WorkspaceError) in
            try open.current.adding(EditableTarget(draft), named: name)
        }
        // No file has it yet.
        try self.init(id, at: nil, in: open.edited(added))
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
            try orProblem(hasPlaces: false) { () throws(WorkspaceError) in
                let path = open.file?.path
                switch destination {
                case .inPlace: try edited.save(newFile: path)
                case .beside(let name): try edited.copying(id, to: name).0.save(newFile: path)
                }
            }
        }
    }
}

extension TargetDraft {
    init(_ target: EditableTarget) {
        self.init(withoutInherited: target)
        inheritedAuthorization = target.inheritedAuthorization.map {
            InheritedAuthorization(Authorization($0.authorization), from: $0.source)
        }
    }

    private init(withoutInherited target: EditableTarget) {
        self.init(
            method: target.method,
            url: target.url,
            headers: target.headers.map { Row($0) },
            query: target.query.map { Row($0) },
            authorization: Authorization(target.authorization),
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

extension TargetDraft.Authorization {
    fileprivate init(_ authorization: EditableTarget.Authorization) {
        self =
            switch authorization {
            case .inherited: .inherited
            case .none: .none
            case .bearer(let token): .bearer(token)
            case .basic(let user, let password): .basic(user: user, password: password)
            case .digest(let user, let password): .digest(user: user, password: password)
            }
    }
}

extension TargetDraft.Row {
    fileprivate init(_ row: EditableTarget.Row) {
        self.init(
            row.name,
            row.value,
            inheritedFrom: row.inheritedFrom,
            standard: row.standard
        )
    }
}

extension EditableTarget {
    init(_ draft: TargetDraft) {
        self.init(
            method: draft.method,
            url: draft.url,
            headers: draft.headers.map { Row($0) },
            query: draft.query.map { Row($0) },
            authorization: Authorization(draft.authorization),
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

extension EditableTarget.Authorization {
    fileprivate init(_ authorization: TargetDraft.Authorization) {
        self =
            switch authorization {
            case .inherited: .inherited
            case .none: .none
            case .bearer(let token): .bearer(token)
            case .basic(let user, let password): .basic(user: user, password: password)
            case .digest(let user, let password): .digest(user: user, password: password)
            }
    }
}

extension EditableTarget.Row {
    fileprivate init(_ row: TargetDraft.Row) {
        self.init(
            row.name,
            row.value,
            inheritedFrom: row.inheritedFrom,
            standard: row.standard
        )
    }
}
