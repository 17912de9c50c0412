import Apus
import Synchronization
import Terminal

@testable import Explorer

/// A catalog of one request that can be edited: a draft in memory stands for the file.
final class EditableCatalog: Sendable {
    /// What was saved, in order.
    var saves: [(draft: TargetDraft, destination: CatalogEdit.Destination)] {
        saved.withLock { $0 }
    }

    private let saved = Mutex<[(draft: TargetDraft, destination: CatalogEdit.Destination)]>([])

    static let item = CatalogID("Users/Create user")

    static let draft = TargetDraft(
        method: "POST",
        url: "{{ baseURL }}/users",
        headers: [
            TargetDraft.Row("Accept", "application/json", inheritedFrom: "defaults"),
            TargetDraft.Row("X-Tenant", "{{ tenant }}"), TargetDraft.Row("X-API-Key", "s3cr3t-k3y"),
        ],
        query: [TargetDraft.Row("page", "1"), TargetDraft.Row("size", "20")],
        authorization: .bearer("{{ token }}"),
        body: .json(
            """
            {
              "name": "Ada",
              "email": "ada@example.org",
              "age": 36,
              "roles": ["admin", "editor"],
              "password": "hunter22"
            }
            """
        ),
        options: [TargetDraft.Row("timeout", "5 s"), TargetDraft.Row("redirects", nil)]
    )

    /// The catalog, with other drafts for the request and its neighbor.
    func catalog(
        _ draft: TargetDraft = EditableCatalog.draft,
        hasTarget: Bool = true,
        canSave: Bool = true
    ) -> Catalog {
        let targets =
            (hasTarget ? [target(Self.item, draft, canSave)] : [])
            + [target(CatalogID("Users/Other"), TargetDraft(method: "GET", url: "/other"), canSave)]
        return Catalog(
            name: "Editable",
            environments: ["local", "staging"],
            nodes: [.group(name: "Users", targets.map { .target($0) })],
            make: { [self] name, draft throws(CatalogProblem) in
                try edit(target(CatalogID("New/\(name)"), draft, canSave), draft, canSave)
            },
            variables: { environment in
                [
                    CatalogVariable(name: "baseURL", value: "http://127.0.0.1:8080"),
                    CatalogVariable(name: "tenant", value: environment == 0 ? "acme" : "umbrella"),
                    CatalogVariable(name: "token", value: "t0k3n", isSecret: true),
                ]
            }
        )
    }

    private func target(_ id: CatalogID, _ draft: TargetDraft, _ canSave: Bool) -> CatalogTarget {
        CatalogTarget(
            id: id,
            name: String(id.description.split(separator: "/").last ?? ""),
            method: draft.method,
            draft: { environment throws(CatalogProblem) in
                var draft = draft
                if environment == 1 {
                    let row = TargetDraft.Row(
                        "X-Stage",
                        "yes",
                        inheritedFrom: "environment staging"
                    )
                    draft.headers.insert(row, at: 0)
                }
                return draft
            },
            edit: { [self] edited throws(CatalogProblem) in
                try edit(target(id, edited, canSave), edited, canSave)
            },
            resolve: { _ throws(CatalogProblem) in
                let query = draft.query.map { "\($0.name)=\($0.value ?? "")" }.joined(
                    separator: "&"
                )
                return ResolvedTarget(
                    target: PlayTarget(path: "/users"),
                    source: .server,
                    url: "http://127.0.0.1:8080/users?\(query)",
                    details: []
                )
            }
        )
    }

    private func edit(
        _ target: CatalogTarget,
        _ draft: TargetDraft,
        _ canSave: Bool
    ) throws(CatalogProblem) -> CatalogEdit {
        if draft.headers.contains(where: { $0.name.contains(" ") }) {
            throw CatalogProblem("a header's name has no blanks")
        }
        let save: @Sendable (CatalogEdit.Destination) throws(CatalogProblem) -> Void = {
            [self] destination throws(CatalogProblem) in
            note(draft, destination)
        }
        return CatalogEdit(target: target, save: canSave ? save : nil)
    }

    private func note(_ draft: TargetDraft, _ destination: CatalogEdit.Destination) {
        saved.withLock { $0.append((draft, destination)) }
    }
}

extension Play {
    /// Begins with a request that can be edited, under the cursor.
    static func editing(
        _ catalog: EditableCatalog = EditableCatalog(),
        size: Size = Size(columns: 120, rows: 40)
    ) -> Play {
        var play = Play(size: size, catalog: catalog.catalog())
        play.type("j k")
        return play
    }

    /// Text that is typed.
    mutating func write(_ text: String) {
        for character in text { send(.key(.character(character))) }
    }

    /// Does what was asked of the catalog, and takes its word; gives the effects of the last step.
    mutating func answerRequests() {
        var waiting = effects
        while !waiting.isEmpty {
            let effect = waiting.removeFirst()
            guard case .request(let request) = effect, let message = request.answer else {
                continue
            }
            receive(.request(message))
            waiting += effects
        }
    }
}

extension RequestEffect {
    /// What the catalog says to it at once; nil for what needs more than a catalog.
    var answer: RequestMessage? {
        switch self {
        case .apply(let id, let ticket, let target, let draft):
            do throws(CatalogProblem) {
                guard let edit = try target.edit?(draft) else { return nil }
                return .applied(id, ticket: ticket, .success(edit))
            } catch {
                return .applied(id, ticket: ticket, .failure(error))
            }
        case .save(let id, let edit, let destination):
            do throws(CatalogProblem) {
                try edit.save?(destination)
                return .saved(id, destination, nil)
            } catch {
                return .saved(id, destination, error)
            }
        case .paste(let text, let catalog):
            do throws(CatalogProblem) {
                let read = try RequestText(text, variables: catalog.variableNames)
                let draft = read.draft.asItStands
                guard let edit = try catalog.make?(read.name, draft) else { return nil }
                return .pasted(name: read.name, draft, edit, notes: read.warnings)
            } catch {
                return .pasteFailed(error)
            }
        case .make(let name, let draft, let catalog):
            do throws(CatalogProblem) {
                guard let edit = try catalog.make?(name, draft) else { return nil }
                return .made(name: name, .success(edit))
            } catch {
                return .made(name: name, .failure(error))
            }
        case .supply(let name, let value, let catalog):
            catalog.supply?(name, value)
            return .supplied
        default: return nil
        }
    }
}

/// A value that a catalog was given.
final class SuppliedValue: Sendable {
    private let given = Mutex<String?>(nil)
    var value: String? { given.withLock { $0 } }
    func note(_ name: String, _ value: String) { given.withLock { $0 = value } }
}
